/**
 * What a document may hold, checked before it is encoded. A value comes back as it went in, or the write is refused: where the sync
 * format's first implementation would change a value in silence (a Map, a class instance, NaN, a lone surrogate), this one throws.
 * What every JSON user expects stays: a property that is undefined is dropped, a Date becomes its ISO text.
 */
import { FixpointError } from '@fixpoint/protocol';
import { isLink } from '../codec/dag-cbor.ts';

/** Deepest nesting of a document; deeper ones could not be read back by every reader. */
export const DEPTH_MAX = 200;

const refuse = (path: string, why: string): never => {
  throw new FixpointError('DOC_INVALID', `${path || 'document'}: ${why}`);
};

/** A copy of the document that dag-cbor holds exactly. @throws FixpointError DOC_INVALID */
export function sanitise(doc: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof doc !== 'object' || doc === null || Array.isArray(doc)) refuse('', 'is not an object');
  return sanitiseMap(doc, '', 0);
}

function sanitiseMap(
  map: Readonly<Record<string, unknown>>,
  path: string,
  depth: number,
): Record<string, unknown> {
  if (depth > DEPTH_MAX) refuse(path, `nested deeper than ${DEPTH_MAX}`);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    checkText(key, path);
    const clean = sanitiseValue(value, path === '' ? key : `${path}.${key}`, depth);
    // Decoders of the sync format would set a prototype with it, and lose the value.
    if (key === '__proto__') refuse(path, 'the name __proto__ cannot be stored');
    copy[key] = clean;
  }
  return copy;
}

function sanitiseValue(value: unknown, path: string, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      checkText(value, path);
      return value;
    case 'number':
      if (!Number.isFinite(value)) refuse(path, `${value} cannot be stored`);
      if (Object.is(value, -0)) refuse(path, '-0 cannot be stored');
      return value;
    case 'boolean':
      return value;
    case 'bigint':
      if (value > 0xffffffffffffffffn || value < -0x10000000000000000n)
        refuse(path, 'integers have at most 64 bits');
      return value;
    case 'object':
      return value === null ? null : sanitiseObject(value, path, depth);
    default:
      return refuse(path, `a ${typeof value} cannot be stored`);
  }
}

function sanitiseObject(value: object, path: string, depth: number): unknown {
  if (isLink(value)) return value;
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? refuse(path, 'Invalid time value') : value.toISOString();
  if (Array.isArray(value)) {
    if (depth > DEPTH_MAX) refuse(path, `nested deeper than ${DEPTH_MAX}`);
    return Array.from(value, (item, at) => sanitiseValue(item, `${path}[${at}]`, depth + 1));
  }
  const prototype = Object.getPrototypeOf(value);
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!plain) refuse(path, `a ${value.constructor?.name ?? 'class instance'} cannot be stored`);
  return sanitiseMap(value as Record<string, unknown>, path, depth + 1);
}

function checkText(text: string, path: string): void {
  if (/[\uD800-\uDFFF]/.test(text) && hasLoneSurrogate(text))
    refuse(path, 'a lone surrogate cannot be stored');
}

function hasLoneSurrogate(text: string): boolean {
  return /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}
