/** Decides how documents are found: by which indexes, or by reading the documents. */
import type { FieldPath } from '../documents/field-path.ts';
import { type DeclaredIndex, MISSING_KEY, type TextIndex } from '../index/declared.ts';
import { afterAll, type Bounds, boundsOfTextPrefix, decodeKey } from '../index/key-order.ts';
import { ALL_KEYS, intersection, type KeyRanges, only, union } from '../index/key-ranges.ts';
import type { PathTest, Test } from './where.ts';

export interface SortField {
  readonly path: FieldPath;
  readonly isDescending: boolean;
}

/** Which part of an index is read. */
export interface IndexPart {
  readonly index: DeclaredIndex;
  /** Ranges of keys of the index, in ascending order. */
  readonly ranges: KeyRanges;
  /** Tests that all documents in the ranges pass. */
  readonly proves: ReadonlySet<Test>;
  /** Number of the first fields of the index that have only one possible value. */
  readonly fixed: number;
  /** The keys of these fields, with which each key in the ranges starts. */
  readonly fixedKey: string;
  readonly score: number;
}

interface Outcome {
  /** Test that found documents still have to pass; undefined if there is none. */
  readonly rest: Test | undefined;
  /** Whether documents are found in the wanted order. */
  readonly isSorted: boolean;
}
export type Plan =
  | (Outcome & { readonly kind: 'index'; readonly part: IndexPart })
  | (Outcome & { readonly kind: 'union'; readonly parts: readonly IndexPart[] })
  | (Outcome & { readonly kind: 'ids'; readonly ids: readonly string[] })
  | (Outcome & { readonly kind: 'scan'; readonly prefix: string });

export interface Wanted {
  readonly test: Test;
  /** Without sort fields, the order is by id. */
  readonly sort: readonly SortField[];
  readonly isLimited: boolean;
  /** True if the values of the sort fields are wanted, but not their order. */
  readonly isUnordered?: boolean;
}

/** Maximum number of ranges that are read of one index. */
const RANGES_MAX = 1000;
/** Scores of a field with single values, of a field with a range, and of the order. */
const SCORE = { points: 4, range: 2, order: 1 };

/** Returns the test that the documents found by a search for words still have to pass. */
export function restOfSearch(test: Test, index: TextIndex): Test | undefined {
  const tests = conjunctionOf(test);
  return restOf(tests, provenBy(index, tests));
}

/** Returns the full-text index that answers a search; undefined if none contains its documents. */
export const textIndexFor = (test: Test, texts: readonly TextIndex[]): TextIndex | undefined =>
  containing(texts, conjunctionOf(test))[0];

export function planOf(wanted: Wanted, declared: readonly DeclaredIndex[]): Plan {
  const plan = planOfOrdered(wanted, declared);
  if (wanted.isUnordered !== true) return plan;
  const covering = plan.kind === 'scan' ? coveringPlan(wanted, declared) : undefined;
  return { ...(covering ?? plan), isSorted: true };
}

/** Plans the use of an index that has all sort fields, and contains only documents that match. */
function coveringPlan({ test, sort }: Wanted, declared: readonly DeclaredIndex[]): Plan | undefined {
  const tests = conjunctionOf(test);
  const texts = sort.map(({ path }) => path.text);
  for (const index of containing(declared, tests)) {
    const has = new Set(index.fields.filter(({ isMulti }) => !isMulti).map(({ text }) => text));
    const proves = provenBy(index, tests);
    const covers = has.size === index.fields.length && texts.every((text) => has.has(text));
    if (!covers || restOf(tests, proves) !== undefined) continue;
    return planOfPart({ index, ranges: ALL_KEYS, proves, fixed: 0, fixedKey: '', score: 0 }, tests, sort);
  }
  return undefined;
}

