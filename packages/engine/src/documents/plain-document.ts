/**
 * Recognises the usual form of a live document without creating its values, which takes a fifth of
 * the time. The usual form is canonical dag-cbor without links. Anything else must be decoded.
 */
import { utf8 } from '../base/bytes.ts';

const BEGIN = [0xa1, 0x63, ...utf8('doc')];
/** Maximum depth of nested values. */
const DEPTH_MAX = 32;
/** The smallest number that needs 1, 2 or 4 bytes. */
const SHORTEST = [24, 0x100, 0x1_0000];
const SCALARS = [0xf4, 0xf5, 0xf6];
const [DOUBLE, DOUBLE_BYTES] = [0xfb, 8];

const decoder = new TextDecoder('utf-8', { fatal: true });

let bytes = new Uint8Array();
let at = 0;

/**
 * Returns whether the bytes are a valid live document. False means that only `decodeDocument` can
 * tell.
 */
export function isPlainDocument(block: Uint8Array): boolean {
  bytes = block as Uint8Array<ArrayBuffer>;
  at = BEGIN.length;
  for (let index = 0; index < at; index++) if (block[index] !== BEGIN[index]) return false;
  return (bytes[at] as number) >> 5 === 5 && skipValue(0) && at === bytes.length;
}

/** Moves behind the value at the current position. Returns false if it isn't in the usual form. */
function skipValue(depth: number): boolean {
  const first = bytes[at++];
  if (first === undefined || depth > DEPTH_MAX) return false;
  if (first >= 0xe0) return SCALARS.includes(first) || (first === DOUBLE && skipDouble());
  const size = readSize(first & 31);
  switch (first >> 5) {
    case 0:
    case 1:
      return size >= 0;
    case 2:
      return skipBytes(size);
    case 3:
      return skipText(size);
    case 4:
      for (let left = size; left > 0; left--) if (!skipValue(depth + 1)) return false;
      return size >= 0;
    case 5:
      return skipMap(size, depth);
    default:
      return false;
  }
}

/** Reads a number; -1 if it isn't in the shortest form or needs eight bytes. */
function readSize(minor: number): number {
  if (minor < 24) return minor;
  const shortest = SHORTEST[minor - 24];
  if (shortest === undefined) return -1;
  let size = 0;
  for (const end = at + (1 << (minor - 24)); at < end; at++) size = size * 256 + (bytes[at] ?? 0);
  return size < shortest ? -1 : size;
}

function skipBytes(size: number): boolean {
  at += size;
  return size >= 0 && at <= bytes.length;
}

function skipText(size: number): boolean {
  const start = at;
  if (!skipBytes(size)) return false;
  for (let index = start; index < at; index++) if ((bytes[index] as number) > 0x7f) return isUtf8(start);
  return true;
}

function isUtf8(start: number): boolean {
  try {
    decoder.decode(bytes.subarray(start, at));
    return true;
  } catch {
    return false;
  }
}

/** Accepts only keys in canonical order, which are all different. */
function skipMap(size: number, depth: number): boolean {
  let [before, lengthBefore] = [0, -1];
  for (let left = size; left > 0; left--) {
    const length = (bytes[at++] as number) - 0x60;
    const key = at;
    if (!(length >= 0 && length < 24 && skipText(length))) return false;
    // A field `_deleted` may mean a deletion.
    if (depth === 0 && length === 8 && bytes[key] === 0x5f && bytes[key + 1] === 0x64) return false;
    if (length < lengthBefore || (length === lengthBefore && !isAfter(key, before, length))) return false;
    [before, lengthBefore] = [key, length];
    if (!skipValue(depth + 1)) return false;
  }
  return size >= 0;
}

function isAfter(key: number, before: number, length: number): boolean {
  for (let index = 0; index < length; index++) {
    const difference = (bytes[key + index] as number) - (bytes[before + index] as number);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function skipDouble(): boolean {
  const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
  // All ones in the exponent mean that the number isn't finite.
  const isNumber = (first & 0x7f) !== 0x7f || (second & 0xf0) !== 0xf0;
  return isNumber && skipBytes(DOUBLE_BYTES);
}
