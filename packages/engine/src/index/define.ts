import { FixpointError } from '@fixpoint/protocol';

export type Emit = (key: unknown, value?: unknown) => void;
/** Emits keys for a document, or gives one key back. */
// biome-ignore lint/suspicious/noExplicitAny: a map function reads documents of whatever shape the application stores
export type MapFunction = (doc: any, emit: Emit) => unknown;

export interface QueryOptions {
  readonly key?: unknown;
  readonly keys?: readonly unknown[];
  /** From and to, both included. */
  readonly range?: readonly [unknown, unknown];
  /** Keys that begin so: a text, or the first parts of an array. */
  readonly prefix?: unknown;
  readonly limit?: number;
  readonly descending?: boolean;
  /** Whether rows carry their documents; true unless said otherwise. */
  readonly includeDocs?: boolean;
}

export interface Pair {
  readonly key: unknown;
  readonly value: unknown;
}

/** What a map function of the application, or a field's name, gives for a document. @throws FixpointError MAP_FAILED */
export function runNative(map: string | MapFunction, doc: Readonly<Record<string, unknown>>): Pair[] {
  if (typeof map === 'string') {
    const key = doc[map];
    return key === undefined || key === null ? [] : [{ key, value: null }];
  }
  const pairs: Pair[] = [];
  try {
    const returned = map(doc, (key, value) => {
      if (key !== undefined) pairs.push({ key, value: value ?? null });
    });
    if (pairs.length === 0 && returned !== undefined) pairs.push({ key: returned, value: null });
  } catch (cause) {
    throw new FixpointError('MAP_FAILED', cause instanceof Error ? cause.message : String(cause), { cause });
  }
  return pairs;
}

/** @throws FixpointError MAP_FAILED for what is no map function */
export function checkMap(map: unknown): asserts map is string | MapFunction | { source: string } {
  if (typeof map === 'string') return;
  if (typeof map === 'function' && map.constructor.name !== 'AsyncFunction') return;
  if (typeof map === 'object' && map !== null && typeof (map as { source?: unknown }).source === 'string')
    return;
  throw new FixpointError('MAP_FAILED', 'mapFn must be a function');
}
