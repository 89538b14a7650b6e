/**
 * Writes canonical dag-cbor:
 *
 * - Map keys are ordered by the length of their UTF-8, then by bytes.
 * - Integers have the shortest form; other numbers are 64-bit floats.
 * - Links are tag 42 over 0x00 and the CID.
 * - There is no NaN, infinity, undefined or indefinite length.
 */
import { FixpointError } from '@fixpoint/protocol';
import { compareBytes, utf8 } from '../base/bytes.ts';
import { NESTING_MAX } from './cbor-reader.ts';
import { CID_BYTES, type Cid, writeCid } from './cid.ts';
import { linkBytes } from './document-link.ts';
import { CidLink } from './link.ts';

const UNSIGNED = 0;
const NEGATIVE = 1;
const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;
const MAP = 5;
const TAG = 6;
const LINK_TAG = 42;
const FALSE = 0xf4;
const TRUE = 0xf5;
const NULL = 0xf6;
const FLOAT64 = 0xfb;

const START_BYTES = 4096;
const KEPT_BYTES_MAX = 1 << 20;
/** Up to this length, a loop over characters is faster than a call to the encoder. */
const SHORT_TEXT = 48;

const encoder = new TextEncoder();
const float = new DataView(new ArrayBuffer(8));

let kept = new Uint8Array(START_BYTES);
let busy = false;
/** Number of arrays and maps around the value that is being written. */
let depth = 0;
let out = kept;
let at = 0;

/**
 * Encodes a value.
 * @throws FixpointError DOC_INVALID for values that dag-cbor can't represent
 */
export const writeCbor = (value: unknown): Uint8Array<ArrayBuffer> => written(() => writeValue(value));

/** Writes items one after another. */
export interface CborItems {
  /** Begins a map of `count` keys, which must follow in canonical order. */
  map(count: number): void;
  array(count: number): void;
  text(text: string): void;
  unsigned(value: number): void;
  link(cid: Cid): void;
}

const items: CborItems = {
  map: (count) => writeHead(MAP, count),
  array: (count) => writeHead(ARRAY, count),
  text: writeText,
  unsigned: (value) => writeHead(UNSIGNED, value),
  link: writeLink,
};

/**
 * Encodes frequent structures. Returns the same bytes as `writeCbor`, but creates no object for
 * each item.
 */
export const writeItems = (write: (to: CborItems) => void): Uint8Array<ArrayBuffer> =>
  written(() => write(items));

function written(write: () => void): Uint8Array<ArrayBuffer> {
  // A getter of the value may call this function again. The inner call then uses a separate buffer.
  const [outerOut, outerAt, outerBusy, outerDepth] = [out, at, busy, depth];
  if (busy) out = new Uint8Array(START_BYTES);
  at = 0;
  depth = 0;
  busy = true;
  try {
    write();
    return out.slice(0, at);
  } finally {
    if (!outerBusy) kept = out.length <= KEPT_BYTES_MAX ? out : new Uint8Array(START_BYTES);
    out = outerBusy ? outerOut : kept;
    at = outerAt;
    busy = outerBusy;
    depth = outerDepth;
  }
}

function writeValue(value: unknown): void {
  switch (typeof value) {
    case 'string':
      writeText(value);
      return;
    case 'number':
      writeNumber(value);
      return;
    case 'boolean':
      writeByte(value ? TRUE : FALSE);
      return;
    case 'bigint':
      writeBigInt(value);
      return;
    case 'object':
      if (value === null) writeByte(NULL);
      else writeObject(value);
      return;
    default:
      throw cannotHold(`a value of type ${typeof value}`);
  }
}

function writeObject(value: object): void {
  if (Array.isArray(value)) {
    writeHead(ARRAY, value.length);
    enter();
    for (let index = 0; index < value.length; index++) writeValue(value[index]);
    depth -= 1;
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) {
    writeMap(value as Record<string, unknown>);
    return;
  }
  if (value instanceof Uint8Array) {
    writeBytes(value);
    return;
  }
  if (value instanceof CidLink) {
    writeLink(value.cid);
    return;
  }
  const cid = linkBytes(value);
  if (cid !== undefined) {
    writeForeignLink(cid);
    return;
  }
  // Plain objects of another realm count as plain.
  if (Object.getPrototypeOf(prototype) === null) {
    writeMap(value as Record<string, unknown>);
    return;
  }
  throw cannotHold(`a ${value.constructor?.name ?? 'class instance'}`);
}

function writeMap(map: Readonly<Record<string, unknown>>): void {
  const keys = sortKeys(Object.keys(map));
  writeHead(MAP, keys.length);
  enter();
  for (const key of keys) {
    writeText(key);
    writeValue(map[key]);
  }
  depth -= 1;
}

/** Rejects nesting that no reader would accept. */
function enter(): void {
  depth += 1;
  if (depth > NESTING_MAX) throw cannotHold(`nesting deeper than ${NESTING_MAX}`);
}

