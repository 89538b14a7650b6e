/** Queries local databases with the text of a map function. */
import type { BridgedDatabase } from 'fixpoint/bridge';
import type { Answer } from '../engine/asking.ts';
import { ask } from '../engine/page-engine.ts';

export type { AnswerRow, QueryCost } from '../engine/answers.ts';
export type { Answer } from '../engine/asking.ts';

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
): Promise<Answer> => ask({ name, source, head, first: undefined }, signal);

/** Returns the first rows in document order, without an index. @throws FixpointError MAP_FAILED */
export const askFirst = (
  { name }: Asked,
  source: string,
  first: number,
  signal: AbortSignal,
): Promise<Answer> => ask({ name, source, head: undefined, first }, signal);
