/** Queries local databases with the text of a map function. */
import type { BridgedDatabase } from 'fixpoint/bridge';
import type { RowSelection } from '../engine/answers.ts';
import type { Answer } from '../engine/asking.ts';
import { ask, createIndexes as createIn, summarize } from '../engine/page-engine.ts';
import type { Reduce } from '../engine/reduce-rows.ts';
import type { Summary } from '../engine/tasks.ts';

export type { AnswerRow, QueryCost, RowSelection } from '../engine/answers.ts';
export type { Answer } from '../engine/asking.ts';
export type { ChartData } from '../engine/chart-data.ts';
export type { FieldSummary, UnusualValue } from '../engine/field-summary.ts';
export type { Reduce, ReduceBy } from '../engine/reduce-rows.ts';
export type { Summary } from '../engine/tasks.ts';

type Asked = Pick<BridgedDatabase, 'name'>;

/**
 * Returns all rows of a map function, sorted by key.
 * @param head of a past version; undefined for the latest
 * @throws FixpointError MAP_FAILED
 */
export const askAll = (
  { name }: Asked,
  source: string,
  head: readonly string[] | undefined,
  signal: AbortSignal,
  { select, reduce }: { readonly select?: RowSelection; readonly reduce?: Reduce | undefined } = {},
): Promise<Answer> => ask({ name, source, head, first: undefined, select, reduce }, signal);

/** Returns the first rows in document order, without an index. @throws FixpointError MAP_FAILED */
export const askFirst = (
  { name }: Asked,
  source: string,
  first: number,
  signal: AbortSignal,
): Promise<Answer> => ask({ name, source, head: undefined, first }, signal);

/**
 * Summarizes the fields of all documents. `show` receives each step, and at last the whole.
 * @throws FixpointError; the reason of the signal
 */
export const summarizeFields = (
  { name }: Asked,
  show: (summary: Summary) => void,
  signal: AbortSignal,
): Promise<void> => summarize(name, show, signal);

/**
 * Creates indexes on this device, and resolves when they answer filters.
 * @throws FixpointError CONFIG_INVALID
 */
export const createIndexes = ({ name }: Asked, indexes: readonly (readonly string[])[]): Promise<void> =>
  createIn(name, indexes);