function planOfOrdered({ test, sort, isLimited }: Wanted, declared: readonly DeclaredIndex[]): Plan {
  const tests = conjunctionOf(test);
  const ids = idsOf(tests);
  if (ids !== undefined) return { kind: 'ids', ids, rest: restOf(tests), isSorted: false };
  const indexes = containing(declared, tests);
  const best = bestPart(tests, sort, indexes);
  if (best !== undefined && best.score > SCORE.order) return planOfPart(best, tests, sort);
  const several = unionOf(tests, indexes);
  if (several !== undefined) return several;
  // An index that only has the wanted order helps if it makes reading all documents unnecessary.
  const readsAll = best !== undefined && restOf(tests, best.proves) === undefined;
  if (best !== undefined && (isLimited || readsAll)) return planOfPart(best, tests, sort);
  const prefixed = prefixTestOf(tests);
  return {
    kind: 'scan',
    prefix: prefixed?.prefix ?? '',
    rest: restOf(tests, provenBy({ prefix: prefixed?.prefix ?? '' }, tests)),
    isSorted: sort.every(({ path }) => path.text === '_id'),
  };
}

/** Returns the test that all ids start with a text, if there is one. */
const prefixTestOf = (tests: readonly Test[]): PathTest | undefined =>
  tests.find(
    (test): test is PathTest =>
      test.kind === 'path' && test.path.text === '_id' && test.prefix !== undefined && test.prefix !== '',
  );

/** Returns the test that all documents with this prefix pass, if they pass one. */
function provenBy({ prefix }: { readonly prefix: string }, tests: readonly Test[]): ReadonlySet<Test> {
  const test = prefixTestOf(tests);
  if (test === undefined || prefix !== test.prefix || test.checks.length > 0) return new Set();
  const [range, other] = test.keys;
  const { from, to } = boundsOfTextPrefix(prefix);
  return new Set(other === undefined && range?.from === from && range.to === to ? [test] : []);
}

/**
 * Returns the indexes that contain all documents that can pass these tests, those with the longest
 * prefix first.
 */
function containing<I extends { readonly prefix: string }>(
  indexes: readonly I[],
  tests: readonly Test[],
): readonly I[] {
  const prefix = prefixTestOf(tests)?.prefix ?? '';
  return indexes
    .filter((index) => prefix.startsWith(index.prefix))
    .sort((a, b) => b.prefix.length - a.prefix.length);
}

function bestPart(tests: readonly Test[], sort: readonly SortField[], indexes: readonly DeclaredIndex[]) {
  const parts = indexes.flatMap((index) => partOf(index, tests, sort) ?? []);
  return parts.reduce<IndexPart | undefined>(
    (a, b) => (a !== undefined && a.score >= b.score ? a : b),
    undefined,
  );
}

const conjunctionOf = (test: Test): readonly Test[] =>
  test.kind === 'all' ? test.of.flatMap(conjunctionOf) : [test];

function restOf(tests: readonly Test[], proven: ReadonlySet<Test> = new Set()): Test | undefined {
  const left = tests.filter((test) => !proven.has(test));
  return left.length > 1 ? { kind: 'all', of: left } : left[0];
}

const planOfPart = (part: IndexPart, tests: readonly Test[], sort: readonly SortField[]): Plan => ({
  kind: 'index',
  part,
  rest: restOf(tests, part.proves),
  isSorted: isSortedBy(part.index, part.fixed, sort),
});

/** Returns the ids that the conditions allow, if they name them. */
function idsOf(tests: readonly Test[]): readonly string[] | undefined {
  for (const test of tests) {
    if (test.kind !== 'path' || test.path.text !== '_id' || test.points === undefined) continue;
    const ids = test.points.map((key) => decodeKey(key).key);
    return ids.filter((id) => typeof id === 'string');
  }
  return undefined;
}

