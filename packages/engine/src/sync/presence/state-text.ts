import { FixpointError } from '@fixpoint/protocol';
import { utf8 } from '../../base/bytes.ts';

/** Longest state, in bytes of JSON text. */
const STATE_BYTES_MAX = 1400;

/**
 * Returns the JSON text of a state of presence. Also checks states before the code of presence is
 * loaded.
 * @throws FixpointError REQUEST_INVALID when the state isn't a JSON object, LIMIT_REACHED when it
 * is too long
 */
export function stateText(state: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(state);
  } catch (cause) {
    throw new FixpointError('REQUEST_INVALID', 'state of presence', { cause });
  }
  if (text === undefined || !text.startsWith('{'))
    throw new FixpointError('REQUEST_INVALID', 'state of presence: it must be an object');
  const { length } = utf8(text);
  if (length > STATE_BYTES_MAX)
    throw new FixpointError(
      'LIMIT_REACHED',
      `state of presence: ${length} bytes of JSON, of at most ${STATE_BYTES_MAX}`,
    );
  return text;
}
