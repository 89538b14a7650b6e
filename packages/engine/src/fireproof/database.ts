/**
 * A database with the names and shapes of `@fireproof/core` 0.24, so that applications of that
 * package can switch to this one by an alias.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { type Head, sortHead } from '../clock/event.ts';
import { parseHead } from '../clock/head.ts';
import type { BulkWritten, Database, QueryOptions, TypedMap, Written } from '../database/database.ts';
import { insideOf } from '../database/inside.ts';
import type { Doc } from '../documents/encode.ts';
import type { Attached, Remote } from '../sync/remote.ts';
import type {
  AllDocsQueryOpts,
  AllDocsResponse,
  ChangesOptions,
  ChangesResponse,
  ClockHead,
  DocFragment,
  DocSet,
  DocTypes,
  DocWithId,
  IndexKeyType,
  ListenerFn,
  MapFn,
  QueryOpts,
  QueryResult,
} from './existing-types.ts';
import { withPlainFields } from './plain-fields.ts';

/** Thrown by `get` for a document that does not exist or was deleted. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
  readonly code = 'ENOENT';
}

/** Returns whether `get` failed because there is no such document. */
export const isNotFoundError = (error: unknown): error is NotFoundError =>
  error instanceof NotFoundError || (error as { code?: unknown } | null | undefined)?.code === 'ENOENT';

/** Fields that the result of a write has in addition to the ids. */
export interface WrittenTo {
  /** The head after the write. Empty if a database in a worker was closed during the write. */
  readonly clock: Head;
  readonly name: string;
}

/** Result of `attach`. */
export interface FireproofAttached extends Omit<Attached, 'status'> {
  /** Always `attached`, as existing applications expect. `sync` reports the actual status. */
  status(): 'attached';
  readonly sync: Attached;
}

/**
 * The database as existing applications know it. {@link Database} documents what this engine does
 * beyond that.
 */
export interface FireproofDatabase {
  readonly name: string;
  /** The fields of a ledger that applications read. */
  readonly ledger: {
    readonly name: string;
    /**
     * @throws FixpointError USE_SHELL_CLOSE always: close the handle instead of this shared object
     */
    close(): Promise<never>;
  };
  /** The same database with everything that this engine offers. */
  readonly fixpoint: Database;
  /**
   * Resolves when the database is open.
   * @throws FixpointError CRDT_NOT_READY with the reason as its cause
   */
  ready(): Promise<void>;
  /**
   * Returns the document with this id; a number is converted to text.
   * @throws NotFoundError, also for a deleted document
   */
  get<T extends DocTypes = Doc>(id: string): Promise<DocWithId<T>>;
  /**
   * Works like {@link Database.put}; an `_id` that is a number is converted to text, and class
   * instances are stored as their fields.
   */
  put<T extends DocTypes>(doc: DocSet<T>): Promise<Written & WrittenTo>;
  /** Works like {@link Database.bulk}, with the documents of {@link put}. */
  bulk<T extends DocTypes>(docs: readonly DocSet<T>[]): Promise<BulkWritten & WrittenTo>;
  /** Works like {@link Database.del}. */
  del(id: string): Promise<Written & WrittenTo>;
  /** Deletes a document; an alias of {@link del}. */
  remove(id: string): Promise<Written & WrittenTo>;
  /** Works like {@link Database.query}. */
  query<
    T extends DocTypes = Doc,
    K extends IndexKeyType = string,
    R extends DocFragment = T,
    O extends Partial<QueryOpts<K>> = Partial<QueryOpts<K>>,
  >(map: string | MapFn<T> | TypedMap, options?: O): Promise<QueryResult<T, K, R, O>>;
  /** Works like {@link Database.allDocs}. */
  allDocs<T extends DocTypes = Doc>(options?: Partial<AllDocsQueryOpts>): Promise<AllDocsResponse<T>>;
  /** Returns all documents, without options. */
  allDocuments<T extends DocTypes = Doc>(): Promise<AllDocsResponse<T>>;
  /**
   * Works like {@link Database.changes}; a head may be texts or links. `dirty` has no effect: only
   * durable writes are returned.
   */
  changes<T extends DocTypes = Doc>(since?: ClockHead, options?: ChangesOptions): Promise<ChangesResponse<T>>;
  /** Works like {@link Database.subscribe}. */
  subscribe<T extends DocTypes = Doc>(listener: ListenerFn<T>, updates?: boolean): () => void;
  /** Works like {@link Database.attach}. */
  attach(remote: Remote): Promise<FireproofAttached>;
  /** Works like {@link Database.compact}. */
  compact(): Promise<void>;
  /**
   * Works like {@link Database.close}.
   * @throws FixpointError LEDGER_SHELL_MISMATCH when called again, as existing applications expect
   */
  close(): Promise<void>;
  /** Works like {@link Database.destroy}. */
  destroy(): Promise<void>;
  /** Works like {@link Database.onClosed}. */
  onClosed(fn: () => void): () => void;
}

const databases = new WeakSet<object>();

/** Returns whether `fireproof` opened this database. */
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
    get: async <T extends DocTypes>(id: string) => {
      try {
        return (await database.get(textId(id))) as DocWithId<T>;
      } catch (cause) {
        if (isFixpointError(cause, 'NOT_FOUND')) throw new NotFoundError(cause.message, { cause });
        throw cause;
      }
    },
    put: async (doc) => withHead(database, database.put(stored(doc))),
    bulk: async (docs) => withHead(database, database.bulk(Array.isArray(docs) ? docs.map(stored) : docs)),
    del: async (id) => withHead(database, database.del(textId(id))),
    remove: async (id) => withHead(database, database.remove(textId(id))),
    query: (map, options) => database.query(map as string, options as QueryOptions) as Promise<never>,
    allDocs: (options) => database.allDocs(options) as Promise<never>,
    allDocuments: () => database.allDocs() as Promise<never>,
    changes: async (since = [], options) => database.changes(headOf(since), options) as Promise<never>,
    subscribe: (listener, updates) => database.subscribe(listener as () => void, updates),
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

/** Waits for a write that was just started, and adds the head to its result. */
async function withHead<W extends object>(database: Database, write: Promise<W>): Promise<W & WrittenTo> {
  const [written, core] = await Promise.all([write, insideOf(database)?.open()]);
  const clock = await database.head().catch(async (cause: unknown) => {
    // The write is durable, even if the handle was closed while the write was pending.
    const isClosed = isFixpointError(cause, 'DATABASE_CLOSED') || isFixpointError(cause, 'STORE_LOST');
    if (!isClosed) throw cause;
    // The head of a closed handle in a worker is unknown. `changes` of the empty head lists all.
    if (core === undefined) return sortHead([]);
    await core.commits.settle().catch(() => undefined);
    return core.commits.snapshot().head;
  });
  return { ...written, clock, name: database.name };
}

/** Converts an id that is a number to text. Existing applications use numbers as ids, too. */
const textId = (id: unknown): string => (typeof id === 'number' ? String(id) : (id as string));

/** Returns the document as the engine stores it. */
function stored(doc: object): object {
  const id = (doc as { readonly _id?: unknown } | undefined)?._id;
  const fields = withPlainFields(doc);
  return typeof id === 'number' ? { ...fields, _id: textId(id) } : fields;
}

/** @throws FixpointError HEAD_INVALID */
const headOf = (since: ClockHead): Head => parseHead(Array.isArray(since) ? since.map(String) : since);
