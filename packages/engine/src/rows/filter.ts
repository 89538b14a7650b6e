/** Conditions on a document, as data: they can be saved, sent to a worker, and shown. */

import { FixpointError } from '@fixpoint/protocol';
import { append } from '../base/append.ts';
import { isLink } from '../codec/link.ts';
import type { LiveDoc } from '../documents/decode-fields.ts';
import { encodeKey } from '../index/key-order.ts';

/** How a field is compared. */
export type Comparison = 'equals' | 'differs' | 'less' | 'at-most' | 'greater' | 'at-least';

/** Selects documents by conditions as data, which can be saved, shown, and sent to a worker. */
export type Filter =
  /**
   * Matches documents that contain the text, ignoring case. Searches the id and the values of all
   * fields, including names nested in the values; with `field`, searches only this field. Names of
   * top-level fields don't count, because most documents share them.
   */
  | { readonly contains: string; readonly field?: string | undefined }
  /**
   * Compares the field with the value, in the key order of an index. Documents without the field
   * never match.
   */
  | { readonly field: string; readonly is: Comparison; readonly value: unknown }
  | { readonly field: string; readonly exists: boolean }
  | { readonly every: readonly Filter[] }
  | { readonly some: readonly Filter[] }
  | { readonly not: Filter };

/** Maximum nesting of filters; deeper ones could overflow the stack. */
const DEPTH_MAX = 100;

export type Matches = (doc: LiveDoc) => boolean;

/**
 * Returns the fields that a filter reads; undefined when it reads whole documents.
 * @throws FixpointError QUERY_INVALID
 */
export function fieldsOf(filter: Filter, depth = 0): readonly string[] | undefined {
  requireShallow(depth);
  if ('every' in filter) return fieldsOfAll(filter.every, depth + 1);
  if ('some' in filter) return fieldsOfAll(filter.some, depth + 1);
  if ('not' in filter) return fieldsOf(filter.not, depth + 1);
  return filter.field === undefined ? undefined : [filter.field];
}

function requireShallow(depth: number): void {
  if (depth > DEPTH_MAX) throw new FixpointError('QUERY_INVALID', `a filter nested deeper than ${DEPTH_MAX}`);
}

function fieldsOfAll(filters: readonly Filter[], depth: number): readonly string[] | undefined {
  const fields: string[] = [];
  for (const filter of filters) {
    const own = fieldsOf(filter, depth);
    if (own === undefined) return undefined;
    append(fields, own);
  }
  return fields;
}

/** @throws FixpointError QUERY_INVALID */
export function matcherOf(filter: Filter, depth = 0): Matches {
  requireShallow(depth);
  if ('contains' in filter) return containing(filter.contains.toLowerCase(), filter.field);
  if ('exists' in filter) return (doc) => Object.hasOwn(doc, filter.field) === filter.exists;
  if ('is' in filter) return comparing(filter.field, filter.is, keyOf(filter.value));
  if ('not' in filter) {
    const matches = matcherOf(filter.not, depth + 1);
    return (doc) => !matches(doc);
  }
  if ('every' in filter) {
    const all = filter.every.map((one) => matcherOf(one, depth + 1));
    return (doc) => all.every((matches) => matches(doc));
  }
  if ('some' in filter) {
    const all = filter.some.map((one) => matcherOf(one, depth + 1));
    return (doc) => all.some((matches) => matches(doc));
  }
  throw new FixpointError('QUERY_INVALID', 'not a filter');
}

const RESULTS: Readonly<Record<Comparison, (order: number) => boolean>> = {
  equals: (order) => order === 0,
  differs: (order) => order !== 0,
  less: (order) => order < 0,
  'at-most': (order) => order <= 0,
  greater: (order) => order > 0,
  'at-least': (order) => order >= 0,
};

function comparing(field: string, is: Comparison, key: string): Matches {
  const holds = Object.hasOwn(RESULTS, is) ? RESULTS[is] : undefined;
  if (holds === undefined) throw new FixpointError('QUERY_INVALID', 'not a comparison');
  return (doc) => {
    if (!Object.hasOwn(doc, field)) return false;
    const own = orderKeyOf(doc[field]);
    return holds(own < key ? -1 : own === key ? 0 : 1);
  };
}

/**
 * Returns a text for a value. These texts sort in the same order as the values. Values too deep for
 * a key sort after all objects.
 */
export function orderKeyOf(value: unknown): string {
  try {
    return encodeKey(value);
  } catch {
    return 'M\uffff';
  }
}

function keyOf(value: unknown): string {
  try {
    return encodeKey(value);
  } catch (cause) {
    throw new FixpointError('QUERY_INVALID', 'the value has no order', { cause });
  }
}

function containing(text: string, field: string | undefined): Matches {
  if (field === undefined) return (doc) => Object.values(doc).some((value) => holdsText(value, text));
  return (doc) => Object.hasOwn(doc, field) && holdsText(doc[field], text);
}

function holdsText(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(text);
  if (typeof value !== 'object' || value === null) return String(value).includes(text);
  if (value instanceof Uint8Array) return false;
  if (isLink(value)) return String(value).includes(text);
  if (Array.isArray(value)) return value.some((part) => holdsText(part, text));
  return Object.entries(value).some(
    ([name, part]) => name.toLowerCase().includes(text) || holdsText(part, text),
  );
}
