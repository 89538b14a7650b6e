import { FixpointError } from '@fixpoint/protocol';
import { capturesNothing } from './captures.ts';

/** Adds a row to an index. */
export type Emit = (key: unknown, value?: unknown) => void;
/** Emits keys for a document, or returns one key. */
// biome-ignore lint/suspicious/noExplicitAny: a map function reads documents of whatever shape the application stores
export type MapFunction = (doc: any, emit: Emit) => unknown;

/**
 * Source text of a map function that a person typed or a third party supplied. Such a function runs
 * in the sandbox.
 */
interface TypedMap {
  readonly source: string;
}

/** Defines an index: the name of a field, a map function, or the source text of one. */
export type MapDefinition = string | MapFunction | TypedMap;

/**
 * Selects and orders rows. The first of `range`, `key`, `keys` and `prefix` that is not undefined
 * applies. All other values count as set, including 0, '', false and null.
 *
 * Rows are sorted by key, then by document id. Order of keys: null < false < true < negative
 * numbers < NaN < other numbers < strings (by UTF-16 code units) < arrays (element by element) <
 * undefined (inside arrays) < objects (name by name) < bytes. A date sorts as its ISO string, a
 * link as its string in an object, a big integer as the nearest number.
 */
export interface QueryOptions {
  /**
   * First and last key, both inclusive. Null is the lowest key; `[x, {}]` sorts after every array
   * of two elements that starts with x and whose second element is neither an object nor bytes.
   */
  readonly range?: readonly [unknown, unknown];
  /** Selects rows with this key. */
  readonly key?: unknown;
  /**
   * Selects rows with these keys, in this order regardless of `descending`. If a key occurs twice,
   * its rows do, too.
   */
  readonly keys?: readonly unknown[];
  /**
   * Selects keys with this prefix. An array matches keys that start with its elements. Any other
   * value matches keys equal to the value, strings that start with it, and arrays that have it as
   * their first element.
   */
  readonly prefix?: unknown;
  /** Maximum number of rows; 0 returns none. */
  readonly limit?: number;
  /** Sorts by key, then by id, in descending order. */
  readonly descending?: boolean;
  /** Whether rows include their documents; default true. */
  readonly includeDocs?: boolean;
}

/** @throws FixpointError MAP_FAILED unless the value is a map definition */
export function checkMap(map: unknown): asserts map is MapDefinition {
  if (typeof map === 'string') return;
  if (typeof map === 'function' && !WAITING_KINDS.has(map.constructor.name)) return;
  if (typeof map === 'object' && map !== null && typeof (map as TypedMap).source === 'string') return;
  throw new FixpointError('MAP_FAILED', 'mapFn must be a function');
}

const WAITING_KINDS: ReadonlySet<string> = new Set([
  'AsyncFunction',
  'GeneratorFunction',
  'AsyncGeneratorFunction',
]);

/**
 * Returns the text that identifies a map: queries with equal texts share an index, which can be
 * stored. Returns undefined for a function that may use more than its arguments. Only the function
 * object identifies such a function, and its index is only in memory.
 */
export function definitionOf(map: MapDefinition): string | undefined {
  if (typeof map === 'string') return `field:${map}`;
  if (typeof map === 'object') return `source:${map.source}`;
  const text = map.toString();
  return capturesNothing(text) ? `function:${text}` : undefined;
}
