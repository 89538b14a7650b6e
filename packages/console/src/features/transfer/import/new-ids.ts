/**
 * Generates the ids of imported documents that have none. The same row always gets the same id, so
 * that a second attempt after a failure doesn't add documents a second time.
 */

/** Bytes of randomness for the ids of one opened import. */
const SEED_BYTES = 4;
const FILES_MAX = 0x1000;
const LOW_ROWS = 0x10_0000;
/** The last seven digits. */
const TAIL = 0xfff_ffff;
/** An odd number, so that all rows of a file have different last digits. */
const SPREAD = 0x9e37_79b1;

export interface NewIds {
  /** @param file the number of the file, which it keeps while the import is open */
  readonly idOf: (file: number, row: { readonly at: number }) => string;
  /** Whether an earlier attempt may have written documents with these ids. */
  readonly areWritten: boolean;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/**
 * Returns ids in the shape of a UUID of version 7, in the order of files and rows: 48 bits of
 * milliseconds, 12 bits of the file, 32 bits of the row, and 30 bits that are random in each import
 * and differ from row to row, because tables show only the end of such ids.
 */
export function newIds(nowMs: number, random: Uint8Array = randomSeed()): NewIds['idOf'] {
  const [first = 0, second = 0, third = 0, fourth = 0] = random;
  const seed = ((first >> 4) << 24) | (second << 16) | (third << 8) | fourth;
  const variant = hex(0x8 | (first & 0x3), 1);
  return (file, { at }) => {
    const time = hex(Math.floor(nowMs) + Math.floor(file / FILES_MAX), 12);
    const high = hex(Math.floor(at / LOW_ROWS), 3);
    const low = hex(at % LOW_ROWS, 5);
    const tail = hex((seed + Math.imul(at, SPREAD)) & TAIL, 7);
    return [
      time.slice(0, 8),
      time.slice(8),
      `7${hex(file % FILES_MAX, 3)}`,
      `${variant}${high}`,
      `${low}${tail}`,
    ].join('-');
  };
}

const randomSeed = (): Uint8Array => crypto.getRandomValues(new Uint8Array(SEED_BYTES));
