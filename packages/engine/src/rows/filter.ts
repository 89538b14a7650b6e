/** Conditions on a document, as data: they can be kept, sent to a worker, and shown. */
import { FixpointError } from '@fixpoint/protocol';
import { isLink } from '../codec/link.ts';
import { encodeKey } from '../index/key-order.ts';
import type { LiveDoc } from './read-batch.ts';

/** How a field is compared. */
export type Comparison = 'equals' | 'differs' | 'less' | 'at-most' | 'greater' | 'at-least';

/** Which documents: conditions as data, so that they can be saved, shown, and sent to a worker. */
export type Filter =
  /** The text stands somewhere in the document, whatever the case: in its id, or in what a field holds, names within that included; with `field`, in this field. The names of its fields do not count, since most documents have them in common. */
  | { readonly contains: string; readonly field?: string | undefined }
  /** The field compares so with the value, in the order of keys of an index; no document without the field does. */
  | { readonly field: string; readonly is: Comparison; readonly value: unknown }
  | { readonly field: string; readonly exists: boolean }
  | { readonly every: readonly Filter[] }
  | { readonly some: readonly Filter[] }
  | { readonly not: Filter };

export type Matches = (doc: LiveDoc) => boolean;

/** The fields that a filter looks at; undefined when it looks at whole documents. */
export function fieldsOf(filter: Filter): readonly string[] | undefined {
  if ('every' in filter) return fieldsOfAll(filter.every);
  if ('some' in filter) return fieldsOfAll(filter.some);
  if ('not' in filter) return fieldsOf(filter.not);
  return filter.field === undefined ? undefined : [filter.field];
}

function fieldsOfAll(filters: readonly Filter[]): readonly string[] | undefined {
  const fields: string[] = [];
  for (const filter of filters) {
    const own = fieldsOf(filter);
    if (own === undefined) return undefined;
    fields.push(...own);
  }
  return fields;
}

/** @throws FixpointError QUERY_INVALID */
export function matcherOf(filter: Filter): Matches {
  if ('contains' in filter) return containing(filter.contains.toLowerCase(), filter.field);
  if ('exists' in filter) return (doc) => Object.hasOwn(doc, filter.field) === filter.exists;
  if ('is' in filter) return comparing(filter.field, filter.is, keyOf(filter.value));
  if ('not' in filter) {
    const matches = matcherOf(filter.not);
    return (doc) => !matches(doc);
  }
  if ('every' in filter) {
    const all = filter.every.map(matcherOf);
    return (doc) => all.every((matches) => matches(doc));
  }
  if ('some' in filter) {
    const all = filter.some.map(matcherOf);
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

/** The value as a text that sorts as values do. What is too deep for a key comes after all objects. */
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
    throw new FixpointError('QUERY_INVALID', 'what is asked for has no order', { cause });
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
