/**
 * Checks options at run time, because types alone don't protect against callers in JavaScript and
 * values from JSON.
 */
import { FixpointError } from '@fixpoint/protocol';

const refusal = (detail: string) => new FixpointError('QUERY_INVALID', detail);

/** @throws FixpointError QUERY_INVALID */
export function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) throw refusal('options are not an object');
}

/** Accepts undefined, which means that the option isn't set. @throws FixpointError QUERY_INVALID */
export function checkOnProgress({ onProgress }: { readonly onProgress?: unknown }): void {
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw refusal('onProgress is not a function');
}

/** Returns whether a value is a non-negative integer, or Infinity for no limit. */
export const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Math.floor(value) === value && value >= 0;

/** Accepts undefined, which means that the option isn't set. @throws FixpointError QUERY_INVALID */
export function checkCount(name: string, count: unknown): void {
  if (count !== undefined && !isCount(count)) throw refusal(`${name} is ${String(count)}`);
}

/** @throws FixpointError QUERY_INVALID */
export function checkLimit(options: { readonly limit?: number | undefined }): void {
  checkOptions(options);
  checkCount('limit', options.limit);
}

/** @throws FixpointError QUERY_INVALID */
export function checkBounds({ range, keys }: { readonly range?: unknown; readonly keys?: unknown }): void {
  if (range !== undefined && !(Array.isArray(range) && range.length === 2))
    throw refusal('range is not [from, to]');
  if (keys !== undefined && !Array.isArray(keys)) throw refusal('keys is not an array');
}

/**
 * Checks bounds of ids, which are texts.
 * @throws FixpointError QUERY_INVALID
 */
export function checkIdBounds(options: {
  readonly range?: readonly unknown[] | undefined;
  readonly keys?: unknown;
  readonly prefix?: unknown;
}): void {
  checkBounds(options);
  for (const text of [options.prefix ?? '', ...(options.range ?? [])])
    if (typeof text !== 'string') throw refusal('prefix and range of ids are texts');
}
