/** The page's end of the bridge: databases in a worker, with the interface of local ones. */
import { FixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import type { Collections, DatabaseWith } from '../collections/collection-types.ts';
import type { DatabaseOf } from '../collections/typed-database.ts';
import type { Database, DatabaseOptions } from '../database/database.ts';
import type { Rows } from '../database/database-rows.ts';
import type { DatabaseView } from '../database/past/time-travel.ts';
import { attachedTo, cloudOptionsOf } from './attached.ts';
import type { BridgePort } from './line.ts';
import { CALLS, LISTENS, type PageMarks, ROW_CALLS, rowVerb, STREAMS, VIEW_CALLS } from './messages.ts';
import { writesInPage } from './page-functions.ts';
import { openSession, type Session } from './session.ts';

/** Options that a page can set for a database. The code of the worker sets the sandbox. */
export type BridgedOptions = Omit<DatabaseOptions, 'sandbox'>;

/**
 * A {@link Database}, and its rows. A worker can't receive functions: `query` and `map` reject a
 * function with NOT_IMPLEMENTED, and accept the name of a field or `{source}`. The functions of
 * `update` and `transact` run in the page. `at` accepts any texts; calls of the view reject if a
 * text is not a CID. A file's `stream` starts once the whole file has arrived.
 */
export interface BridgedDatabase extends Database {
  readonly rows: Rows;
}

/** A {@link BridgedDatabase} for documents of type `T`, which only the compiler checks. */
export type BridgedDatabaseOf<T extends object> = DatabaseOf<T> & Pick<BridgedDatabase, 'rows'>;

/** A {@link BridgedDatabase} with collections. Their schemas run in the page. */
export type BridgedDatabaseWith<C extends Collections> = DatabaseWith<C> & Pick<BridgedDatabase, 'rows'>;

/** The engine at the other end of a bridge. */
export interface Engine {
  /**
   * Opens a handle. With `collections`, the handle has each of them as a property.
   * @throws FixpointError MISSING_NAME, CONFIG_INVALID
   */
  open<C extends Collections>(
    name: string,
    options: BridgedOptions & { readonly collections: C },
  ): BridgedDatabaseWith<C>;
  open(name: string, options?: BridgedOptions): BridgedDatabase;
  /** Opens a handle for documents of type `T`, which only the compiler checks. */
  open<T extends object>(name: string, options?: BridgedOptions): BridgedDatabaseOf<T>;
  // Again, because `ReturnType` takes the last signature.
  open(name: string, options?: BridgedOptions): BridgedDatabase;
  /** Call this when you end the worker: pending and later calls reject with WORKER_LOST. */
  lost(reason: string): void;
}

export function connectWith(port: BridgePort, marks: PageMarks): Engine {
  const session = openSession(port, marks);
  return {
    lost: session.end,
    open: (
      name: string,
      { collections = {}, ...options }: BridgedOptions & { readonly collections?: Collections } = {},
    ) => {
      if (name === '') throw new FixpointError('MISSING_NAME');
      const open = (all: BridgedOptions) => openBridged(session, name, all);
      const [first] = Object.values(collections);
      return (first === undefined ? open(options) : first.openAll(open, options, collections)) as never;
    },
  };
}

type Names<T> = readonly (keyof T & string)[];

/** Returns methods with these names. Each of them sends a call to the worker. */
function calls<T, const N extends Names<T>>(
  names: N,
  call: (verb: string, args: unknown[]) => unknown,
): Pick<T, N[number]> {
  const methods = names.map((name) => [name, (...args: unknown[]) => call(name, args)]);
  return Object.fromEntries(methods) as Pick<T, N[number]>;
}

function openBridged(session: Session, name: string, options: BridgedOptions): BridgedDatabase {
  const on = session.open(name, options);
  const call = (verb: string, args: unknown[]) => session.call(on, verb, args);
  const listen = (verb: string, args: unknown[]) => session.listen(on, verb, args);
  const view = (at: Head): DatabaseView => ({
    head: at,
    ...calls<DatabaseView, typeof VIEW_CALLS>(VIEW_CALLS, (verb, args) => call('view', [at, verb, args])),
  });
  const stream = (verb: string, args: unknown[]) => session.stream(on, rowVerb(verb), args);
  return {
    name,
    ...calls<Database, typeof CALLS>(CALLS, call),
    ...writesInPage(call),
    // With a number for a result, the rule stays registered after the call.
    mergeWith: (...args) => session.call(on, 'mergeWith', args, session.newNumber()) as Promise<void>,
    at: (at) => view([...at].sort() as unknown as Head),
    ...calls<Database, typeof LISTENS>(LISTENS, listen),
    onClosed: (fn) => {
      const stopLost = session.onEnd(fn);
      const stop = listen('onClosed', [fn]);
      return () => {
        stopLost();
        stop();
      };
    },
    attach: async (remote) => attachedTo(session, on, cloudOptionsOf(remote)),
    rows: {
      ...calls<Rows, typeof ROW_CALLS>(ROW_CALLS, (verb, args) => call(rowVerb(verb), args)),
      ...calls<Rows, typeof STREAMS>(STREAMS, stream),
      onFields: (listener) => listen('onFields', [listener]),
    },
  };
}
