import type {
  AllDocsOptions,
  CloudOptions,
  Collections,
  Database,
  DatabaseOf,
  DatabaseOptions,
  DatabaseWith,
  Doc,
  FindOptions,
  Head,
  MapFunction,
  MapOf,
  QueryRow,
  Remote,
  TypedFindOptions,
  TypedMap,
} from 'fixpoint';
import type {
  DraftOf,
  LiveChanges,
  LiveConflicts,
  LiveDocs,
  LiveFind,
  LiveQuery,
  LiveQueryOptions,
} from 'fixpoint/live';
import { useMemo } from 'react';
import { useAllDocs, useChanges, useConflicts } from './live/use-docs.ts';
import { useFind } from './live/use-find.ts';
import { useLiveQuery } from './live/use-live-query.ts';
import { databaseNamed } from './open-databases.ts';
import { useDefaults } from './session-context.tsx';
import { type UsedAttach, useAttach } from './use-attach.ts';
import { type DocumentTuple, type UsedDocument, useDocument } from './use-document.ts';
import { useKept } from './use-store.ts';

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
  /** The hook of this name, without its argument. */
  useConflicts<T extends object = Doc>(): LiveConflicts<T>;
}

/** {@link DatabaseHooks} for documents of type `T`. */
export interface DatabaseHooksOf<T extends object> {
  /** See {@link DatabaseHooks.useDocument}. */
  useDocument<U extends object = T>(
    initial: DraftOf<U> | (() => DraftOf<U>),
  ): UsedDocument<U> & DocumentTuple<U>;
  /** See {@link DatabaseHooks.useLiveQuery}. */
  useLiveQuery<U extends object = T>(
    map: MapOf<T>,
    options?: LiveQueryOptions,
    initialRows?: readonly QueryRow<U>[],
  ): LiveQuery<U>;
  /** See {@link DatabaseHooks.useFind}. */
  useFind<U extends object = T>(options?: TypedFindOptions<T>): LiveFind<U>;
  /** See {@link DatabaseHooks.useAllDocs}. */
  useAllDocs<U extends object = T>(options?: AllDocsOptions): LiveDocs<U>;
  /** See {@link DatabaseHooks.useChanges}. */
  useChanges<U extends object = T>(since?: Head, options?: { readonly limit?: number }): LiveChanges<U>;
  /** See {@link DatabaseHooks.useConflicts}. */
  useConflicts<U extends object = T>(): LiveConflicts<U>;
}

/** Result of `useFixpoint` for documents of type `T`. */
export interface UsedFixpointOf<T extends object> extends DatabaseHooksOf<T> {
  /** The handle. Only the compiler checks the type of the documents. */
  readonly database: DatabaseOf<T>;
  readonly attach: UsedAttach;
}

/** Result of `useFixpoint`. */
export interface UsedFixpoint<D extends Database = Database> extends DatabaseHooks {
  /** The handle. With `collections`, it has each of them as a property, as in `fixpoint`. */
  readonly database: D;
  readonly attach: UsedAttach;
}

const NO_COLLECTIONS: Collections = {};

/**
 * Returns a database, opened by name or given as a handle, with the hooks of this package bound to
 * it. With a name and `collections`, the database has each collection as a property. Define
 * collections outside of components: the option itself can be written inline. A server that renders
 * components opens a database only with the option `directory`: without it, hooks return values
 * that haven't loaded.
 * `useFixpoint<T>(name)` is for documents of type `T`, which only the compiler checks.
 */
export function useFixpoint<C extends Collections>(
  name: string,
  options: FixpointOptions & { readonly collections: C },
): UsedFixpoint<DatabaseWith<C>>;
export function useFixpoint<T extends object>(
  database: DatabaseOf<T>,
  options?: FixpointOptions,
): UsedFixpointOf<T>;
export function useFixpoint<D extends Database = Database>(
  nameOrDatabase?: string | D,
  options?: FixpointOptions,
): UsedFixpoint<D>;
export function useFixpoint<T extends object>(name: string, options?: FixpointOptions): UsedFixpointOf<T>;
export function useFixpoint(
  nameOrDatabase: string | object = 'useFixpoint',
  {
    attach: target,
    collections = NO_COLLECTIONS,
    ...options
  }: FixpointOptions & { readonly collections?: Collections } = {},
): object {
  const defaults = useDefaults();
  const database = useKept(
    () =>
      typeof nameOrDatabase === 'string'
        ? databaseNamed(nameOrDatabase, { ...defaults, ...options }, collections)
        : (nameOrDatabase as Database),
    // Names instead of definitions: with a definition inside of a component, each render would open
    // a handle, and cause the next render.
    [nameOrDatabase, namesOf(collections)],
  );
  const attach = useAttach(database, target);
  const hooks = useKept(() => hooksOf(database), [database]);
  return useMemo(() => ({ ...hooks, database, attach }), [hooks, database, attach]);
}

const namesOf = (collections: Collections): string =>
  JSON.stringify(Object.entries(collections).map(([key, { name }]) => [key, name]));

function hooksOf(database: Database): DatabaseHooks {
  return {
    useDocument: (initial) => useDocument(database, initial),
    useLiveQuery: (map, options, initialRows) => useLiveQuery(database, map, options, initialRows),
    useFind: (options) => useFind(database, options),
    useAllDocs: (options) => useAllDocs(database, options),
    useChanges: (since, options) => useChanges(database, since, options),
    useConflicts: () => useConflicts(database),
  };
}
