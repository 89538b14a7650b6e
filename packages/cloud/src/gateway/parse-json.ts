/**
 * Parses JSON from the network. Messages are flat and small, so JSON that is deep or has very many
 * parts is rejected before it is built.
 */
import { FixpointError } from '@fixpoint/protocol';

const DEPTH_MAX = 64;
const PARTS_MAX = 50_000;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * @throws FixpointError REQUEST_INVALID for text that is not JSON, nests deeper than 64 levels, or
 * has more than 50,000 parts
 */
export function parseJson(text: string): unknown {
  requireModest(text);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FixpointError('REQUEST_INVALID', 'not JSON', { cause });
  }
}

function requireModest(text: string): void {
  let [depth, parts] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === COMMA) parts += 1;
    else if (OPENING.has(code)) {
      depth += 1;
      parts += 1;
    } else if (CLOSING.has(code)) depth -= 1;
    if (depth > DEPTH_MAX || parts > PARTS_MAX)
      throw new FixpointError('REQUEST_INVALID', depth > DEPTH_MAX ? 'too deep' : 'too many parts');
  }
}

/**
 * Returns the index of the quote that closes the string at `from`, or the length of the input if no
 * quote closes it.
 */
function endOfText(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
