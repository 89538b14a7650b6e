/** Groups documents by the values of fields, and counts and aggregates each group. */
import { FixpointError } from '@fixpoint/protocol';
import { createTotal, type Total } from '../base/total.ts';
import type { Snapshot } from '../commit/snapshot.ts';
import { requirePath } from '../documents/field-path.ts';
import { decodeKey } from '../index/key-order.ts';
import type { Place } from './cursor.ts';
import type { Search } from './find-options.ts';
import type { FindParts } from './find-parts.ts';
import { findPlaces } from './find-places.ts';
import type { SortField } from './plan.ts';
import { parseWhere, type Where } from './where.ts';

/** One or more fields, each as a path: `rank` or `address.city`. */
export type Fields<P extends string = string> = P | readonly P[];

/** The results that `groupBy` computes for each group. */
export interface GroupOptions {
  /** Only documents that meet these conditions count. Without conditions, all documents count. */
  readonly where?: Where | undefined;
  /** Fields whose numbers are added up. */
  readonly sum?: Fields | undefined;
  /** Fields whose numbers are averaged. */
  readonly average?: Fields | undefined;
  /** Fields whose least value is returned. */
  readonly min?: Fields | undefined;
  /** Fields whose greatest value is returned. */
  readonly max?: Fields | undefined;
}

/** Documents with equal values in the fields that group them. Each name is a path. */
export interface Group {
  /** The common values. A field that the documents of the group don't have is absent. */
  readonly key: Readonly<Record<string, unknown>>;
  /** Number of documents. */
  readonly count: number;
  /** 0 if no document has a number in the field. */
  readonly sum: Readonly<Record<string, number>>;
  /** Averages over the documents that have a number in the field; absent if none has one. */
  readonly average: Readonly<Record<string, number>>;
  /** Least values in the order of `sort`. Absent if no document has the field. */
  readonly min: Readonly<Record<string, unknown>>;
  /** Greatest values in the order of `sort`. Absent if no document has the field. */
  readonly max: Readonly<Record<string, unknown>>;
}

/** The names of options that list fields. */
const LISTS = ['sum', 'average', 'min', 'max'] as const;

/** A search for the values of fields, and the places of the fields in its results. */
export interface Grouping extends Record<(typeof LISTS)[number], readonly SortField[]> {
  readonly by: readonly SortField[];
  readonly search: Search;
}

const refusal = (detail: string) => new FixpointError('QUERY_INVALID', detail);

/** @throws FixpointError QUERY_INVALID */
export function parseGroups(by: Fields, options: GroupOptions): Grouping {
  for (const name of Object.keys(options))
    if (name !== 'where' && !LISTS.some((list) => list === name))
      throw refusal(`${name} is not an option of groupBy`);
  const { where = {}, ...lists } = options;
  const [sum, average, min, max] = LISTS.map((name) => fieldsIn(name, lists[name] ?? []));
  const grouping = { by: fieldsIn('by', by), sum, average, min, max } as Omit<Grouping, 'search'>;
  const all = [...grouping.by, ...LISTS.flatMap((name) => grouping[name])];
  const search = {
    test: parseWhere(where),
    sort: [...new Map(all.map((field) => [field.path.text, field])).values()],
    limit: Number.POSITIVE_INFINITY,
    ...{ isLimited: false, isUnordered: true, after: undefined, words: undefined },
  };
  return { ...grouping, search };
}

function fieldsIn(option: string, fields: unknown): readonly SortField[] {
  return [fields].flat().map((name) => {
    if (typeof name !== 'string') throw refusal(`${option} is neither a field nor a list of fields`);
    const path = requirePath(name);
    if (path.isMulti) throw refusal(`${option}: ${name} has more than one value`);
    return { path, isDescending: false };
  });
}

/** The state of a group while documents are added. The keys of values sort as the values do. */
interface Counted {
  readonly keys: readonly string[];
  count: number;
  /** Sums, and how many numbers they contain, by the place of the field in the search. */
  readonly sums: Map<number, { readonly total: Total; count: number }>;
  readonly least: Map<number, string>;
  readonly greatest: Map<number, string>;
}

