/**
 * Checks the values of a document before it is encoded, so that each stored value reads back
 * unchanged. Rejects other values with DOC_INVALID.
 *
 * Kept:
 * - null, booleans, texts, finite numbers, arrays and plain objects, also with keys such as
 *   `__proto__` and `toJSON`
 * - Uint8Array; a Buffer reads back as a Uint8Array
 * - a CID, as a link
 * - BigInt beyond the safe integers, up to 64 bits
 *
 * Converted as in JSON:
 * - a Date becomes its ISO text, and -0 becomes 0
 * - properties that are undefined, or have a symbol as their key, are omitted
 *
 * Rejected:
 * - a BigInt in the range of safe integers: it would read back as a number
 * - NaN, infinities, undefined in an array, an invalid Date
 * - a text or key with a lone surrogate: UTF-8 has no bytes for it
 * - functions, symbols, Map, Set, RegExp, other buffers, class instances
 * - more than {@link DEPTH_MAX} levels, and therefore also cycles
 *
 * The format's first implementation silently changes some of these values. A document that both
 * implementations accept has the same bytes in both.
 */
import { FixpointError } from '@fixpoint/protocol';
import { isLink } from '../codec/dag-cbor.ts';

/** The deepest nesting of a document. Some readers couldn't read deeper documents. */
export const DEPTH_MAX = 200;

/** An error shows only this number of names from the end of a path, because the end says most. */
const TRAIL_SHOWN = 8;

/** The path of the value being checked, for the text of an error. */
type Trail = (string | number)[];

/**
 * Copies the document into a form that dag-cbor encodes without loss. The copy shares bytes and
 * links with the document.
 * @throws FixpointError DOC_INVALID
 */
export function sanitise(doc: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof doc !== 'object' || doc === null || !isPlain(doc)) throw refusal([], 'is not a plain object');
  return copyMap(doc, []);
}

function copyMap(map: Readonly<Record<string, unknown>>, trail: Trail): Record<string, unknown> {
  if (trail.length > DEPTH_MAX) throw refusal(trail, `nested deeper than ${DEPTH_MAX}`);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    trail.push(key);
    if (!isWellFormed(key)) throw refusal(trail, 'a lone surrogate cannot be stored');
    const clean = copyValue(value, trail);
    trail.pop();
    if (key === '__proto__') define(copy, key, clean);
    else copy[key] = clean;
  }
  return copy;
}

const define = (map: object, key: string, value: unknown) =>
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });

function copyValue(value: unknown, trail: Trail): unknown {
  switch (typeof value) {
    case 'string':
      if (!isWellFormed(value)) throw refusal(trail, 'a lone surrogate cannot be stored');
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw refusal(trail, `${value} cannot be stored`);
      // Rounding produces -0. Other replicas encode it as 0, so two blocks would have one meaning.
      return value === 0 ? 0 : value;
    case 'boolean':
      return value;
    case 'bigint':
      return checkBigInt(value, trail);
    case 'object':
      return value === null ? null : copyObject(value, trail);
    default:
      throw refusal(trail, `a value of type ${typeof value} cannot be stored`);
  }
}

function checkBigInt(value: bigint, trail: Trail): bigint {
  if (value > 0xffffffffffffffffn || value < -0x10000000000000000n)
    throw refusal(trail, 'an integer of more than 64 bits cannot be stored');
  if (value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER))
    throw refusal(trail, 'a BigInt this small would come back as a number');
  return value;
}

function copyObject(value: object, trail: Trail): unknown {
  if (Array.isArray(value)) return copyArray(value, trail);
  if (isPlain(value)) return copyMap(value as Readonly<Record<string, unknown>>, trail);
  if (value instanceof Uint8Array) return value;
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw refusal(trail, 'Invalid time value');
    return value.toISOString();
  }
  if (isLink(value)) return value;
  throw refusal(trail, `a ${value.constructor?.name ?? 'class instance'} cannot be stored`);
}

function copyArray(array: readonly unknown[], trail: Trail): unknown[] {
  if (trail.length > DEPTH_MAX) throw refusal(trail, `nested deeper than ${DEPTH_MAX}`);
  const copy: unknown[] = [];
  for (let at = 0; at < array.length; at++) {
    trail.push(at);
    copy.push(copyValue(array[at], trail));
    trail.pop();
  }
  return copy;
}

/**
 * Returns whether an object is plain, in this realm or in another one such as a frame or sandbox.
 */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return !Array.isArray(value) && Object.getPrototypeOf(prototype) === null;
}

/** Half of a surrogate pair without the other half. */
const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

const isWellFormed = (text: string): boolean => !/[\uD800-\uDFFF]/.test(text) || !LONE.test(text);

function refusal(trail: Trail, why: string): FixpointError {
  if (trail.length === 0) return new FixpointError('DOC_INVALID', why);
  const shown = trail.slice(-TRAIL_SHOWN).join('.').slice(-200);
  return new FixpointError('DOC_INVALID', `${trail.length > TRAIL_SHOWN ? '...' : ''}${shown}: ${why}`);
}