function writeLink(cid: Cid): void {
  reserve(CID_BYTES + 5);
  writeHead(TAG, LINK_TAG);
  writeHead(BYTES, CID_BYTES + 1);
  out[at++] = 0;
  writeCid(cid, out, at);
  at += CID_BYTES;
}

function writeForeignLink(cid: Uint8Array): void {
  writeHead(TAG, LINK_TAG);
  writeHead(BYTES, cid.length + 1);
  writeByte(0);
  append(cid);
}

function writeBytes(bytes: Uint8Array): void {
  writeHead(BYTES, bytes.length);
  append(bytes);
}

function append(bytes: Uint8Array): void {
  reserve(bytes.length);
  out.set(bytes, at);
  at += bytes.length;
}

function writeText(text: string): void {
  const { length } = text;
  if (length <= SHORT_TEXT && writeShortAscii(text, length)) return;
  // Reserve the longest form: three bytes per code unit.
  reserve(length * 3 + 9);
  const guess = at + headBytes(length);
  const { written } = encoder.encodeInto(text, out.subarray(guess));
  const start = at + headBytes(written);
  if (start !== guess) out.copyWithin(start, guess, guess + written);
  writeHead(TEXT, written);
  at += written;
}

function headBytes(value: number): number {
  if (value < 24) return 1;
  if (value < 0x100) return 2;
  return value < 0x10000 ? 3 : 5;
}

/** Returns false, and writes nothing, when the text isn't ASCII. */
function writeShortAscii(text: string, length: number): boolean {
  reserve(length + 2);
  const start = at;
  writeHead(TEXT, length);
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) {
      at = start;
      return false;
    }
    out[at++] = code;
  }
  return true;
}

function writeNumber(value: number): void {
  if (Number.isSafeInteger(value)) {
    if (value >= 0) writeHead(UNSIGNED, value);
    else writeHead(NEGATIVE, -1 - value);
    return;
  }
  if (!Number.isFinite(value)) throw cannotHold(String(value));
  reserve(9);
  out[at++] = FLOAT64;
  float.setFloat64(0, value);
  for (let index = 0; index < 8; index++) out[at++] = float.getUint8(index);
}

function writeBigInt(value: bigint): void {
  const rest = value < 0n ? -1n - value : value;
  if (rest > 0xffffffffffffffffn) throw cannotHold('an integer of more than 64 bits');
  const major = value < 0n ? NEGATIVE : UNSIGNED;
  if (rest <= BigInt(Number.MAX_SAFE_INTEGER)) {
    writeHead(major, Number(rest));
    return;
  }
  reserve(9);
  out[at++] = (major << 5) | 27;
  float.setBigUint64(0, rest);
  for (let index = 0; index < 8; index++) out[at++] = float.getUint8(index);
}

/** Writes the first bytes of an item: its major type and a number in the shortest form. */
function writeHead(major: number, value: number): void {
  reserve(9);
  const type = major << 5;
  if (value < 24) {
    out[at++] = type | value;
  } else if (value < 0x100) {
    out[at++] = type | 24;
    out[at++] = value;
  } else if (value < 0x10000) {
    out[at++] = type | 25;
    out[at++] = value >> 8;
    out[at++] = value;
  } else if (value < 0x100000000) {
    out[at++] = type | 26;
    writeUint32(value);
  } else {
    out[at++] = type | 27;
    writeUint32(Math.floor(value / 0x100000000));
    writeUint32(value % 0x100000000);
  }
}

function writeUint32(value: number): void {
  out[at++] = value >>> 24;
  out[at++] = value >>> 16;
  out[at++] = value >>> 8;
  out[at++] = value;
}

function writeByte(byte: number): void {
  reserve(1);
  out[at++] = byte;
}

function reserve(bytes: number): void {
  if (at + bytes <= out.length) return;
  const larger = new Uint8Array(Math.max(out.length * 2, at + bytes));
  larger.set(out.subarray(0, at));
  out = larger;
}

function sortKeys(keys: string[]): readonly string[] {
  if (!keys.every(isAscii)) {
    const bytesByKey = new Map(keys.map((key) => [key, utf8(key)]));
    const bytesOf = (key: string) => bytesByKey.get(key) as Uint8Array;
    return keys.sort((a, b) => bytesOf(a).length - bytesOf(b).length || compareBytes(bytesOf(a), bytesOf(b)));
  }
  // Maps are small and mostly sorted already, so insertion sort is fastest.
  if (keys.length > 24) return keys.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  for (let end = 1; end < keys.length; end++) {
    const key = keys[end] as string;
    let place = end;
    for (; place > 0 && isBefore(key, keys[place - 1] as string); place--)
      keys[place] = keys[place - 1] as string;
    keys[place] = key;
  }
  return keys;
}

const isBefore = (a: string, b: string): boolean => (a.length === b.length ? a < b : a.length < b.length);

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

const cannotHold = (what: string) => new FixpointError('DOC_INVALID', `${what} cannot be stored`);
