import type { Changes, DatabaseOf, Doc, Head, Stored, UntypedDatabase } from 'fixpoint';
import { useMemo, useSyncExternalStore } from 'react';
import { inputText } from '../input-text.ts';
import { useKept } from '../use-kept.ts';
import { keepEqualRows } from './keep-equal.ts';
import { observeLoaded, type Readable } from './observe-loaded.ts';

/** Result of `useChanges`. */
export interface LiveChanges<T extends object = Doc> extends Changes<T> {
  readonly docs: readonly Stored<T>[];
  /** False until the first result for these inputs has loaded. */
  readonly hydrated: boolean;
  /** Why the last load failed. In that case, the rows are the previous rows. */
  readonly error: Error | undefined;
}

const BEGINNING: Head = [];

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
export function useChanges<T extends object>(
  database: Readable<'changes'>,
  since: Head = BEGINNING,
  options: { readonly limit?: number } = {},
): LiveChanges<T> {
  const observer = useKept(() => {
    const initial: Changes<T> = { rows: [], clock: [], name: database.name };
    return observeLoaded(database, () => database.changes<T>(since, options), initial, keepRows);
  }, [database, inputText([since, options])]);
  const loaded = useSyncExternalStore(observer.subscribe, observer.current, observer.current);
  return useMemo(() => {
    const { value, hydrated, error } = loaded;
    return { ...value, docs: value.rows.map((row) => row.value), hydrated, error };
  }, [loaded]);
}

const keepRows = <T extends object>(before: Changes<T>, now: Changes<T>): Changes<T> => ({
  ...now,
  rows: keepEqualRows(before.rows, now.rows),
});
