/**
 * What the two ends of the bridge say to each other. `on` and `as` are numbers that the page gives
 * to what lives in the worker.
 */

import type { Head } from '../clock/event.ts';
import type { Database } from '../database/database.ts';
import type { Rows } from '../database/database-rows.ts';
import type { LedgerKind } from '../sync/ledger/ledger-sealing.ts';
import type { LedgerDevices, SyncStatus } from '../sync/remote.ts';

/**
 * Methods whose arguments and answers are data: one list for both ends. A method of the database
 * that is in no list does not compile in the client.
 */
export const CALLS = [
  'ready',
  'put',
  'get',
  'del',
  'remove',
  'bulk',
  'allDocs',
  'query',
  'changes',
  'compact',
  'history',
  'conflicts',
  'events',
  'diff',
  'restore',
  'prove',
  'verify',
  'rotateKey',
  'changePassphrase',
  'close',
  'destroy',
] as const satisfies readonly (keyof Database)[];
export const VIEW_CALLS = ['get', 'allDocs', 'query'] as const satisfies readonly (keyof Database)[];
export const ROW_CALLS = ['window', 'count', 'fields'] as const satisfies readonly (keyof Rows)[];
export const STREAMS = ['find', 'map', 'scan'] as const satisfies readonly (keyof Rows)[];
export const DEVICE_CALLS = [
  'keyring',
  'code',
  'list',
  'approve',
  'remove',
  'newRecoveryCode',
  'recover',
] as const satisfies readonly (keyof LedgerDevices)[];

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
      /** What comes out of the call stays in the worker, under this number. */
      readonly as: number | undefined;
    }
  | { readonly do: 'drop'; readonly on: number }
  | { readonly do: 'abort'; readonly signal: number }
  | { readonly do: 'answer'; readonly id: number; readonly value: unknown; readonly failed: boolean };

export type ToPage =
  | { readonly do: 'answer'; readonly id: number; readonly value: unknown; readonly failed: boolean }
  /** A function of the page is called. */
  | { readonly do: 'ask'; readonly id: number; readonly fn: number; readonly args: unknown }
  | { readonly do: 'head'; readonly on: number; readonly head: Head }
  /**
   * The page is to remember whether something is stored in a database: a worker has no place for
   * that.
   */
  | { readonly do: 'mark'; readonly storageName: string; readonly isWritten: boolean };

/** What one end of the bridge does with the marks of written databases. */
export interface PageMarks {
  isWritten(name: string): boolean;
  mark(storageName: string, isWritten: boolean): void;
}

/**
 * Given what tells the page; returns what takes in the mark that the page has for the database of a
 * name.
 */
export type WorkerMarks = (
  tell: (storageName: string, isWritten: boolean) => void,
) => (name: string, isWritten: boolean) => void;

/** What a page knows of an attachment without asking. */
export interface AttachedState {
  readonly status: SyncStatus;
  readonly kind: LedgerKind | undefined;
  readonly isApproved: boolean;
}
