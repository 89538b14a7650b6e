/** Encodes the values of rows as bytes, so that each reader gets a separate copy. */
import { FixpointError } from '@fixpoint/protocol';
import { decode, encode, isLink } from '../codec/dag-cbor.ts';
import type { Value } from '../prolly/node.ts';

const DEPTH_MAX = 200;

/**
 * Encodes a value. Encodes a falsy value (0, '', false, NaN) as null, as every index of this format
 * does.
 * @throws FixpointError MAP_FAILED
 */
export function encodeValue(value: unknown): Value {
  if (!value) return null;
  try {
    return encode(value);
  } catch {
    return encode(storable(value, 0) ?? null);
  }
}

export const decodeValue = (value: Value): unknown => (value === null ? null : decode(value));

/** Converts the value as JSON would, but keeps bytes, links and big integers. */
function storable(value: unknown, depth: number): unknown {
  if (depth > DEPTH_MAX) throw new FixpointError('MAP_FAILED', `a value is nested deeper than ${DEPTH_MAX}`);
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'function':
    case 'symbol':
      return undefined;
    case 'object':
      return value === null ? null : storableObject(value, depth + 1);
    default:
      return value;
  }
}

function storableObject(value: object, depth: number): unknown {
  if (value instanceof Uint8Array || isLink(value)) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map((part) => storable(part, depth) ?? null);
  const parts = Object.entries(value).map(([name, part]) => [name, storable(part, depth)] as const);
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined));
}
