/**
 * Checks of what clients send. They never copy an object field by field, so no field is lost and
 * none can reach a prototype.
 */
import { FixpointError } from '@fixpoint/protocol';

export type Fields = Readonly<Record<string, unknown>>;

export const LIMIT_DEFAULT = 100;
export const LIMIT_MAX = 1000;

const refusal = (detail: string) => new FixpointError('REQUEST_INVALID', detail);

/** @throws FixpointError REQUEST_INVALID for anything but an object */
export function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusal(`${what} is not an object`);
  return value as Fields;
}

/** @throws FixpointError REQUEST_INVALID for fields that would be ignored */
export function allowOnly(value: Fields, names: readonly string[], what: string): void {
  for (const name of Object.keys(value))
    if (!names.includes(name)) throw refusal(`${name} is not a field of ${what}`);
}

/** Returns an own field, never an inherited one. */
export const fieldOf = (value: Fields, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;

/** @throws FixpointError REQUEST_INVALID */
export function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw refusal(`${what} is not a text`);
  return value;
}

/** @throws FixpointError REQUEST_INVALID for anything but a whole number from 1 to 1000 */
export function limitOf(value: unknown): number {
  if (value === undefined) return LIMIT_DEFAULT;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > LIMIT_MAX)
    throw refusal(`limit is not a whole number from 1 to ${LIMIT_MAX}`);
  return value;
}
