/** The hooks under the names and shapes of `use-fireproof`, for applications that switch by an alias. */
import { type Database, type FireproofOptions, fireproof } from 'fixpoint/fireproof';
import { useMemo } from 'react';
import type { AttachState } from './attachment.ts';
import { type DatabaseHooks, type FixpointOptions, useFixpoint } from './use-fixpoint.ts';
import { useKept } from './use-kept.ts';

/** How `useFireproof` opens and attaches a database. */
export interface UseFireproofConfig extends FireproofOptions {
  /** Keeps the database attached to this ledger: what `toCloud` gives. */
  readonly attach?: FixpointOptions['attach'];
}

/** As `use-fireproof` has it; a token is the application's own affair here, so nothing is ever ready for it to show. */
export type FireproofAttachState = AttachState & {
  readonly ctx: { readonly tokenAndClaims: { readonly state: 'initial' } };
};

/** What `useFireproof` gives. */
export interface UseFireproof extends DatabaseHooks {
  readonly database: Database;
  readonly attach: FireproofAttachState;
}

/** @deprecated Nothing needs it. */
export const FireproofCtx: Readonly<Record<string, never>> = {};

const CTX = { tokenAndClaims: { state: 'initial' } } as const;
const openByName = new Map<string, Database>();

/** The page's handle of a database, for the life of the page or until somebody closes it. */
function databaseNamed(name: string, options: FireproofOptions): Database {
  const known = openByName.get(name);
  if (known !== undefined) return known;
  const database = fireproof(name, options);
  openByName.set(name, database);
  const forget = () => {
    if (openByName.get(name) === database) openByName.delete(name);
  };
  database.onClosed(forget);
  // One that could not be opened is tried again by the next component; this one is told by each call.
  database.ready().catch(forget);
  return database;
}

/** A database, by name or as a handle, with the hooks bound to it. */
export function useFireproof(
  nameOrDatabase: string | Database = 'useFireproof',
  { attach: target, ...options }: UseFireproofConfig = {},
): UseFireproof {
  const database = useKept(
    () => (typeof nameOrDatabase === 'string' ? databaseNamed(nameOrDatabase, options) : nameOrDatabase),
    [nameOrDatabase],
  );
  const { attach, useDocument, useLiveQuery, useAllDocs, useChanges } = useFixpoint(
    database.fixpoint,
    target === undefined ? {} : { attach: target },
  );
  return useMemo(
    () => ({ database, useDocument, useLiveQuery, useAllDocs, useChanges, attach: { ...attach, ctx: CTX } }),
    [database, useDocument, useLiveQuery, useAllDocs, useChanges, attach],
  );
}
