/**
 * Internals of a handle, for functions such as `rowsOf` that take a handle. They aren't methods, so
 * that an app loads such a function only if it imports it.
 */
import type { Sandbox } from '../ports/sandbox.ts';
import type { Core } from './core.ts';
import type { Database, Transaction } from './database.ts';

export interface Inside {
  /** @throws FixpointError DATABASE_CLOSED, or the reason why the database cannot be opened */
  open(): Promise<Core>;
  /** Resolves when the database begins to open; undefined if it began with the handle. */
  readonly begins: Promise<void> | undefined;
  readonly sandbox: Sandbox | undefined;
  readonly report: (error: unknown) => void;
  /** Returns a new document id, like those of `put`. */
  newId(): string;
  /**
   * Runs a transaction.
   * @param keeps see `transact` in transact.ts
   */
  transact<R>(work: (transaction: Transaction) => Promise<R> | R, keeps: boolean): Promise<R>;
}

const insides = new WeakMap<Database, Inside>();

export function withInside(database: Database, inside: Inside): Database {
  insides.set(database, inside);
  return database;
}

/**
 * Returns undefined for anything but a handle of this engine, such as a handle of another worker.
 */
export const insideOf = (database: Database): Inside | undefined => insides.get(database);
