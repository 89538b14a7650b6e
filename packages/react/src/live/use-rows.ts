import type { Database } from 'fixpoint';
import { type Rows, type RowWindow, rowsOf, type WindowOptions } from 'fixpoint/rows';
import { useMemo, useSyncExternalStore } from 'react';
import { inputText } from '../input-text.ts';
import { useKept } from '../use-kept.ts';
import { keepEqualRows } from './keep-equal.ts';
import { observeLoaded } from './observe-loaded.ts';

/** Selects the rows; see `WindowOptions` of `fixpoint/rows`. */
export type LiveRowsOptions = Omit<WindowOptions, 'signal'>;

/** Result of `useRows`. */
export interface LiveRows extends RowWindow {
  /** False until the first result for these inputs has loaded. */
  readonly hydrated: boolean;
  /** Why the last load failed. In that case, the rows are the previous rows. */
  readonly error: Error | undefined;
}

const NOTHING: RowWindow = { rows: [], fields: [], at: undefined, total: undefined, clock: [] };

/**
 * Returns a live window of a database of any size: ids and previews of some rows, for a table. With
 * a handle of `fixpoint/bridge`, the worker reads the rows. Unchanged rows stay the same objects,
 * so that they needn't render again.
 */
export function useRows(database: Database, options: LiveRowsOptions = {}): LiveRows {
  const observer = useKept(
    () => observeLoaded(database, () => rowsIn(database).window(options), NOTHING, keepRows),
    [database, inputText(options)],
  );
  const loaded = useSyncExternalStore(observer.subscribe, observer.current, observer.current);
  return useMemo(() => {
    const { value, hydrated, error } = loaded;
    return { ...value, hydrated, error };
  }, [loaded]);
}

const rowsIn = (database: Database & { readonly rows?: Rows }): Rows => database.rows ?? rowsOf(database);

/**
 * Keeps equal rows only while the fields are the same, because the cells of a row belong to these
 * fields.
 */
function keepRows(before: RowWindow, now: RowWindow): RowWindow {
  const isSameFields =
    before.fields.length === now.fields.length &&
    before.fields.every((field, at) => field === now.fields[at]);
  return isSameFields ? { ...now, fields: before.fields, rows: keepEqualRows(before.rows, now.rows) } : now;
}
