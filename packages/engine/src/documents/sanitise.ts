/**
 * What a document may hold, checked before it is encoded. A value comes back as it went in, or the write is refused with DOC_INVALID.
 *
 * | Value                                                               | Is                                                     |
 * | ------------------------------------------------------------------- | ------------------------------------------------------ |
 * | null, booleans, texts, finite numbers, arrays, plain objects        | kept; so are keys such as `__proto__` and `toJSON`     |
 * | Uint8Array                                                          | kept (a Buffer comes back as a Uint8Array)             |
 * | a CID                                                               | kept, as a link                                        |
 * | BigInt beyond the safe integers, up to 64 bits                      | kept                                                   |
 * | Date                                                                | its ISO text, as JSON does                             |
 * | a property that is undefined, a property named by a symbol          | left out, as JSON does                                 |
 * | a smaller BigInt                                                    | refused: it would come back as a number                |
 * | -0                                                                  | refused: other replicas would make a 0 of it, in another block |
 * | NaN, infinities, undefined in an array, an invalid Date             | refused                                                |
 * | text or key with a lone surrogate                                   | refused: UTF-8 has no bytes for it                     |
 * | function, symbol, Map, Set, RegExp, other buffers, class instances  | refused                                                |
 * | more than {@link DEPTH_MAX} levels, so cycles too                   | refused                                                |
 *
 * The format's first implementation changes some of these in silence; what both accept has the same bytes in both.
 */
import { FixpointError } from '@fixpoint/protocol';
import { isLink } from '../codec/dag-cbor.ts';

/** Deepest nesting of a document; deeper ones could not be read back by every reader. */
export const DEPTH_MAX = 200;

/** Names in an error's text; the end of a path is what tells most. */
const TRAIL_SHOWN = 8;

/** Where in the document the check is, for the text of an error. */
type Trail = (string | number)[];

/**
 * A copy of the document (bytes and links are shared) that dag-cbor holds exactly.
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
      if (!Number.isFinite(value) || Object.is(value, -0))
        throw refusal(trail, `${Object.is(value, -0) ? '-0' : value} cannot be stored`);
      return value;
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

/** Plain in this realm or in another one, such as a frame or a sandbox. */
function isPlain(value: object): boolean {
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
