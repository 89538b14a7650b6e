import type { Head } from '../clock/event.ts';
import type { DatabaseOf, UntypedDatabase } from '../collections/typed-database.ts';
import type { AllDocs, AllDocsOptions, Changes, Database, Stored } from '../database/database.ts';
import type { ConflictingDocument, ConflictList } from '../database/past/conflicts-interface.ts';
import type { Doc } from '../documents/encode.ts';
import { inputText, plainCopy } from './inputs.ts';
import { isEqual, keepEqualRows } from './keep-equal.ts';
import type { LiveStore } from './live-store.ts';
import { type LoadState, loadedStore } from './loaded-store.ts';

/** The live documents of a database. */
export interface LiveDocs<T extends object = Doc> extends AllDocs<T>, LoadState {
  readonly docs: readonly Stored<T>[];
  /** The head at which the rows were read. */
  readonly clock: Head;
}

/** The live documents that were written after a head. */
export interface LiveChanges<T extends object = Doc> extends Changes<T>, LoadState {
  readonly docs: readonly Stored<T>[];
}

/** The documents of a database that have a conflict. */
export interface LiveConflicts<T extends object = Doc> extends LoadState {
  /** The documents with a conflict, sorted by id. */
  readonly conflicts: readonly ConflictingDocument<T>[];
  /** Events that can't be read, so that more documents may have a conflict. Usually empty. */
  readonly unread: readonly string[];
}

/** Returns the live documents of a database, in the order of their ids. */
export function liveAllDocs<T extends object>(
  database: DatabaseOf<T>,
  options?: AllDocsOptions,
): LiveStore<LiveDocs<T>>;
export function liveAllDocs<T extends object = Doc>(
  database: UntypedDatabase,
  options?: AllDocsOptions,
): LiveStore<LiveDocs<T>>;
export function liveAllDocs(database: object, given: AllDocsOptions = {}): LiveStore<LiveDocs> {
  const source = database as Database;
  const options = plainCopy(given);
  return loadedStore<AllDocs<Doc>, LiveDocs>({
    source,
    inputs: [source, inputText(options)],
    initial: { rows: [], clock: [], name: source.name },
    load: () => source.allDocs(options),
    keep: (before, now) => ({ ...now, rows: keepEqualRows(before.rows, now.rows) }),
    show: (value, state) => ({ ...value, docs: value.rows.map((row) => row.value), ...state }),
  });
}

/**
 * Returns the live documents that were written after a head, oldest first. Without a head, starts
 * from the beginning.
 */
export function liveChanges<T extends object>(
  database: DatabaseOf<T>,
  since?: Head,
  options?: { readonly limit?: number },
): LiveStore<LiveChanges<T>>;
export function liveChanges<T extends object = Doc>(
  database: UntypedDatabase,
  since?: Head,
  options?: { readonly limit?: number },
): LiveStore<LiveChanges<T>>;
export function liveChanges(
  database: object,
  after: Head = [],
  given: { readonly limit?: number } = {},
): LiveStore<LiveChanges> {
  const source = database as Database;
  const [since, options] = [plainCopy(after), plainCopy(given)];
  return loadedStore<Changes<Doc>, LiveChanges>({
    source,
    inputs: [source, inputText([since, options])],
    initial: { rows: [], clock: [], name: source.name },
    load: () => source.changes(since, options),
    keep: (before, now) => ({ ...now, rows: keepEqualRows(before.rows, now.rows) }),
    show: (value, state) => ({ ...value, docs: value.rows.map((row) => row.value), ...state }),
  });
}

/**
 * Returns all documents that have a conflict, live: documents whose concurrent versions no later
 * write replaced. Unchanged conflicts stay the same objects.
 */
export function liveConflicts<T extends object = Doc>(database: Database): LiveStore<LiveConflicts<T>> {
  return loadedStore<ConflictList<T>, LiveConflicts<T>>({
    source: {
      subscribe: (listener) => database.onConflicts(() => listener()),
      onClosed: database.onClosed,
    },
    inputs: [database],
    initial: { conflicts: [], unread: [] },
    load: () => database.conflicts<T>({ partial: true }),
    keep: (before, now) => {
      const conflicts = keepEqualRows(before.conflicts, now.conflicts);
      const isSame = conflicts === before.conflicts && isEqual(before.unread, now.unread);
      return isSame ? before : { ...now, conflicts };
    },
    show: (list, state) => ({ ...list, ...state }),
  });
}
