import type { AllDocsOptions, Database, DatabaseOf, Doc, Head, UntypedDatabase } from 'fixpoint';
import {
  type LiveChanges,
  type LiveConflicts,
  type LiveDocs,
  type LiveRows,
  type LiveRowsOptions,
  liveAllDocs,
  liveChanges,
  liveConflicts,
  liveRows,
} from 'fixpoint/live';
import { useStore } from '../use-store.ts';

/** Returns the live documents of a database, in the order of their ids. */
export function useAllDocs<T extends object>(database: DatabaseOf<T>, options?: AllDocsOptions): LiveDocs<T>;
export function useAllDocs<T extends object = Doc>(
  database: UntypedDatabase,
  options?: AllDocsOptions,
): LiveDocs<T>;
export function useAllDocs(database: object, options?: AllDocsOptions): LiveDocs {
  return useStore(liveAllDocs(database as Database, options));
}

/**
 * Returns the live documents that were written after a head, oldest first. Without a head, starts
 * from the beginning.
 */
export function useChanges<T extends object>(
  database: DatabaseOf<T>,
  since?: Head,
  options?: { readonly limit?: number },
): LiveChanges<T>;
export function useChanges<T extends object = Doc>(
  database: UntypedDatabase,
  since?: Head,
  options?: { readonly limit?: number },
): LiveChanges<T>;
export function useChanges(
  database: object,
  since?: Head,
  options?: { readonly limit?: number },
): LiveChanges {
  return useStore(liveChanges(database as Database, since, options));
}

/**
 * Returns all documents that have a conflict, live: documents whose concurrent versions no later
 * write replaced. Unchanged conflicts stay the same objects.
 */
export const useConflicts = <T extends object = Doc>(database: Database): LiveConflicts<T> =>
  useStore(liveConflicts<T>(database));

/**
 * Returns a live window of a database of any size: ids and previews of some rows, for a table. With
 * a handle of `fixpoint/bridge`, the worker reads the rows. Unchanged rows stay the same objects,
 * so that they needn't render again.
 */
export const useRows = (database: Database, options?: LiveRowsOptions): LiveRows =>
  useStore(liveRows(database, options));
