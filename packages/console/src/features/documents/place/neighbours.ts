/** Finds the documents before and after a document, in the order and filter of the table. */
import type { Rows } from 'fixpoint/rows';
import type { RowsQuery } from '../table/live-rows.ts';

export interface Neighbours {
  readonly previous: string | undefined;
  readonly next: string | undefined;
  /** The position among all documents of the table, from 1; undefined if it isn't known. */
  readonly at: number | undefined;
  readonly count: number | undefined;
}

type Source = Pick<Rows, 'window' | 'find' | 'count'>;

/**
 * Returns undefined if the document isn't among the documents of the table.
 * @throws FixpointError; the reason of the signal
 */
export function neighboursOf(
  rows: Source,
  query: RowsQuery,
  id: string,
  signal: AbortSignal,
): Promise<Neighbours | undefined> {
  const { where, texts, sort, descending } = query;
  const isFound = where !== undefined || texts !== undefined || sort !== undefined;
  return isFound ? foundNeighbours(rows, query, id, signal) : neighboursById(rows, id, descending);
}

async function neighboursById(
  rows: Source,
  id: string,
  descending: boolean,
): Promise<Neighbours | undefined> {
  const beside = async (isDescending: boolean) =>
    rows.window({ after: id, limit: 1, fields: [], ...(isDescending && { descending: true }) });
  const [after, before, own] = await Promise.all([
    beside(descending),
    beside(!descending),
    rows.window({ ids: [id], limit: 1, fields: [] }),
  ]);
  if (own.rows.length === 0) return undefined;
  const [next, previous] = [after.rows[0]?.id, before.rows[0]?.id];
  const count = after.total ?? before.total;
  // The position of the next document, counted from 0, is that of this one, counted from 1.
  const at = next === undefined ? count : after.at;
  return { previous, next, at, count };
}

async function foundNeighbours(
  rows: Source,
  { where, texts, sort, descending }: RowsQuery,
  id: string,
  signal: AbortSignal,
): Promise<Neighbours | undefined> {
  let previous: string | undefined;
  let last: string | undefined;
  let next: string | undefined;
  let at: number | undefined;
  let count = 0;
  for await (const part of rows.find({ where, texts, sort, descending, signal }))
    for (const one of part) {
      count += 1;
      if (one === id) [previous, at] = [last, count];
      else if (last === id) next = one;
      last = one;
    }
  return at === undefined ? undefined : { previous, next, at, count };
}
