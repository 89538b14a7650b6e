/**
 * Reads dag-cbor. A key `__proto__` becomes an ordinary property. Rejected as CORRUPT:
 *
 * - lengths beyond the end of the bytes, rejected before the reader allocates memory; indefinite
 *   lengths
 * - integers in a longer form than needed, NaN and infinities
 * - keys that aren't texts or occur twice, text that isn't UTF-8
 * - tags other than 42
 * - nesting deeper than {@link NESTING_MAX}, and bytes after the value
 */
import { FixpointError } from '@fixpoint/protocol';
import { CID_BYTES, cidFromBytes } from './cid.ts';
import { DocumentLink } from './document-link.ts';
import { CidLink } from './link.ts';

/** Deeper values would exhaust the stack of some readers. */
export const NESTING_MAX = 1000;

/** Up to this length, a loop over bytes is faster than a call to the decoder. */
const SHORT_TEXT = 24;
const KEYS_KEPT = 512;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const keptKeys: string[] = new Array(KEYS_KEPT).fill('');

let bytes = new Uint8Array();
let view = new DataView(bytes.buffer);
/** The offset of the bytes in the view. */
let viewAt = 0;
let at = 0;
let owned = false;

/**
 * Reads a value. With `owned`, byte strings are copies and links are {@link DocumentLink}s. Without
 * it, byte strings are views of the input and links are {@link CidLink}s.
 * @throws FixpointError CORRUPT
 */
export function readCbor(input: Uint8Array, options: { owned: boolean }): unknown {
  // A Buffer would create byte strings of its own class.
  bytes = (
    input.constructor === Uint8Array
      ? input
      : new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
  ) as Uint8Array<ArrayBuffer>;
  // The blocks of an archive share a buffer.
  if (view.buffer !== input.buffer) view = new DataView(input.buffer) as DataView<ArrayBuffer>;
  viewAt = input.byteOffset;
  owned = options.owned;
  at = 0;
  const value = readValue(0);
  if (at !== bytes.length) throw damaged('bytes after the value');
  return value;
}

function readValue(depth: number): unknown {
  if (depth > NESTING_MAX) throw damaged('nested too deeply');
  const first = readByte();
  const minor = first & 31;
  switch (first >> 5) {
    case 0:
      return readNumber(minor);
    case 1:
      return negative(readNumber(minor));
    case 2:
      return owned ? readBytes(minor).slice() : readBytes(minor);
    case 3:
      return readText(readLength(minor));
    case 4:
      return readArray(readLength(minor), depth);
    case 5:
      return readMap(readLength(minor), depth);
    case 6:
      return readLink(minor);
    default:
      return readSimple(first);
  }
}

function readArray(length: number, depth: number): unknown[] {
  const items: unknown[] = [];
  for (let index = 0; index < length; index++) items.push(readValue(depth + 1));
  return items;
}

function readMap(length: number, depth: number): Record<string, unknown> {
  const map: Record<string, unknown> = {};
  let before = '';
  let isInOrder = true;
  for (let index = 0; index < length; index++) {
    const first = readByte();
    if (first >> 5 !== 3) throw damaged('a key is no text');
    const key = readKey(readLength(first & 31));
    // Keys in the canonical order are all different. Only other maps need the slow check.
    isInOrder &&= key.length > before.length || (key.length === before.length && key > before);
    if (!isInOrder && Object.hasOwn(map, key)) throw damaged('a key comes twice');
    before = key;
    const value = readValue(depth + 1);
    if (key === '__proto__') define(map, key, value);
    else map[key] = value;
  }
  return map;
}

const define = (map: object, key: string, value: unknown) =>
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });

/** Reads a key. A database has few different keys, so a cache has most of them. */
function readKey(length: number): string {
  if (length === 0 || length > SHORT_TEXT) return readText(length);
  const slot =
    (length * 61 + (bytes[at] as number) * 7 + (bytes[at + length - 1] as number) * 31) % KEYS_KEPT;
  const known = keptKeys[slot] ?? '';
  if (isTextAt(known, length)) {
    at += length;
    return known;
  }
  const key = readText(length);
  if (key.length === length) keptKeys[slot] = key;
  return key;
}

