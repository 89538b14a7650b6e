/**
 * Messages between the two ends of the bridge. `on` and `as` are numbers that the page assigns to
 * objects in the worker.
 */

import type { Database } from '../database/database.ts';
import type { Rows } from '../database/database-rows.ts';
import { DEVICE_CALLS } from '../sync/device-calls.ts';
import type { LedgerKind } from '../sync/ledger/ledger-sealing.ts';
import type { Attached, PresenceStatus, PresentClient, SyncStatus } from '../sync/remote.ts';

/**
 * Methods whose arguments and answers are data; both ends use this list. The client doesn't compile
 * if a method of the database is in no list.
 */
export const CALLS = [
  'ready',
  'head',
  'put',
  'get',
  'del',
  'remove',
  'bulk',
  'allDocs',
  'query',
  'find',
  'count',
  'groupBy',
  'explain',
  'changes',
  'compact',
  'history',
  'conflicts',
  'events',
  'device',
  'diff',
  'restore',
  'prove',
  'verify',
  'rotateKey',
  'changePassphrase',
  'close',
  'destroy',
] as const satisfies readonly (keyof Database)[];
/** Methods that take a listener, and return a function that unsubscribes. */
export const LISTENS = ['subscribe', 'onConflicts'] as const satisfies readonly (keyof Database)[];
export const VIEW_CALLS = ['get', 'allDocs', 'query'] as const satisfies readonly (keyof Database)[];
export const ROW_CALLS = ['window', 'count', 'fields'] as const satisfies readonly (keyof Rows)[];
export const STREAMS = ['find', 'map', 'scan'] as const satisfies readonly (keyof Rows)[];
/** Names a method of rows among the verbs of a database, which has methods of the same names. */
export const rowVerb = (name: string): string => `rows.${name}`;
export const ATTACHED_CALLS = [
  'synced',
  'held',
  'withheld',
  'removeEntries',
  'detach',
] as const satisfies readonly (keyof Attached)[];
/** Calls that page and worker pass on. */
export const BRIDGED_DEVICE_CALLS = ['keyring', ...DEVICE_CALLS] as const;

export type ToWorker =
  | {
      readonly do: 'open';
      readonly as: number;
      readonly name: string;
      readonly options: unknown;
      /** Whether the page remembers that something was stored in this database. */
      readonly isWritten: boolean;
    }
  | {
      readonly do: 'call';
      readonly id: number;
      readonly on: number;
      readonly verb: string;
      readonly args: unknown;
      /** If set, the result of the call stays in the worker, under this number. */
      readonly as: number | undefined;
    }
  | { readonly do: 'drop'; readonly on: number }
  | { readonly do: 'abort'; readonly signal: number }
  | { readonly do: 'answer'; readonly id: number; readonly value: unknown; readonly failed: boolean };

export type ToPage =
  | { readonly do: 'answer'; readonly id: number; readonly value: unknown; readonly failed: boolean }
  /** Calls a function of the page. */
  | { readonly do: 'ask'; readonly id: number; readonly fn: number; readonly args: unknown }
  /**
   * Asks the page to remember whether a database has content, because a worker can't store this
   * mark.
   */
  | { readonly do: 'mark'; readonly storageName: string; readonly isWritten: boolean };

/** The page's record of the databases that have content. */
export interface PageMarks {
  isWritten(name: string): boolean;
  mark(storageName: string, isWritten: boolean): void;
}

/**
 * Connects a worker to the page's record of the databases that have content. `tell` sends a change
 * of this record to the page. The returned function receives what the page recorded about a
 * database.
 */
export type WorkerMarks = (
  tell: (storageName: string, isWritten: boolean) => void,
) => (name: string, isWritten: boolean) => void;

/**
 * The page's function of an update. An array, because a promise would be awaited: the worker
 * rejects it, as the engine does.
 */
export type RunChange = (doc: object | undefined) => Promise<readonly [after: unknown]>;

/**
 * Runs the page's function of a transaction once. New ids consist of `head` and of the hexadecimal
 * digits of the numbers from `tail`.
 */
export type RunWork = (run: number, head: string, tail: number) => Promise<void>;

/**
 * A call in a transaction. Calls arrive in order, and before the end of the function, so the worker
 * commits all writes with the reads that they are based on. The id is new if the document to put
 * has none.
 */
export type WithinCall = readonly [verb: 'get' | 'put' | 'del', id: string, doc?: unknown];

/** The state of an attachment, which the worker sends to the page after each change. */
export interface AttachedState {
  readonly status: SyncStatus;
  readonly kind: LedgerKind | undefined;
  readonly isApproved: boolean;
}

/** Changes in the presence of a ledger, which the worker sends to the page. */
export interface PresenceNews {
  /** The state of this client, if anything else than the page set it. */
  readonly me?: object | undefined;
  readonly changed: readonly PresentClient[];
  /** Ids of the clients that are gone. */
  readonly gone: readonly string[];
  readonly status: PresenceStatus;
  /** Number of states that the page has set, as far as the worker knows. */
  readonly number: number;
  /** Whether presence has ended, because of `leave` or `detach`. */
  readonly isOver: boolean;
}
