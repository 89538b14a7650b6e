/**
 * Encodes a table's view in the search part of its address, so that a link opens exactly this view.
 */
import { typedValue } from '../../../values/typed-value.ts';
import { type Filter, whereOf } from '../../filter/filter.ts';
import { filterIn, setFilter } from '../../filter/filter-address.ts';
import type { RowsQuery } from './live-rows.ts';

export interface TableSearch {
  /** Text to find anywhere in the document. */
  readonly text: string;
  /** Filters that must all hold. */
  readonly conditions: readonly Filter[];
  /** The filter of the address, if it can't be read. */
  readonly malformed?: string | undefined;
  readonly sort: string | undefined;
  readonly descending: boolean;
}

/**
 * Changes the search. `how` receives the latest requested search, because changes may follow each
 * other faster than the page renders.
 */
export type ChangeSearch = (how: (now: TableSearch) => TableSearch) => void;

export function parseSearch(parameters: URLSearchParams): TableSearch {
  const { parts, malformed } = filterIn(parameters);
  const sort = parameters.get('sort') ?? undefined;
  return {
    text: parameters.get('find') ?? '',
    conditions: parts,
    ...(malformed !== undefined && { malformed }),
    sort: sortedField(sort?.replace(/^-/, '')),
    descending: sort?.startsWith('-') === true,
  };
}

/** Returns the search with another filter. */
export const withFilter = (search: TableSearch, conditions: readonly Filter[]): TableSearch => {
  const { malformed: _, ...others } = search;
  return { ...others, conditions };
};

/** Returns whether the search shows only some documents. */
export const isFiltering = ({ text, conditions }: TableSearch): boolean =>
  text !== '' || conditions.length > 0;

/** Matches field names to quote in `sort`: empty ones, and ones that start with `"` or `-`. */
const NEEDS_QUOTES = /^(["-]|$)/;
const sortText = (field: string): string => (NEEDS_QUOTES.test(field) ? JSON.stringify(field) : field);

function sortedField(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  const quoted = text.startsWith('"') ? typedValue(text) : text;
  return typeof quoted === 'string' ? quoted : text;
}

/** Returns the parameters of an address with this search; other parameters are unchanged. */
export function withSearch(parameters: URLSearchParams, search: TableSearch): URLSearchParams {
  const next = new URLSearchParams(parameters);
  for (const name of ['find', 'sort']) next.delete(name);
  if (search.text !== '') next.set('find', search.text);
  setFilter(next, search.conditions, search.malformed);
  if (search.sort !== undefined) next.set('sort', `${search.descending ? '-' : ''}${sortText(search.sort)}`);
  return next;
}

/** Returns the search after a click on a heading: ascending, then descending, then unsorted. */
export function sortedBy(search: TableSearch, field: string): TableSearch {
  if (search.sort !== field) return { ...search, sort: field, descending: false };
  if (!search.descending) return { ...search, descending: true };
  return { ...search, sort: undefined, descending: false };
}

export function rowsQueryOf({ text, conditions, sort, descending }: TableSearch): RowsQuery {
  const and = conditions.map(whereOf);
  const [first] = and;
  return {
    where: and.length > 1 ? { and } : first,
    texts: text.trim() === '' ? undefined : [{ text: text.trim() }],
    sort: sort === '_id' ? undefined : sort,
    descending,
  };
}