/** Plans the use of an index. Returns undefined if the index doesn't help. */
function partOf(
  index: DeclaredIndex,
  tests: readonly Test[],
  sort: readonly SortField[],
): IndexPart | undefined {
  let prefixes: readonly string[] = [''];
  let ranges: KeyRanges | undefined;
  let fixed = 0;
  let fixedKey = '';
  let score = 0;
  const proves = new Set(provenBy(index, tests));
  for (const path of index.fields) {
    const own = testsOf(path, tests);
    const [first] = own;
    if (first === undefined) break;
    for (const test of own) if (test.checks.length === 0) proves.add(test);
    const keys = own.map((test) => keysIn(test, path)).reduce(intersection);
    const points = own.length === 1 && first.path.text === path.text ? first.points : undefined;
    if (points === undefined || points.length * prefixes.length > RANGES_MAX) {
      ranges = prefixes.flatMap((prefix) => keys.map((range) => below(prefix, range)));
      score += SCORE.range;
      break;
    }
    const isFixed = points.length === 1 && prefixes.length === 1;
    prefixes = prefixes.flatMap((prefix) => points.map((point) => prefix + point));
    score += SCORE.points;
    if (!isFixed) continue;
    fixed += 1;
    fixedKey = prefixes[0] ?? '';
  }
  const isSorted = isSortedBy(index, fixed, sort);
  if (score === 0 && !(isSorted && sort.length > 0)) return undefined;
  ranges ??= score === 0 ? ALL_KEYS : prefixes.map(only);
  return { index, ranges, proves, fixed, fixedKey, score: score + (isSorted ? SCORE.order : 0) };
}

/**
 * Returns the tests that select keys of this field of an index. Different entries of an array may
 * pass different tests, so only one of them selects entries.
 */
function testsOf(path: FieldPath, tests: readonly Test[]): readonly PathTest[] {
  const own = tests.filter((test): test is PathTest => test.kind === 'path' && selectsIn(test, path));
  return path.isMulti ? own.slice(0, 1) : own;
}

const selectsIn = ({ path, entry }: PathTest, field: FieldPath): boolean =>
  path.text === field.text || (entry !== undefined && `${path.text}[]` === field.text);

/**
 * Returns the keys of a field of an index that a test selects. In an index of entries, `contains`
 * selects the entry. It also selects documents without entries, because their field may be a text
 * that contains the wanted one.
 */
const keysIn = ({ path, keys, entry }: PathTest, field: FieldPath): KeyRanges =>
  path.text === field.text || entry === undefined ? keys : union([only(entry), only(MISSING_KEY)]);

const below = (prefix: string, { from, to }: Bounds): Bounds => ({
  from: prefix + from,
  to: to === undefined ? afterAll(prefix) : prefix + to,
});

/** Returns whether an index whose first fields have one value each is in the wanted order. */
function isSortedBy({ fields }: DeclaredIndex, fixed: number, sort: readonly SortField[]): boolean {
  const [known, others] = [fields.slice(0, fixed).map(({ text }) => text), fields.slice(fixed)];
  const left = sort.filter(({ path }) => !known.includes(path.text));
  const isDescending = isBackwards(sort);
  return (
    left.length === others.length &&
    left.every((field, at) => field.path.text === others[at]?.text && field.isDescending === isDescending)
  );
}

/** Returns whether documents that are equal in all sort fields are sorted by id in reverse. */
export const isBackwards = (sort: readonly SortField[]): boolean => sort.at(-1)?.isDescending === true;

/** Plans an `or` whose alternatives can each be found by an index. */
function unionOf(tests: readonly Test[], indexes: readonly DeclaredIndex[]): Plan | undefined {
  for (const test of tests) {
    if (test.kind !== 'any') continue;
    const alternatives = test.of.map(conjunctionOf);
    const parts = alternatives.flatMap((alternative) => bestPart(alternative, [], indexes) ?? []);
    if (parts.length < alternatives.length || parts.some(({ score }) => score <= SCORE.order)) continue;
    const isWithin = parts.every(({ index }) => provenBy(index, tests).size > 0);
    const proven = isWithin
      ? provenBy({ prefix: prefixTestOf(tests)?.prefix ?? '' }, tests)
      : new Set<Test>();
    const isProven = parts.every(({ proves }, at) => restOf(alternatives[at] ?? [], proves) === undefined);
    const rest = restOf(tests, isProven ? new Set([test, ...proven]) : proven);
    return { kind: 'union', parts, rest, isSorted: false };
  }
  return undefined;
}
