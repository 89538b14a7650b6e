/** A database under the names and shapes that applications of `@fireproof/core` 0.24 use, so that they can switch by an alias. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import { parseHead } from '../clock/head.ts';
import type {
  AllDocs,
  AllDocsOptions,
  BulkWritten,
  Changes,
  Database,
  MapFunction,
  QueryOptions,
  QueryResult,
  Stored,
  TypedMap,
  Written,
} from '../database/database.ts';
import type { Doc } from '../documents/encode.ts';
import type { Attached, Remote } from '../sync/remote.ts';

/** What `get` throws for a document that does not exist or was deleted. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
  readonly code = 'ENOENT';
}

/** Whether `get` failed because there is no such document. */
export const isNotFoundError = (error: unknown): error is NotFoundError =>
  error instanceof NotFoundError || (error as { code?: unknown } | null | undefined)?.code === 'ENOENT';

/** A head as applications hand it back: texts, or links that say their text. */
export type ClockHead = readonly (string | { toString(): string })[];

/** What `attach` gives. */
export interface FireproofAttached extends Omit<Attached, 'status'> {
  /** As existing applications expect; what really goes on is told by `sync`. */
  status(): 'attached';
  readonly sync: Attached;
}

/** The database of existing applications. What a call does beyond its description there is what {@link Database} says. */
export interface FireproofDatabase {
  readonly name: string;
  /** What applications look at of a ledger. */
  readonly ledger: {
    readonly name: string;
    /** @throws FixpointError USE_SHELL_CLOSE: a handle is closed, not what all handles share */
    close(): Promise<never>;
  };
  /** The same database with everything that this engine offers. */
  readonly fixpoint: Database;
  /** Resolves when the database is open. @throws FixpointError CRDT_NOT_READY with the reason as its cause */
  ready(): Promise<void>;
  /** The document with this id; a number is its text. @throws NotFoundError, also for a deleted document */
  get<T extends object = Doc>(id: string): Promise<Stored<T>>;
  /** As {@link Database.put}; an `_id` that is a number is its text. */
  put(doc: Readonly<Record<string, unknown>>): Promise<Written>;
  /** As {@link Database.bulk}. */
  bulk(docs: readonly Readonly<Record<string, unknown>>[]): Promise<BulkWritten>;
  /** As {@link Database.del}. */
  del(id: string): Promise<Written>;
  /** The same as {@link del}. */
  remove(id: string): Promise<Written>;
  /** As {@link Database.query}. */
  query<T extends object = Doc>(
    map: string | MapFunction | TypedMap,
    options?: QueryOptions,
  ): Promise<QueryResult<T>>;
  /** As {@link Database.allDocs}. */
  allDocs<T extends object = Doc>(options?: AllDocsOptions): Promise<AllDocs<T>>;
  /** All documents, without options. */
  allDocuments<T extends object = Doc>(): Promise<AllDocs<T>>;
  /** As {@link Database.changes}; a head may be texts or links. `dirty` is without effect: no write is told that is not durable. */
  changes<T extends object = Doc>(
    since?: ClockHead,
    options?: { limit?: number; dirty?: boolean },
  ): Promise<Changes<T>>;
  /** As {@link Database.subscribe}. */
  subscribe(listener: (docs: readonly Stored[]) => void, updates?: boolean): () => void;
  /** As {@link Database.attach}. */
  attach(remote: Remote): Promise<FireproofAttached>;
  /** As {@link Database.compact}. */
  compact(): Promise<void>;
  /** As {@link Database.close}. @throws FixpointError LEDGER_SHELL_MISMATCH the second time, as existing applications expect */
  close(): Promise<void>;
  /** As {@link Database.destroy}. */
  destroy(): Promise<void>;
  /** As {@link Database.onClosed}. */
  onClosed(fn: () => void): () => void;
}

const databases = new WeakSet<object>();

/** Whether this is a database that `fireproof` opened. */
export const isDatabase = (value: unknown): value is FireproofDatabase =>
  typeof value === 'object' && value !== null && databases.has(value);

export function fireproofDatabase(database: Database): FireproofDatabase {
  let isClosed = false;
  const shown: FireproofDatabase = {
    name: database.name,
    ledger: {
      name: database.name,
      close: () => Promise.reject(new FixpointError('USE_SHELL_CLOSE')),
    },
    fixpoint: database,
    ready: () =>
      database.ready().catch((cause: Error) => {
        throw new FixpointError('CRDT_NOT_READY', cause.message, { cause });
      }),
    get: async <T extends object>(id: string) => {
      try {
        return await database.get<T>(textId(id));
      } catch (cause) {
        if (isFixpointError(cause, 'NOT_FOUND')) throw new NotFoundError(cause.message, { cause });
        throw cause;
      }
    },
    put: async (doc) => database.put(withTextId(doc)),
    bulk: async (docs) => database.bulk(Array.isArray(docs) ? docs.map(withTextId) : docs),
    del: async (id) => database.del(textId(id)),
    remove: async (id) => database.remove(textId(id)),
    query: (map, options) => database.query(map, options),
    allDocs: (options) => database.allDocs(options),
    allDocuments: () => database.allDocs(),
    changes: async (since = [], options) => database.changes(headOf(since), options),
    subscribe: (listener, updates) => database.subscribe(listener, updates),
    attach: async (remote) => {
      const sync = await database.attach(remote);
      return { ...sync, status: () => 'attached', sync };
    },
    compact: () => database.compact(),
    close: async () => {
      if (isClosed) throw new FixpointError('LEDGER_SHELL_MISMATCH');
      isClosed = true;
      await database.close();
    },
    destroy: () => database.destroy(),
    onClosed: (fn) => database.onClosed(fn),
  };
  databases.add(shown);
  return shown;
}

/** A number is an id too: its text. */
const textId = (id: unknown): string => (typeof id === 'number' ? String(id) : (id as string));

const withTextId = (doc: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  typeof doc?.['_id'] === 'number' ? { ...doc, _id: textId(doc['_id']) } : doc;

/** @throws FixpointError HEAD_INVALID */
const headOf = (since: ClockHead): Head => parseHead(Array.isArray(since) ? since.map(String) : since);
