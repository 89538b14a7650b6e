/** Stores the saved queries and views of a database as documents of a separate database. */
import { savedQueriesName } from '@fixpoint/protocol';
import type { Database } from 'fixpoint';
import { hasStorage, listChanged, openLocal } from './databases.ts';

export interface SavedQuery {
  readonly name: string;
  /** The text of the map function. */
  readonly source: string;
  /** Which rows the query returns, and how they are grouped. */
  readonly options?: unknown;
}

/** A saved view of the documents table. */
export interface SavedView {
  readonly name: string;
  /** The parameters of the table's address: filter, text, sort and columns. */
  readonly view: string;
}

export type StoredQuery = Partial<SavedQuery & SavedView> & { readonly _id: string };

/** Returns whether this is a view of the table, not a map function. */
export const isView = ({ view }: StoredQuery): boolean => typeof view === 'string';

/** Returns the path that opens a saved query or view. */
export function savedPath(
  query: StoredQuery,
  pages: { readonly all: string; readonly query: string },
): string {
  const id = encodeURIComponent(query._id);
  if (typeof query.view !== 'string') return `${pages.query}/${id}`;
  return `${pages.all}?view=${id}${query.view === '' ? '' : `&${query.view}`}`;
}

export const savedQueriesOf = (database: string): Database => openLocal(savedQueriesName(database));

/** Removes all saved queries of a database. @throws FixpointError */
export async function removeSavedQueries(database: string): Promise<void> {
  const name = savedQueriesName(database);
  if (await hasStorage(name)) await openLocal(name).destroy();
}

/** Returns the label of a query without a name; `number` counts from 1. */
const defaultLabel = (number: number): string => `Query ${number}`;

/** Returns the label of the query at this position of the list. */
export const labelOf = ({ name }: { readonly name?: unknown }, at: number): string =>
  typeof name === 'string' && name.trim() !== '' ? name : defaultLabel(at + 1);

/** Returns the label of a new query: the first free number above the number of queries. */
export function freeLabel(queries: readonly { readonly name?: unknown }[]): string {
  const taken = new Set(queries.map(labelOf));
  let number = queries.length + 1;
  while (taken.has(defaultLabel(number))) number += 1;
  return defaultLabel(number);
}

/** Saves a query; returns its id. @throws FixpointError */
export async function saveQuery(
  database: string,
  query: (SavedQuery | SavedView) & { readonly _id?: string },
): Promise<string> {
  const { id } = await savedQueriesOf(database).put({ ...query });
  listChanged();
  return id;
}
