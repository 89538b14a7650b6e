/** What stands behind a handle, for verbs that are not among its methods, so that who does not import them does not load them. */
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

/** Undefined for what is no handle of this engine, such as one of another worker. */
export const insideOf = (database: Database): Inside | undefined => insides.get(database);
