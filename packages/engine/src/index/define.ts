import { FixpointError } from '@fixpoint/protocol';
import { capturesNothing } from './captures.ts';

/** Adds a row to an index. */
export type Emit = (key: unknown, value?: unknown) => void;
/** Emits keys for a document, or gives one key back. */
// biome-ignore lint/suspicious/noExplicitAny: a map function reads documents of whatever shape the application stores
export type MapFunction = (doc: any, emit: Emit) => unknown;

/** Text of a map function that was typed, or came from somebody else: it runs in the sandbox. */
export interface TypedMap {
  readonly source: string;
}

/** What an index is made by: the name of a field, a map function, or the text of one. */
export type MapDefinition = string | MapFunction | TypedMap;

/**
 * Which rows, in which order. Of `range`, `key`, `keys` and `prefix` the first that is given counts; undefined is not given, every other
 * value is (also 0, '', false and null).
 *
 * Rows are ordered by key, then by document id. Keys: null < false < true < negative numbers < NaN < other numbers < texts (by UTF-16 code
 * units) < arrays (part by part) < undefined (inside of arrays) < objects (name by name) < bytes. A date counts as its ISO text, a link as
 * its text in an object, a big integer as the nearest number.
 */
export interface QueryOptions {
  /** From and to, both included. Null is the least key; `[x, {}]` comes after every array of two parts that begins with x and holds no object. */
  readonly range?: readonly [unknown, unknown];
  /** Rows with this key. */
  readonly key?: unknown;
  /** In this order, whatever `descending` says; rows once for each time that a key is named. */
  readonly keys?: readonly unknown[];
  /** Keys that begin so. An array: its parts are the first parts of the key. Else: texts that begin with it (or equal keys), and arrays whose first part it is. */
  readonly prefix?: unknown;
  /** At most so many rows; 0 gives none. */
  readonly limit?: number;
  /** The greatest key first, and the greatest id first among equal keys. */
  readonly descending?: boolean;
  /** Whether rows carry their documents; true unless said otherwise. */
  readonly includeDocs?: boolean;
}

/** @throws FixpointError MAP_FAILED for what is no map function */
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
 * Equal texts are equal maps: two queries with the same one share an index, and it can be stored. Undefined for a function that may see
 * more than its arguments: it is known only by itself, and its index lives in memory.
 */
export function definitionOf(map: MapDefinition): string | undefined {
  if (typeof map === 'string') return `field:${map}`;
  if (typeof map === 'object') return `source:${map.source}`;
  const text = map.toString();
  return capturesNothing(text) ? `function:${text}` : undefined;
}
