import type { AllDocs, AllDocsOptions, Database, Doc, Head, Stored } from 'fixpoint';
import { useMemo, useSyncExternalStore } from 'react';
import { inputText } from './input-text.ts';
import { keepEqualRows } from './keep-equal.ts';
import { observeLoaded } from './loaded.ts';
import { useKept } from './use-kept.ts';

/** What `useAllDocs` gives. */
export interface LiveDocs<T extends object = Doc> extends AllDocs<T> {
  readonly docs: readonly Stored<T>[];
  /** The head that the rows were read at. */
  readonly clock: Head;
  /** False until the first answer for these inputs is there. */
  readonly hydrated: boolean;
  /** Why the last answer could not be had; rows are then those of the answer before. */
  readonly error: Error | undefined;
}

/** Documents in the order of their ids, live. */
export function useAllDocs<T extends object = Doc>(
  database: Database,
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
