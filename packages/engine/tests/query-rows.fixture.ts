/**
 * Computes the result of a query from the documents. The code is simple and slow, and doesn't use
 * an index.
 */
import fc from 'fast-check';
import type { MapFunction, QueryOptions } from '../src/database/database.ts';

export interface ModelRow {
  readonly key: unknown;
  readonly id: string;
  readonly value: unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

/**
 * Keys of all kinds, with neighbours at the boundaries between kinds. Map functions emit a key by
 * its number in this list.
 */
export const KEYS: readonly unknown[] = [
  ...[null, false, true, Number.NEGATIVE_INFINITY, -2, -1, Number.NaN, 0, 1, 10, Number.POSITIVE_INFINITY],
  ...['', 'a', 'a\u0000', 'aa', 'ab', 'b', '\uffff', 'é', '😀'],
  ...[
    [],
    [null],
    [0],
    ['a'],
    ['a', undefined],
    ['a', 1],
    ['a', Number.NaN],
    ['a', 'b'],
    ['ab'],
    [['a']],
    [{ a: 1 }],
    [{ a: 1 }, 'x'],
    [Uint8Array.of(1, 2)],
    [[]],
  ],
  ...[{}, { a: 1 }, { a: 1, b: 'x' }, { a: ['b'] }, Uint8Array.of(), Uint8Array.of(1, 2), Uint8Array.of(2)],
];

/** Keys that many documents share, so that a query with one key finds several rows. */
const CROWD: readonly unknown[] = ['a', 'aa', ['a'], ['a', 1], { a: 1 }, [{ a: 1 }], Number.NaN, 0];
const part = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...CROWD) },
  { weight: 1, arbitrary: fc.constantFrom(...KEYS) },
);
/** Generates the number of a key. */
export const keyNumber: fc.Arbitrary<number> = part.map((key) =>
  KEYS.findIndex((one) => compareKeys(one, key) === 0),
);
/** Generates a key for a query, which is either a key of a document or close to one. */
export const askedKey: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: part },
  { weight: 1, arbitrary: fc.array(part, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.string({ maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(-0, new Date(0), 3n, { a: undefined }) },
);

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

export const queryOptions: fc.Arbitrary<QueryOptions> = fc
  .record({
    narrowed: fc.array(
      fc.oneof(
        fc.record({ key: askedKey }),
        fc.record({ keys: fc.array(askedKey, { maxLength: 4 }) }),
        fc.record({ prefix: askedKey }),
        fc.record({ range: fc.tuple(askedKey, askedKey) }),
      ),
      { maxLength: 2 },
    ),
    limit: optional(fc.constantFrom(0, 1, 2, 3, 5, 1000, Number.POSITIVE_INFINITY)),
    descending: optional(fc.boolean()),
    includeDocs: optional(fc.boolean()),
  })
  .map(({ narrowed, ...rest }) =>
    Object.fromEntries(
      Object.entries({ ...rest, ...Object.assign({}, ...narrowed) }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
  );

/** Returns all rows of a map function over documents, in order. */
export function rowsOf(map: string | MapFunction, docs: ReadonlyMap<string, Fields>): ModelRow[] {
  const rows: ModelRow[] = [];
  for (const [id, fields] of docs) {
    const doc = structuredClone({ ...fields, _id: id });
    if (typeof map === 'string') {
      const key = Object.hasOwn(doc, map) ? (doc as Record<string, unknown>)[map] : undefined;
      if (key !== undefined && key !== null) rows.push({ key, id, value: null });
      continue;
    }
    let emitted = false;
    const returned = map(doc, (key, value) => {
      emitted = true;
      if (key !== undefined) rows.push({ key, id, value: value || null });
    });
    if (!emitted && returned !== undefined) rows.push({ key: returned, id, value: null });
  }
  return rows.sort((a, b) => compareKeys(a.key, b.key) || compare(a.id, b.id));
}

/** Returns the rows that match the options. */
export function selected(rows: readonly ModelRow[], options: QueryOptions): ModelRow[] {
  const { range, key, keys, prefix, descending = false, limit } = options;
  const ordered = descending ? reversed(rows) : rows;
  const matching = (matches: (key: unknown) => boolean) => ordered.filter((row) => matches(row.key));
  const found = () => {
    if (range !== undefined)
      return matching((at) => compareKeys(range[0], at) <= 0 && compareKeys(at, range[1]) <= 0);
    if (key !== undefined) return matching((at) => compareKeys(at, key) === 0);
    if (keys !== undefined) return keys.flatMap((one) => matching((at) => compareKeys(at, one) === 0));
    if (prefix !== undefined) return matching((at) => beginsWith(at, prefix));
    return [...ordered];
  };
  return found().slice(0, limit);
}

/** Reverses all rows, including rows with the same document and key. */
const reversed = (rows: readonly ModelRow[]): ModelRow[] => rows.toReversed();

function beginsWith(given: unknown, prefix: unknown): boolean {
  const key = normal(given);
  const wanted = normal(prefix);
  if (Array.isArray(wanted))
    return (
      Array.isArray(key) &&
      key.length >= wanted.length &&
      wanted.every((one, at) => compareKeys(one, key[at]) === 0)
    );
  if (Array.isArray(key)) return key.length > 0 && compareKeys(key[0], wanted) === 0;
  if (typeof wanted === 'string') return typeof key === 'string' && key.startsWith(wanted);
  return compareKeys(key, wanted) === 0;
}

const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Orders null < false < true < negative numbers < NaN < other numbers < texts < arrays < undefined
 * < objects < bytes.
 */
function compareKeys(given: unknown, other: unknown): number {
  const a = normal(given);
  const b = normal(other);
  const kinds = compare(kindOf(a), kindOf(b));
  if (kinds !== 0) return kinds;
  if (typeof a === 'number' || typeof a === 'string') return compare(a, b as typeof a);
  if (a instanceof Uint8Array) return compareLists([...a], [...(b as Uint8Array)]);
  if (Array.isArray(a)) return compareLists(a, b as unknown[]);
  if (typeof a === 'object' && a !== null) return compareLists(partsOf(a), partsOf(b as object));
  return 0;
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const order = compareKeys(a[at], b[at]);
    if (order !== 0) return order;
  }
  return compare(a.length, b.length);
}

const partsOf = (value: object): unknown[] =>
  Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => compare(a, b))
    .flat();

const kindOf = (key: unknown): number => {
  if (key === null) return 0;
  if (typeof key === 'boolean') return key ? 2 : 1;
  if (typeof key === 'number') return Number.isNaN(key) ? 4 : key < 0 ? 3 : 5;
  if (typeof key === 'string') return 6;
  if (Array.isArray(key)) return 7;
  if (key === undefined) return 8;
  return key instanceof Uint8Array ? 10 : 9;
};

/** Replaces a date with its text, a big integer with its number, and -0 with 0. */
function normal(key: unknown): unknown {
  if (key instanceof Date) return key.toISOString();
  if (typeof key === 'bigint') return Number(key);
  return Object.is(key, -0) ? 0 : key;
}
