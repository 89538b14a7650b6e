import type { ConflictingDocument, Database, Doc } from 'fixpoint';
import { useMemo, useSyncExternalStore } from 'react';
import { useKept } from '../use-kept.ts';
import { keepEqualRows } from './keep-equal.ts';
import { observeLoaded } from './observe-loaded.ts';

/** Result of `useConflicts`. */
export interface LiveConflicts<T extends object = Doc> {
  /** The documents with a conflict, sorted by id. */
  readonly conflicts: readonly ConflictingDocument<T>[];
  /** False until the first result has loaded. */
  readonly hydrated: boolean;
  /** Why the last load failed. In that case, the conflicts are the previous ones. */
  readonly error: Error | undefined;
}

/**
 * Returns all documents that have a conflict, live: documents whose concurrent versions no later
 * write replaced. Unchanged conflicts stay the same objects.
 */
export function useConflicts<T extends object = Doc>(database: Database): LiveConflicts<T> {
  const observer = useKept(() => {
    const { onClosed } = database;
    const subscribe = (listener: () => void) => database.onConflicts(() => listener());
    const none: readonly ConflictingDocument<T>[] = [];
    return observeLoaded({ subscribe, onClosed }, () => database.conflicts<T>(), none, keepEqualRows);
  }, [database]);
  const loaded = useSyncExternalStore(observer.subscribe, observer.current, observer.current);
  return useMemo(() => {
    const { value: conflicts, hydrated, error } = loaded;
    return { conflicts, hydrated, error };
  }, [loaded]);
}
