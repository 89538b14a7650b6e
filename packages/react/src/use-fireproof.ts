'use client';

/**
 * The hooks with the names and types of `use-fireproof`, for applications that import Fixpoint
 * under that name by an alias.
 */
import type { Database as Handle, Written } from 'fixpoint';
import {
  type Database,
  type Doc,
  type DocFragment,
  type DocWithId,
  type FireproofOptions,
  type FPIndexRow,
  fireproof,
  type IndexKeyType,
  type MapFn,
  type WrittenTo,
} from 'fixpoint/fireproof';
import type { AttachState, DraftOf, LiveChanges, LiveDocs, LiveQuery, LiveQueryOptions } from 'fixpoint/live';
import { useMemo } from 'react';
import { unopened } from './open-databases.ts';
import type { DocumentTuple, UsedDocument } from './use-document.ts';
import { type DatabaseHooks, type FixpointOptions, useFixpoint } from './use-fixpoint.ts';
import { useKept } from './use-store.ts';

/** How `useFireproof` opens and attaches a database. */
export interface UseFireproofConfig extends FireproofOptions {
  /** Keeps the database attached to this ledger: the result of `toCloud`. */
  readonly attach?: FixpointOptions['attach'];
}

/**
 * The state of attaching, in the shape of `use-fireproof`. With Fixpoint, applications manage
 * tokens themselves, so `ctx.tokenAndClaims` never changes.
 */
export type FireproofAttachState = AttachState & {
  readonly ctx: { readonly tokenAndClaims: { readonly state: 'initial' } };
};

type FireproofWritten = Written & WrittenTo;
type TailOf<T> = T extends readonly [unknown, ...infer Tail] ? Tail : never;

/**
 * Result of `useDocument`, by name and as a tuple. Like `use-fireproof`, types `_id` as present,
 * although a draft that wasn't saved has none.
 */
export type UseDocumentResult<T extends object> = Omit<
  UsedDocument<T, FireproofWritten>,
  'doc' | typeof Symbol.iterator
> & { readonly doc: DocWithId<T> } & readonly [
    doc: DocWithId<T>,
    ...functions: TailOf<DocumentTuple<T, FireproofWritten>>,
  ];
/** Result of `useLiveQuery`. */
export type LiveQueryResult<
  T extends object,
  K extends IndexKeyType = string,
  R extends DocFragment = T,
> = Omit<LiveQuery<T>, 'rows'> & { readonly rows: readonly FPIndexRow<K, T, R>[] };
/** Result of `useAllDocs`. */
export type AllDocsResult<T extends object> = LiveDocs<T>;
/** Result of `useChanges`. */
export type ChangesResult<T extends object> = LiveChanges<T>;

/** Result of `useFireproof`. */
export interface UseFireproof
  extends Omit<DatabaseHooks, 'useDocument' | 'useLiveQuery' | 'useFind' | 'useConflicts'> {
  /** Returns the live rows of a query, whose keys have the type `K`. */
  useLiveQuery<T extends object = Doc, K extends IndexKeyType = string, R extends DocFragment = T>(
    map: string | MapFn<T>,
    query?: LiveQueryOptions,
    initialRows?: readonly FPIndexRow<K, T, R>[],
  ): LiveQueryResult<T, K, R>;
  /** Like `useDocument`; `save` and `remove` also return the head and the name of the database. */
  useDocument<T extends object = Doc>(initial: DraftOf<T> | (() => DraftOf<T>)): UseDocumentResult<T>;
  readonly database: Database;
  readonly attach: FireproofAttachState;
}

/** @deprecated Exists only for compatibility and isn't needed. */
export const FireproofCtx: Readonly<Record<string, never>> = {};

const CTX = { tokenAndClaims: { state: 'initial' } } as const;
const openByName = new Map<string, Database>();

/**
 * Returns the page's shared handle of a database. The handle is kept until the page ends, or until
 * the database is closed.
 */
function databaseNamed(name: string, options: FireproofOptions): Database {
  if (typeof window === 'undefined' && options.storeUrls === undefined) {
    const fixpoint = unopened(name, {});
    return Object.assign(unopened(name, {}) as object as Database, { fixpoint });
  }
  const known = openByName.get(name);
  if (known !== undefined) return known;
  const database = fireproof(name, options);
  openByName.set(name, database);
  const forget = () => {
    if (openByName.get(name) === database) openByName.delete(name);
  };
  database.onClosed(forget);
  // If opening fails, every call on this handle reports the reason, and the next component opens a
  // new handle.
  database.ready().catch(forget);
  return database;
}

const handles = new WeakMap<Database, Handle>();

/** Returns the handle that the hooks use. Its writes return what existing applications expect. */
function handleOf(database: Database): Handle {
  const { fixpoint, put, del } = database;
  const handle = handles.get(database) ?? { ...fixpoint, put, del };
  handles.set(database, handle);
  return handle;
}

/** Returns a database, opened by name or given as a handle, with the hooks bound to it. */
export function useFireproof(
  nameOrDatabase: string | Database = 'useFireproof',
  { attach: target, ...options }: UseFireproofConfig = {},
): UseFireproof {
  const database = useKept(
    () => (typeof nameOrDatabase === 'string' ? databaseNamed(nameOrDatabase, options) : nameOrDatabase),
    [nameOrDatabase],
  );
  const { attach, useDocument, useLiveQuery, useAllDocs, useChanges } = useFixpoint(
    handleOf(database),
    target === undefined ? {} : { attach: target },
  );
  return useMemo(
    () => ({
      database,
      useDocument: useDocument as UseFireproof['useDocument'],
      useLiveQuery: useLiveQuery as UseFireproof['useLiveQuery'],
      useAllDocs,
      useChanges,
      attach: { ...attach, ctx: CTX },
    }),
    [database, useDocument, useLiveQuery, useAllDocs, useChanges, attach],
  );
}
