/**
 * Keeps query answers in the worker that computed them: a page receives the row count, and the
 * texts of the rows it shows.
 */
import { type ErrorCode, isFixpointError } from '@fixpoint/protocol';
import type { Database, Head, QueryOptions, QueryRow } from 'fixpoint';
import type { Rows } from 'fixpoint/rows';
import { cellText } from '../values/cell-text.ts';
import { toPlain } from '../values/plain-json.ts';
import { type ChartData, chartOf } from './chart-data.ts';
import type { MapWork } from './counted-sandbox.ts';
import { type Reduce, reducedRows } from './reduce-rows.ts';

/** A row as a table shows it. */
export interface AnswerRow {
  readonly at: number;
  readonly key: string;
  readonly value: string;
  readonly id: string;
}

/** The cost of a query: reading the documents that its index didn't include yet. */
export interface QueryCost {
  /**
   * Number of documents that the map function read to update the index; 0 when the index was up to
   * date.
   */
  readonly documents: number;
  /** Milliseconds that the map function took for these documents. */
  readonly mapMs: number;
}

export interface Question {
  /** The name of the database. */
  readonly name: string;
  /** The text of the map function. */
  readonly source: string;
  /** The head of a past version; undefined for the latest. */
  readonly head: readonly string[] | undefined;
  /** Returns only the first N rows, in document order, without an index. */
  readonly first: number | undefined;
  /** Which rows, in which order. With `reduce`, `limit` is the number of groups. */
  readonly select?: RowSelection | undefined;
  readonly reduce?: Reduce | undefined;
}

/** Options of a query that select rows. */
export type RowSelection = Pick<QueryOptions, 'key' | 'range' | 'prefix' | 'limit' | 'descending'>;

export interface Found {
  readonly count: number;
  /** Absent when only the first rows were requested. */
  readonly cost: QueryCost | undefined;
  /** The rows to show first. */
  readonly rows: readonly AnswerRow[];
  /** Number of rows before they were reduced to groups; absent without `reduce`. */
  readonly reduced?: number | undefined;
}

/** Messages to the worker. `answer` is a number that the page assigns to a question. */
export type ToAnswers =
  | { readonly do: 'ask'; readonly id: number; readonly answer: number; readonly question: Question }
  | {
      readonly do: 'rows';
      readonly id: number;
      readonly answer: number;
      readonly from: number;
      readonly to: number;
    }
  /** Requests all rows as JSON. */
  | { readonly do: 'json'; readonly id: number; readonly answer: number }
  /** Requests the numbers of the rows, for a chart. */
  | { readonly do: 'chart'; readonly id: number; readonly answer: number }
  | { readonly do: 'drop'; readonly answer: number };

export type FromAnswers = { readonly id: number } & (
  | { readonly value: Found | readonly AnswerRow[] | ChartData | string }
  | { readonly failed: { readonly code: ErrorCode | undefined; readonly message: string } }
);

export interface AnswersParts {
  readonly databaseOf: (name: string) => Pick<Database, 'at' | 'query'>;
  readonly rowsOf: (name: string) => Pick<Rows, 'map'>;
  /** Registers a listener for runs of map functions. Returns a function that removes it. */
  readonly onMapWork: (listener: (work: MapWork) => void) => () => void;
}

type Row = Pick<QueryRow, 'key' | 'value' | 'id'>;

interface Kept {
  readonly ending: AbortController;
  readonly question: Question;
  rows: readonly Row[];
}

interface Outcome {
  readonly rows: readonly Row[];
  readonly cost: QueryCost | undefined;
  readonly reduced?: number;
}

/** Number of rows that are sent with an answer. A table shows fewer rows at once. */
const FIRST_ROWS = 100;

