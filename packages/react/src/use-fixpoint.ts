import type {
  AllDocsOptions,
  CloudOptions,
  Database,
  DatabaseOptions,
  Doc,
  FindOptions,
  Head,
  MapFunction,
  QueryRow,
  Remote,
  TypedMap,
} from 'fixpoint';
import { useMemo } from 'react';
import type { DraftOf } from './document-draft.ts';
import { type LiveDocs, useAllDocs } from './live/use-all-docs.ts';
import { type LiveChanges, useChanges } from './live/use-changes.ts';
import { type LiveFind, useFind } from './live/use-find.ts';
import { type LiveQuery, type LiveQueryOptions, useLiveQuery } from './live/use-live-query.ts';
import { databaseNamed } from './open-databases.ts';
import { type UsedAttach, useAttach } from './use-attach.ts';
import { type DocumentTuple, type UsedDocument, useDocument } from './use-document.ts';
import { useKept } from './use-kept.ts';

/** How `useFixpoint` opens and attaches a database. */
export interface FixpointOptions extends DatabaseOptions {
  /** Keeps the database attached to this ledger. */
  readonly attach?: Remote | CloudOptions;
}

/** The hooks of this package for one database. */
export interface DatabaseHooks {
  /** The hook of this name, without its first argument. */
  useDocument<T extends object = Doc>(
    initial: DraftOf<T> | (() => DraftOf<T>),
  ): UsedDocument<T> & DocumentTuple<T>;
  /** The hook of this name, without its first argument. */
  useLiveQuery<T extends object = Doc>(
    map: string | MapFunction | TypedMap,
    options?: LiveQueryOptions,
    initialRows?: readonly QueryRow<T>[],
  ): LiveQuery<T>;
  /** The hook of this name, without its first argument. */
  useFind<T extends object = Doc>(options?: FindOptions): LiveFind<T>;
  /** The hook of this name, without its first argument. */
  useAllDocs<T extends object = Doc>(options?: AllDocsOptions): LiveDocs<T>;
  /** The hook of this name, without its first argument. */
  useChanges<T extends object = Doc>(since?: Head, options?: { readonly limit?: number }): LiveChanges<T>;
}

/** Result of `useFixpoint`. */
export interface UsedFixpoint extends DatabaseHooks {
  readonly database: Database;
  readonly attach: UsedAttach;
}

/**
 * Returns a database, opened by name or given as a handle, with the hooks of this package bound to
 * it.
 */
export function useFixpoint(
  nameOrDatabase: string | Database = 'useFixpoint',
  { attach: target, ...options }: FixpointOptions = {},
): UsedFixpoint {
  const database = useKept(
    () => (typeof nameOrDatabase === 'string' ? databaseNamed(nameOrDatabase, options) : nameOrDatabase),
    [nameOrDatabase],
  );
  const attach = useAttach(database, target);
  const hooks = useKept(() => hooksOf(database), [database]);
  return useMemo(() => ({ ...hooks, database, attach }), [hooks, database, attach]);
}

function hooksOf(database: Database): DatabaseHooks {
  return {
    useDocument: (initial) => useDocument(database, initial),
    useLiveQuery: (map, options, initialRows) => useLiveQuery(database, map, options, initialRows),
    useFind: (options) => useFind(database, options),
    useAllDocs: (options) => useAllDocs(database, options),
    useChanges: (since, options) => useChanges(database, since, options),
  };
}
