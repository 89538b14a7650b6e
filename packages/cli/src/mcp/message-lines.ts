/** Splits a stream into lines, each of which is one message. */

export type Line = { readonly bytes: Uint8Array } | { readonly isTooLong: true };

const NEWLINE = 0x0a;

/**
 * Yields the lines of a stream, without empty ones. Never keeps more than `bytesMax` bytes of a
 * line: skips the rest of a longer one.
 */
export async function* messageLines(
  input: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const line = (): Line => (size > bytesMax ? { isTooLong: true } : { bytes: Buffer.concat(parts) });
  for await (const chunk of input)
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(NEWLINE, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      size += part.length;
      if (size <= bytesMax) parts.push(part);
      else parts = [];
      from += part.length + 1;
      if (end === -1) continue;
      if (size > 0) yield line();
      [parts, size] = [[], 0];
    }
  if (size > 0) yield line();
}
