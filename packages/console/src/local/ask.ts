/** Questions to the databases of this browser, as texts of map functions. */
import type { BridgedDatabase } from 'fixpoint/bridge';
import type { Answer } from '../engine/asking.ts';
import { ask } from '../engine/open.ts';

export type { AnswerRow, QueryCost } from '../engine/answers.ts';
export type { Answer } from '../engine/asking.ts';

type Asked = Pick<BridgedDatabase, 'name'>;

/** All rows of a map function, in the order of their keys. @param head that of a past state; undefined for now @throws FixpointError MAP_FAILED */
export const askAll = (
  { name }: Asked,
  source: string,
  head: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Answer> => ask({ name, source, head, first: undefined }, signal);

/** The first rows, in the order of documents, without an index. @throws FixpointError MAP_FAILED */
export const askFirst = (
  { name }: Asked,
  source: string,
  first: number,
  signal: AbortSignal,
): Promise<Answer> => ask({ name, source, head: undefined, first }, signal);
