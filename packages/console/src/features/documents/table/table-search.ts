/**
 * Encodes a table's view in the search part of its address, so that a link opens exactly this view.
 */
import type { FieldConditions, Where } from 'fixpoint';
import { fieldPath, type TextSearch } from 'fixpoint/rows';
import type { RowsQuery } from './live-rows.ts';

export type Test =
  | 'equals'
  | 'differs'
  | 'contains'
  | 'greater'
  | 'at-least'
  | 'less'
  | 'at-most'
  | 'exists'
  | 'missing';

/** Describes one condition as the user entered it. */
export interface Condition {
  readonly field: string;
  readonly test: Test;
  /** The typed text; empty for `exists` and `missing`. */
  readonly value: string;
}

export interface TableSearch {
  /** Text to find anywhere in the document. */
  readonly text: string;
  readonly conditions: readonly Condition[];
  readonly sort: string | undefined;
  readonly descending: boolean;
}

/**
 * Changes the search. `how` receives the latest requested search, because changes may follow each
 * other faster than the page renders.
 */
export type ChangeSearch = (how: (now: TableSearch) => TableSearch) => void;

export const TEST_LABELS: Readonly<Record<Test, string>> = {
  equals: 'is',
  differs: 'is not',
  contains: 'contains',
  greater: 'is greater than',
  'at-least': 'is at least',
  less: 'is less than',
  'at-most': 'is at most',
  exists: 'exists',
  missing: 'does not exist',
};

export const isWithoutValue = (test: Test): boolean => test === 'exists' || test === 'missing';

const isTest = (text: string): text is Test => Object.hasOwn(TEST_LABELS, text);

export function parseSearch(parameters: URLSearchParams): TableSearch {
  const conditions = parameters.getAll('where').flatMap((text): Condition[] => {
    const [field, test, value] = partsOf(text);
    return field !== undefined && test !== undefined && isTest(test)
      ? [{ field, test, value: value ?? '' }]
      : [];
  });
  const sort = parameters.get('sort') ?? undefined;
  return {
    text: parameters.get('find') ?? '',
    conditions,
    sort: sortedField(sort?.replace(/^-/, '')),
    descending: sort?.startsWith('-') === true,
  };
}

/** Matches field names to quote in `sort`: empty ones, and ones that start with `"` or `-`. */
const NEEDS_QUOTES = /^(["-]|$)/;
const sortText = (field: string): string => (NEEDS_QUOTES.test(field) ? JSON.stringify(field) : field);

function sortedField(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  const quoted = text.startsWith('"') ? typedValue(text) : text;
  return typeof quoted === 'string' ? quoted : text;
}

function partsOf(text: string): readonly (string | undefined)[] {
  try {
    const parts: unknown = JSON.parse(text);
    return Array.isArray(parts) ? parts.map((part) => (typeof part === 'string' ? part : undefined)) : [];
  } catch {
    return [];
  }
}

/** Returns the parameters of an address with this search; other parameters are unchanged. */
export function withSearch(parameters: URLSearchParams, search: TableSearch): URLSearchParams {
  const next = new URLSearchParams(parameters);
  for (const name of ['find', 'where', 'sort']) next.delete(name);
  if (search.text !== '') next.set('find', search.text);
  for (const { field, test, value } of search.conditions)
    next.append('where', JSON.stringify(isWithoutValue(test) ? [field, test] : [field, test, value]));
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
  const and = conditions.flatMap(whereOf);
  const [first] = and;
  const texts: TextSearch[] = conditions.flatMap(({ field, test, value }) =>
    test === 'contains' ? [{ text: value, field }] : [],
  );
  if (text.trim() !== '') texts.push({ text: text.trim() });
  return {
    where: and.length > 1 ? { and } : first,
    texts: texts.length > 0 ? texts : undefined,
    sort: sort === '_id' ? undefined : sort,
    descending,
  };
}

function whereOf({ field, test, value }: Condition): readonly Where[] {
  if (test === 'contains') return [];
  const typed = typedValue(value) as FieldConditions['gt'];
  return [{ [fieldPath(field)]: conditionsOf(test, typed) }];
}

function conditionsOf(test: Exclude<Test, 'contains'>, value: FieldConditions['gt']): FieldConditions {
  switch (test) {
    case 'equals':
      return { eq: value };
    case 'differs':
      return { ne: value, exists: true };
    case 'greater':
      return { gt: value };
    case 'at-least':
      return { gte: value };
    case 'less':
      return { lt: value };
    case 'at-most':
      return { lte: value };
    default:
      return { exists: test === 'exists' };
  }
}

/** Parses numbers, true, false, null and JSON; everything else is text. Quotes force text. */
export function typedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
