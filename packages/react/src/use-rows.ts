import type { Database } from 'fixpoint';
import { type Rows, type RowWindow, rowsOf, type WindowOptions } from 'fixpoint/rows';
import { useMemo, useSyncExternalStore } from 'react';
import { inputText } from './input-text.ts';
import { keepEqualRows } from './keep-equal.ts';
import { observeLoaded } from './loaded.ts';
import { useKept } from './use-kept.ts';

/** Which rows; see `WindowOptions` of `fixpoint/rows`. */
export type LiveRowsOptions = Omit<WindowOptions, 'signal'>;

/** What `useRows` gives. */
export interface LiveRows extends RowWindow {
  /** False until the first answer for these inputs is there. */
  readonly hydrated: boolean;
  /** Why the last answer could not be had; rows are then those of the answer before. */
  readonly error: Error | undefined;
}

const NOTHING: RowWindow = { rows: [], fields: [], at: undefined, total: undefined, clock: [] };

/**
 * A window of a database of any size, live: ids and previews of some rows, for a table. A handle of `fixpoint/bridge` asks its worker.
 * A row that did not change is the same object, so that what shows it need not render again.
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

/** The cells of a row follow the fields of its window. */
function keepRows(before: RowWindow, now: RowWindow): RowWindow {
  const isSameFields =
    before.fields.length === now.fields.length &&
    before.fields.every((field, at) => field === now.fields[at]);
  return isSameFields ? { ...now, fields: before.fields, rows: keepEqualRows(before.rows, now.rows) } : now;
}
