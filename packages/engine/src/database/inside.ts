/**
 * Internals of a handle, for functions that are not among its methods: apps that don't import those
 * don't load them.
 */
import type { Sandbox } from '../ports/sandbox.ts';
import type { Core } from './core.ts';
import type { Database } from './database.ts';

export interface Inside {
  /** @throws FixpointError DATABASE_CLOSED, and why the database cannot be opened */
  open(): Promise<Core>;
  readonly sandbox: Sandbox | undefined;
  readonly report: (error: unknown) => void;
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