export function serveAnswers(port: MessagePort, parts: AnswersParts): void {
  const kept = new Map<number, Kept>();

  async function ask(answer: number, question: Question): Promise<Found> {
    const own: Kept = { ending: new AbortController(), question, rows: [] };
    kept.set(answer, own);
    const { signal } = own.ending;
    const { rows, ...facts } = await found(parts, question, signal).catch((cause: unknown) => {
      kept.delete(answer);
      throw cause;
    });
    if (!signal.aborted) own.rows = rows;
    return { ...facts, count: rows.length, rows: shown(rows, 0, FIRST_ROWS) };
  }

  const rowsOf = (answer: number) => kept.get(answer)?.rows ?? [];

  function handle(message: Exclude<ToAnswers, { do: 'drop' }>) {
    switch (message.do) {
      case 'ask':
        return ask(message.answer, message.question);
      case 'rows':
        return shown(rowsOf(message.answer), message.from, message.to);
      case 'json':
        return asJson(rowsOf(message.answer));
      case 'chart':
        return chartOf(chartedRows(kept.get(message.answer)));
    }
  }

  async function answered(message: Exclude<ToAnswers, { do: 'drop' }>): Promise<FromAnswers> {
    const { id } = message;
    try {
      return { id, value: await handle(message) };
    } catch (error) {
      return {
        id,
        failed: { code: isFixpointError(error) ? error.code : undefined, message: textOf(error) },
      };
    }
  }

  port.onmessage = ({ data }: MessageEvent<ToAnswers>) => {
    if (data.do !== 'drop') return void answered(data).then((message) => port.postMessage(message));
    kept.get(data.answer)?.ending.abort();
    kept.delete(data.answer);
  };
}

const found = async (parts: AnswersParts, question: Question, signal: AbortSignal): Promise<Outcome> =>
  question.first === undefined
    ? asked(parts, question)
    : { rows: await firstRows(parts, question, question.first, signal), cost: undefined };

/**
 * Returns the map function with a line break after its source. Costs are counted by source, so runs
 * of the preview aren't counted as a cost of the query.
 */
export const previewOf = (source: string) => ({ source: `${source}\n` });

/** Returns all rows, sorted by key, and their cost. @throws FixpointError MAP_FAILED */
async function asked(
  { databaseOf, onMapWork }: AnswersParts,
  { name, source, head, select = {}, reduce }: Question,
): Promise<Outcome> {
  let [documents, mapMs] = [0, 0];
  const stop = onMapWork((work) => {
    if (work.source !== source) return;
    documents += work.documents;
    mapMs += work.tookMs;
  });
  try {
    const database = databaseOf(name);
    const view = head === undefined ? database : database.at([...head].sort() as unknown as Head);
    const { limit, ...selected } = select;
    const { rows } = await view.query(
      { source },
      { ...(reduce === undefined ? select : selected), includeDocs: false },
    );
    const cost = { documents, mapMs };
    if (reduce === undefined) return { rows, cost };
    return { rows: (await reducedRows(rows, reduce, rest)).slice(0, limit), cost, reduced: rows.length };
  } finally {
    stop();
  }
}

/** Only sums and counts of parts are parts of a whole. */
function chartedRows(kept: Kept | undefined): Parameters<typeof chartOf>[0] {
  const how = kept?.question.reduce?.how;
  return {
    rows: kept?.rows ?? [],
    isReduced: how !== undefined,
    canStack: how === 'count' || how === 'sum',
  };
}

/** Lets other messages run. */
const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Returns the first rows. @throws FixpointError MAP_FAILED; the reason of the signal */
async function firstRows(
  { rowsOf }: AnswersParts,
  { name, source }: Question,
  limit: number,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const part of rowsOf(name).map(previewOf(source), { limit, signal }))
    for (const row of part) rows.push(row);
  return rows;
}

const shown = (rows: readonly Row[], from: number, to: number): readonly AnswerRow[] =>
  rows
    .slice(from, to)
    .map(({ key, value, id }, n) => ({ at: from + n, key: cellText(key), value: cellText(value), id }));

const asJson = (rows: readonly Row[]): string =>
  JSON.stringify(
    rows.map(({ key, value, id }) => ({ key: toPlain(key), value: toPlain(value), id })),
    undefined,
    2,
  );

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
