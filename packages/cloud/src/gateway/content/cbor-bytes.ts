/** Finds byte strings in untrusted CBOR without decoding the rest. */

interface Head {
  readonly major: number;
  readonly argument: number;
  /** Offset of the content. */
  readonly at: number;
}

/**
 * Returns the byte string under a path of keys in a CBOR map; undefined for anything else. Reads no
 * further than it must, and allocates nothing.
 */
export function bytesAt(block: Buffer, path: readonly string[]): Buffer | undefined {
  let at = 0;
  for (const wanted of path) {
    const map = headAt(block, at);
    if (map?.major !== 5) return undefined;
    at = map.at;
    let found = false;
    for (let entry = 0; entry < map.argument && !found; entry++) {
      const key = headAt(block, at);
      if (key?.major !== 3 || key.at + key.argument > block.length) return undefined;
      at = key.at + key.argument;
      found = block.toString('utf8', key.at, at) === wanted;
      if (!found) {
        const next = skip(block, at, 0);
        if (next === undefined) return undefined;
        at = next;
      }
    }
    if (!found) return undefined;
  }
  const value = headAt(block, at);
  if (value?.major !== 2 || value.at + value.argument > block.length) return undefined;
  return block.subarray(value.at, value.at + value.argument);
}

/** Definite lengths only, as in dag-cbor. */
function headAt(block: Buffer, at: number): Head | undefined {
  const first = block[at];
  if (first === undefined) return undefined;
  const [major, short] = [first >> 5, first & 31];
  if (short < 24) return { major, argument: short, at: at + 1 };
  const length = { 24: 1, 25: 2, 26: 4 }[short];
  if (length === undefined || at + 1 + length > block.length) return undefined;
  return { major, argument: block.readUIntBE(at + 1, length), at: at + 1 + length };
}

const DEPTH_MAX = 16;

/** Returns the offset where the value at `at` ends. */
function skip(block: Buffer, at: number, depth: number): number | undefined {
  const head = headAt(block, at);
  if (head === undefined || depth > DEPTH_MAX) return undefined;
  if (head.major === 2 || head.major === 3) {
    const end = head.at + head.argument;
    return end <= block.length ? end : undefined;
  }
  const children = { 4: head.argument, 5: head.argument * 2, 6: 1 }[head.major] ?? 0;
  let next: number | undefined = head.at;
  for (let child = 0; child < children && next !== undefined; child++) next = skip(block, next, depth + 1);
  return next;
}
