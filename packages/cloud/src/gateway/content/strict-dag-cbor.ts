/**
 * Reads dag-cbor strictly, so that clients can read everything that this reader accepts. Rejects
 * indefinite lengths, integers longer than needed, repeated keys, tags other than links, NaN and
 * infinities, invalid UTF-8, deep nesting, and bytes after the value.
 */

/** A link to a block: the bytes of its CID. */
interface CborLink {
  readonly link: Buffer;
}

const DEPTH_MAX = 64;
const LINK_TAG = 42;
/** The smallest integers that need 1, 2, 4 and 8 bytes. */
const SHORTEST = [24n, 0x100n, 0x1_0000n, 0x1_0000_0000n];
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns maps as `Map`, byte strings as `Buffer`, integers as `bigint`, links as {@link CborLink}.
 * @throws Error with the reason
 */
export function readDagCbor(block: Buffer): unknown {
  const reader = { block, at: 0 };
  const value = readValue(reader, 0);
  if (reader.at !== block.length) throw new Error('bytes follow the value');
  return value;
}

interface Reader {
  readonly block: Buffer;
  at: number;
}

function readValue(reader: Reader, depth: number): unknown {
  if (depth > DEPTH_MAX) throw new Error('nested too deeply');
  const first = take(reader, 1)[0] ?? 0;
  const short = first & 31;
  switch (first >> 5) {
    case 0:
      return readInteger(reader, short);
    case 1:
      return -1n - readInteger(reader, short);
    case 2:
      return take(reader, readLength(reader, short));
    case 3:
      return decoder.decode(take(reader, readLength(reader, short)));
    case 4:
      return Array.from({ length: readLength(reader, short) }, () => readValue(reader, depth + 1));
    case 5:
      return readMap(reader, readLength(reader, short), depth);
    case 6:
      return readLink(reader, short, depth);
    default:
      return readSimple(reader, first);
  }
}

function readMap(reader: Reader, length: number, depth: number): ReadonlyMap<string, unknown> {
  const map = new Map<string, unknown>();
  for (let entry = 0; entry < length; entry++) {
    const key = readValue(reader, depth + 1);
    if (typeof key !== 'string') throw new Error('a key is not text');
    if (map.has(key)) throw new Error('a key is repeated');
    map.set(key, readValue(reader, depth + 1));
  }
  return map;
}

function readLink(reader: Reader, short: number, depth: number): CborLink {
  const bytes = readInteger(reader, short) === BigInt(LINK_TAG) ? readValue(reader, depth + 1) : undefined;
  if (!Buffer.isBuffer(bytes) || bytes[0] !== 0) throw new Error('a tag is not a link');
  return { link: bytes.subarray(1) };
}

function readSimple(reader: Reader, first: number): unknown {
  if (first === 0xf4 || first === 0xf5) return first === 0xf5;
  if (first === 0xf6) return null;
  const number = first === 0xfb ? take(reader, 8).readDoubleBE() : Number.NaN;
  if (!Number.isFinite(number)) throw new Error('a simple value is unknown');
  return number;
}

/**
 * Reads a length. Rejects a length beyond the remaining bytes before anything is allocated: every
 * item needs at least one byte.
 */
function readLength(reader: Reader, short: number): number {
  const length = readInteger(reader, short);
  if (length > BigInt(reader.block.length - reader.at)) throw new Error('a length reaches past the end');
  return Number(length);
}

function readInteger(reader: Reader, short: number): bigint {
  if (short < 24) return BigInt(short);
  if (short > 27) throw new Error('a length is indefinite');
  const value = BigInt(`0x${take(reader, 1 << (short - 24)).toString('hex')}`);
  if (value < (SHORTEST[short - 24] ?? 0n)) throw new Error('an integer is longer than needed');
  return value;
}

function take(reader: Reader, length: number): Buffer {
  const { block, at } = reader;
  if (length > block.length - at) throw new Error('the block ends too early');
  reader.at = at + length;
  return block.subarray(at, reader.at);
}
