/** One part of a dag-cbor value, found without decoding the others. */
import { FixpointError } from '@fixpoint/protocol';
import { utf8 } from '../base/bytes.ts';
import { decode } from './dag-cbor.ts';

const [BYTES, ARRAY, MAP, TAG] = [2, 4, 5, 6];

let bytes: Uint8Array = new Uint8Array();
/** Of the item whose head was read last. */
let major = 0;
let size = 0;
/** Behind what was read. */
let at = 0;

/**
 * Reads what stands under these names, the first in the outermost map; undefined where a map does
 * not have the name, or there is no map. The other parts may be anything. The reader throws CORRUPT
 * where the bytes end too early.
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

/** Goes to the value under a name of the map that begins here. */
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

/** Goes behind the item that begins here, with all that is in it. */
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
