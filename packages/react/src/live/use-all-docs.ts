import type { AllDocs, AllDocsOptions, DatabaseOf, Doc, Head, Stored, UntypedDatabase } from 'fixpoint';
import { useMemo, useSyncExternalStore } from 'react';
import { inputText } from '../input-text.ts';
import { useKept } from '../use-kept.ts';
import { keepEqualRows } from './keep-equal.ts';
import { observeLoaded, type Readable } from './observe-loaded.ts';

/** Result of `useAllDocs`. */
export interface LiveDocs<T extends object = Doc> extends AllDocs<T> {
  readonly docs: readonly Stored<T>[];
  /** The head at which the rows were read. */
  readonly clock: Head;
  /** False until the first result for these inputs has loaded. */
  readonly hydrated: boolean;
  /** Why the last load failed. In that case, the rows are the previous rows. */
  readonly error: Error | undefined;
}

/** Returns the live documents of a database, in the order of their ids. */
export function useAllDocs<T extends object>(database: DatabaseOf<T>, options?: AllDocsOptions): LiveDocs<T>;
export function useAllDocs<T extends object = Doc>(
  database: UntypedDatabase,
  options?: AllDocsOptions,
): LiveDocs<T>;
export function useAllDocs<T extends object>(
  database: Readable<'allDocs'>,
  options: AllDocsOptions = {},
): LiveDocs<T> {
  const observer = useKept(() => {
    const initial: AllDocs<T> = { rows: [], clock: [], name: database.name };
    return observeLoaded(database, () => database.allDocs<T>(options), initial, keepRows);
  }, [database, inputText(options)]);
  const loaded = useSyncExternalStore(observer.subscribe, observer.current, observer.current);
  return useMemo(() => {
    const { value, hydrated, error } = loaded;
    return { ...value, docs: value.rows.map((row) => row.value), hydrated, error };
  }, [loaded]);
}

const keepRows = <T extends object>(before: AllDocs<T>, now: AllDocs<T>): AllDocs<T> => ({
  ...now,
  rows: keepEqualRows(before.rows, now.rows),
});
