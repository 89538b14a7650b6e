/** Finds one part of a dag-cbor value without decoding the other parts. */
import { FixpointError } from '@fixpoint/protocol';
import { utf8 } from '../base/bytes.ts';
import { decode } from './dag-cbor.ts';

const [BYTES, ARRAY, MAP, TAG] = [2, 4, 5, 6];

let bytes: Uint8Array = new Uint8Array();
/** The head of the item that was read last. */
let major = 0;
let size = 0;
/** The position after the bytes read so far. */
let at = 0;

/**
 * Returns a reader of the value at a path of names. The first name is a key of the outermost map.
 * The reader returns undefined if a map doesn't have a name of the path, or if a value on the path
 * isn't a map. It ignores all other parts, and throws CORRUPT if the bytes end too early.
 */
export function partReader(...path: readonly string[]): (value: Uint8Array) => unknown {
  const names = path.map(utf8);
  return (value) => {
    bytes = value;
    at = 0;
    if (!names.every(goTo)) return undefined;
    const start = at;
    skip();
    return decode(bytes.subarray(start, at));
  };
}

/**
 * Moves to the value under this name in the map at the current position. Returns false if there is
 * no such value.
 */
function goTo(name: Uint8Array): boolean {
  readHead();
  if (major !== MAP) return false;
  for (let left = size; left > 0; left--) {
    readHead();
    const start = at;
    at += size;
    if (size === name.length && stands(name, start)) return true;
    skip();
  }
  return false;
}

function stands(text: Uint8Array, start: number): boolean {
  for (let index = 0; index < text.length; index++) if (text[index] !== bytes[start + index]) return false;
  return true;
}

/** Skips the item at the current position, with all items in it. */
function skip(): void {
  for (let left = 1; left > 0; left--) {
    readHead();
    if (major === BYTES || major === BYTES + 1) at += size;
    else if (major === ARRAY) left += size;
    else if (major === MAP) left += 2 * size;
    else if (major === TAG) left += 1;
  }
  if (at > bytes.length) throw damaged();
}

function readHead(): void {
  const first = bytes[at];
  if (first === undefined) throw damaged();
  at += 1;
  major = first >> 5;
  size = first & 31;
  if (size < 24) return;
  if (size > 27) throw damaged();
  const end = at + (1 << (size - 24));
  for (size = 0; at < end; at++) size = size * 256 + (bytes[at] ?? 0);
}

const damaged = () => new FixpointError('CORRUPT', 'dag-cbor: ends inside of a value');
