import type { Database, Doc, FindOptions, FindResult, Stored } from 'fixpoint';
import { useMemo, useSyncExternalStore } from 'react';
import { inputText } from '../input-text.ts';
import { useKept } from '../use-kept.ts';
import { isEqual } from './keep-equal.ts';
import { observeLoaded } from './observe-loaded.ts';

/** Result of `useFind`. */
export interface LiveFind<T extends object = Doc> {
  readonly docs: readonly Stored<T>[];
  /** The place after the last document, for `after`; undefined if no more documents match. */
  readonly next: string | undefined;
  /** False until the first result for these inputs has loaded. */
  readonly hydrated: boolean;
  /** Why the last load failed. In that case, the documents are the previous documents. */
  readonly error: Error | undefined;
}

/**
 * Returns the live documents that match the conditions. The search uses the declared indexes of the
 * database: see its option `indexes`. Unchanged documents stay the same objects.
 */
export function useFind<T extends object = Doc>(database: Database, options: FindOptions = {}): LiveFind<T> {
  const observer = useKept(() => {
    const initial: FindResult<T> = { docs: [] };
    return observeLoaded(database, () => database.find<T>(options), initial, keepDocs);
  }, [database, inputText(options)]);
  const loaded = useSyncExternalStore(observer.subscribe, observer.current, observer.current);
  return useMemo(() => {
    const { value, hydrated, error } = loaded;
    return { docs: value.docs, next: value.next, hydrated, error };
  }, [loaded]);
}

function keepDocs<T extends object>(before: FindResult<T>, now: FindResult<T>): FindResult<T> {
  const known = new Map(before.docs.map((doc) => [doc._id, doc]));
  const docs = now.docs.map((doc) => {
    const same = known.get(doc._id);
    return same !== undefined && isEqual(same, doc) ? same : doc;
  });
  const isSame =
    before.next === now.next &&
    docs.length === before.docs.length &&
    docs.every((doc, at) => doc === before.docs[at]);
  return isSame ? before : { ...now, docs };
}
