import { FixpointError } from '@fixpoint/protocol';

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

/** Which rows, in which order. Of `range`, `key`, `keys` and `prefix` the first that is given counts. */
export interface QueryOptions {
  /** From and to, both included. */
  readonly range?: readonly [unknown, unknown];
  readonly key?: unknown;
  /** In this order; a row for each time a key is named. */
  readonly keys?: readonly unknown[];
  /** Keys that begin so. An array: its parts are the first parts of the key. Else: texts that begin with it, and arrays whose first part it is. */
  readonly prefix?: unknown;
  readonly limit?: number;
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
