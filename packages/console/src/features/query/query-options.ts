/** Options of a query, as the user types them. */

import { readNote, writeNote } from '../../leaving/tab-note.ts';
import type { Reduce, ReduceBy, RowSelection } from '../../local/ask.ts';
import { typedProblem, typedValue } from '../../values/typed-value.ts';

export interface QueryOptionTexts {
  readonly key: string;
  readonly prefix: string;
  readonly from: string;
  readonly to: string;
  readonly limit: string;
  readonly descending: boolean;
  /** Empty: rows aren't reduced. */
  readonly reduce: ReduceBy | '';
  /** `all`, or a number of key parts. */
  readonly group: string;
}

export const NO_OPTIONS: QueryOptionTexts = {
  key: '',
  prefix: '',
  from: '',
  to: '',
  limit: '',
  descending: false,
  reduce: '',
  group: 'all',
};

export const REDUCE_LABELS: Readonly<Record<ReduceBy, string>> = {
  count: 'Count',
  sum: 'Sum',
  min: 'Minimum',
  max: 'Maximum',
  average: 'Average',
  histogram: 'Histogram',
};

export const GROUP_LABELS: ReadonlyMap<string, string> = new Map([
  ['all', 'Whole key'],
  ['1', 'First key part'],
  ['2', '2 key parts'],
  ['3', '3 key parts'],
  ['0', 'One group'],
]);

export const isPlain = (options: QueryOptionTexts): boolean =>
  JSON.stringify(options) === JSON.stringify(NO_OPTIONS);

/** Returns the options in one line, as in `Count, by 2 key parts, from ["a"]`. */
export function optionsText(options: QueryOptionTexts): string {
  const { reduce, group, key, prefix, from, to, limit, descending } = options;
  const parts = [
    reduce !== '' && REDUCE_LABELS[reduce],
    reduce !== '' && group !== 'all' && `by ${(GROUP_LABELS.get(group) ?? group).toLowerCase()}`,
    key.trim() !== '' && `key ${key.trim()}`,
    prefix.trim() !== '' && `prefix ${prefix.trim()}`,
    from.trim() !== '' && `from ${from.trim()}`,
    to.trim() !== '' && `to ${to.trim()}`,
    limit.trim() !== '' && `at most ${limit.trim()}`,
    descending && 'descending',
  ].filter((part) => part !== false);
  const text = parts.join(', ');
  return text === '' ? 'Rows, groups and order' : text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns saved options; unknown parts get their defaults. */
export function savedOptions(saved: unknown): QueryOptionTexts {
  if (typeof saved !== 'object' || saved === null) return NO_OPTIONS;
  const given = saved as Readonly<Record<string, unknown>>;
  const text = (name: 'key' | 'prefix' | 'from' | 'to' | 'limit') => {
    const value = given[name];
    return typeof value === 'string' ? value : '';
  };
  const { reduce, group, descending } = given;
  return {
    key: text('key'),
    prefix: text('prefix'),
    from: text('from'),
    to: text('to'),
    limit: text('limit'),
    descending: descending === true,
    reduce: typeof reduce === 'string' && isReduce(reduce) ? reduce : '',
    group: typeof group === 'string' && GROUP_LABELS.has(group) ? group : 'all',
  };
}

const isReduce = (text: string): text is ReduceBy => Object.hasOwn(REDUCE_LABELS, text);

export interface ParsedOptions {
  readonly select: RowSelection;
  readonly reduce: Reduce | undefined;
  /** The first mistake, and its field. */
  readonly problem: { readonly field: keyof QueryOptionTexts; readonly text: string } | undefined;
}

/** A key that sorts after all keys that a map function can emit. */
const LAST_KEY = { '\uffff': null };

const KEY_FIELDS = ['key', 'prefix', 'from', 'to'] as const;

export function parseOptions(options: QueryOptionTexts): ParsedOptions {
  const { key, prefix, from, to, limit, descending, reduce, group } = options;
  const count = limit.trim() === '' ? undefined : Number(limit.replaceAll(',', ''));
  const hasRange = from.trim() !== '' || to.trim() !== '';
  const selections = [key.trim() !== '', prefix.trim() !== '', hasRange].filter(Boolean).length;
  const texts = { key, prefix, from, to };
  const rounded = KEY_FIELDS.find((field) => typedProblem(texts[field].trim()) !== undefined);
  const isWrong = count !== undefined && (!Number.isSafeInteger(count) || count < 0);
  return {
    select: {
      ...(key.trim() !== '' && { key: typedValue(key.trim()) }),
      ...(prefix.trim() !== '' && { prefix: typedValue(prefix.trim()) }),
      ...(hasRange && {
        range: [
          from.trim() === '' ? null : typedValue(from.trim()),
          to.trim() === '' ? LAST_KEY : typedValue(to.trim()),
        ] as const,
      }),
      ...(count !== undefined && !isWrong && { limit: count }),
      ...(descending && { descending }),
    },
    reduce: reduce === '' ? undefined : { how: reduce, group: group === 'all' ? 'all' : Number(group) },
    problem: isWrong
      ? { field: 'limit', text: 'Enter a whole number.' }
      : selections > 1
        ? { field: 'key', text: 'Use only one of key, prefix and range.' }
        : rounded && { field: rounded, text: typedProblem(texts[rounded].trim()) ?? '' },
  };
}

const draftKey = (database: string, queryId: string | undefined): string =>
  `fixpoint:query:${JSON.stringify([database, queryId ?? null, 'options'])}`;

/** Returns the options of this tab that aren't saved. */
export function readOptionsDraft(
  database: string,
  queryId: string | undefined,
): QueryOptionTexts | undefined {
  const text = readNote(draftKey(database, queryId));
  if (text === undefined) return undefined;
  try {
    return savedOptions(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export const writeOptionsDraft = (
  database: string,
  queryId: string | undefined,
  options: QueryOptionTexts | undefined,
): void =>
  writeNote(draftKey(database, queryId), options === undefined ? undefined : JSON.stringify(options));