/** Documents between two looks at the clock. */
const SLICE = 1000;

/**
 * Returns the groups in the order of their keys. Without fields in `by`, returns one group of all
 * documents.
 */
export async function groupsOf(parts: FindParts, grouping: Grouping, at: Snapshot): Promise<Group[]> {
  const { places } = await findPlaces(parts, grouping.search, at);
  const add = adding(grouping);
  const groups = new Map<string, Counted>();
  if (grouping.by.length === 0) groups.set('', newGroup([]));
  for (const [n, place] of places.entries()) {
    add(groups, place);
    if (n % SLICE === 0 && parts.pace.isDue()) await parts.pace.rest();
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, counted]) => resultOf(grouping, counted));
}

const newGroup = (keys: readonly string[]): Counted => ({
  keys,
  count: 0,
  sums: new Map(),
  least: new Map(),
  greatest: new Map(),
});

/** Returns the places of fields in the results of the search. */
const placesOf = ({ search }: Grouping, fields: readonly SortField[]): readonly number[] =>
  fields.map(({ path }) => search.sort.findIndex((one) => one.path.text === path.text));

function adding(grouping: Grouping): (groups: Map<string, Counted>, place: Place) => void {
  const by = placesOf(grouping, grouping.by);
  const summed = [...new Set(placesOf(grouping, [...grouping.sum, ...grouping.average]))];
  const [least, greatest] = [placesOf(grouping, grouping.min), placesOf(grouping, grouping.max)];
  return (groups, { keys }) => {
    const own = by.map((at) => keys[at] as string);
    const name = own.join('');
    const group = groups.get(name) ?? newGroup(own);
    groups.set(name, group);
    group.count += 1;
    for (const at of summed) addNumber(group.sums, at, decodeKey(keys[at] as string).key);
    for (const at of least) keep(group.least, at, keys[at] as string, (key, kept) => key < kept);
    for (const at of greatest) keep(group.greatest, at, keys[at] as string, (key, kept) => key > kept);
  };
}

function addNumber(sums: Counted['sums'], at: number, value: unknown): void {
  if (typeof value !== 'number' || Number.isNaN(value)) return;
  const sum = sums.get(at) ?? { total: createTotal(), count: 0 };
  sums.set(at, sum);
  sum.total.add(value);
  sum.count += 1;
}

function keep(
  kept: Map<number, string>,
  at: number,
  key: string,
  isBetter: (key: string, kept: string) => boolean,
): void {
  if (decodeKey(key).key === undefined) return;
  const before = kept.get(at);
  if (before === undefined || isBetter(key, before)) kept.set(at, key);
}

function resultOf(grouping: Grouping, { keys, count, sums, least, greatest }: Counted): Group {
  const decoded = (key: string | undefined) => (key === undefined ? undefined : decodeKey(key).key);
  /** Returns a value for each of the fields that have one. */
  const named = <T>(
    fields: readonly SortField[],
    value: (at: number) => T | undefined,
  ): Record<string, T> => {
    const places = placesOf(grouping, fields);
    const entries = fields.map(({ path }, n) => [path.text, value(places[n] as number)] as const);
    return Object.fromEntries(entries.filter(([, one]) => one !== undefined)) as Record<string, T>;
  };
  return {
    key: Object.fromEntries(
      grouping.by.flatMap(({ path }, n) => {
        const value = decoded(keys[n]);
        return value === undefined ? [] : [[path.text, value]];
      }),
    ),
    count,
    sum: named(grouping.sum, (at) => sums.get(at)?.total.sum() ?? 0),
    average: named(grouping.average, (at) => {
      const sum = sums.get(at);
      return sum && sum.total.sum() / sum.count;
    }),
    min: named(grouping.min, (at) => decoded(least.get(at))),
    max: named(grouping.max, (at) => decoded(greatest.get(at))),
  };
}
