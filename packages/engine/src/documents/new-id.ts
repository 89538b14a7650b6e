import type { DocKey } from './doc-key.ts';

const COUNTER_MAX = 0xfff;
/**
 * A new count starts in the lower half of its range, so that the upper half is left for further ids
 * in the same millisecond.
 */
const START_MASK = 0x7ff;

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

/**
 * Creates ids that sort in the order of their creation. An id has the shape of a UUID of version 7:
 * 48 bits of milliseconds, a 12-bit counter, and 61 random bits. The counter starts at a random
 * number in its lower half. When the counter is full, or the clock is behind an earlier id, the
 * time continues from the last id instead of the clock.
 */
export class DocIds {
  #timeMs = -1;
  #counter = 0;

  /** @param random ten bytes */
  next(nowMs: number, random: Uint8Array): DocKey {
    const [first = 0, second = 0] = random;
    const start = ((first << 4) | (second >> 4)) & START_MASK;
    const now = Math.floor(nowMs);
    if (now > this.#timeMs) {
      this.#timeMs = now;
      this.#counter = start;
    } else if (this.#counter < COUNTER_MAX) this.#counter += 1;
    else {
      this.#timeMs += 1;
      this.#counter = start;
    }
    return idOf(this.#timeMs, this.#counter, random);
  }
}

function idOf(timeMs: number, counter: number, random: Uint8Array): DocKey {
  const time = hex(timeMs, 12).slice(-12);
  const rest = Array.from(random.subarray(1, 10), (byte) => hex(byte, 2))
    .join('')
    .slice(1);
  const variant = (0xb | (Number.parseInt(rest.charAt(0), 16) & 0x4)).toString(16);
  const groups = [
    time.slice(0, 8),
    time.slice(8),
    `7${hex(counter, 3)}`,
    `${variant}${rest.slice(1, 4)}`,
    rest.slice(4, 16),
  ];
  return groups.join('-') as DocKey;
}