function isTextAt(text: string, length: number): boolean {
  if (text.length !== length) return false;
  for (let index = 0; index < length; index++) if (text.charCodeAt(index) !== bytes[at + index]) return false;
  return true;
}

function readText(length: number): string {
  const start = at;
  at += length;
  if (length <= SHORT_TEXT) {
    // Adding letters one by one would create a text of parts, which takes ten times the memory.
    const letters: number[] = [];
    for (let index = start; index < at; index++) letters.push(bytes[index] as number);
    if (letters.every((letter) => letter <= 0x7f)) return String.fromCharCode.apply(null, letters);
  }
  try {
    return decoder.decode(bytes.subarray(start, at));
  } catch (cause) {
    throw damaged('not UTF-8', cause);
  }
}

function readBytes(minor: number): Uint8Array {
  const length = readLength(minor);
  at += length;
  return bytes.subarray(at - length, at);
}

function readLink(minor: number): CidLink | DocumentLink {
  if (minor !== 24 || readByte() !== 42 || readByte() !== 0x58) throw damaged('unknown tag');
  const cid = readBytes(24);
  if (cid[0] !== 0) throw damaged('not a link');
  if (!owned && cid.length === CID_BYTES + 1) return new CidLink(cidFromBytes(cid.subarray(1)));
  return new DocumentLink(cid.slice(1));
}

/**
 * Reads the length of the bytes or items that follow. Rejects a length above the number of bytes
 * left.
 */
function readLength(minor: number): number {
  const length = readNumber(minor);
  if (length > bytes.length - at) throw damaged('a length reaches past the end');
  return Number(length);
}

function readNumber(minor: number): number | bigint {
  if (minor < 24) return minor;
  if (minor > 27) throw damaged('indefinite length');
  const size = 1 << (minor - 24);
  const value = numberAt(readSize(size), size);
  if (value < (SHORTEST[minor - 24] as number)) throw damaged('an integer is longer than needed');
  return value;
}

function numberAt(start: number, size: number): number | bigint {
  if (size === 1) return view.getUint8(start);
  if (size === 2) return view.getUint16(start);
  if (size === 4) return view.getUint32(start);
  const value = view.getBigUint64(start);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

function negative(value: number | bigint): number | bigint {
  if (typeof value === 'bigint') return -1n - value;
  const result = -1 - value;
  return Number.isSafeInteger(result) ? result : -1n - BigInt(value);
}

function readSimple(first: number): unknown {
  switch (first) {
    case 0xf4:
      return false;
    case 0xf5:
      return true;
    case 0xf6:
    case 0xf7:
      return null;
    case 0xf9:
      return finite(float16(readSize(2)));
    case 0xfa:
      return finite(view.getFloat32(readSize(4)));
    case 0xfb:
      return finite(view.getFloat64(readSize(8)));
    default:
      throw damaged('unknown simple value');
  }
}

function float16(start: number): number {
  const half = view.getUint16(start);
  const exponent = (half >> 10) & 31;
  const fraction = half & 0x3ff;
  const size =
    exponent === 0
      ? fraction * 2 ** -24
      : exponent === 31
        ? Number.NaN
        : (fraction + 1024) * 2 ** (exponent - 25);
  return half & 0x8000 ? -size : size;
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw damaged(`${value}`);
  return value;
}

/** Skips a number. Returns its offset in the view. */
function readSize(size: number): number {
  need(size);
  at += size;
  return viewAt + at - size;
}

function readByte(): number {
  need(1);
  return bytes[at++] as number;
}

function need(size: number): void {
  if (size > bytes.length - at) throw damaged('ends inside of a value');
}

const damaged = (why: string, cause?: unknown) => new FixpointError('CORRUPT', `dag-cbor: ${why}`, { cause });

/** The smallest integer that needs each size. */
const SHORTEST = [24, 0x100, 0x10000, 0x100000000] as const;
