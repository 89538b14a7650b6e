import type { Database } from '../database/database.ts';
import { type Rows, rowsOf } from '../database/database-rows.ts';
import type { RowWindow, WindowOptions } from '../rows/window.ts';
import { inputText, plainCopy } from './inputs.ts';
import { keepEqualRows } from './keep-equal.ts';
import type { LiveStore } from './live-store.ts';
import { type LoadState, loadedStore } from './loaded-store.ts';

/** Selects the rows; see `WindowOptions` of `fixpoint/rows`. */
export type LiveRowsOptions = Omit<WindowOptions, 'signal'>;

/** A live window of a database. */
export interface LiveRows extends RowWindow, LoadState {}

/**
 * Returns a live window of a database of any size: ids and previews of some rows, for a table. With
 * a handle of `fixpoint/bridge`, the worker reads the rows. Unchanged rows stay the same objects,
 * so that they needn't render again.
 */
export function liveRows(
  database: Database & { readonly rows?: Rows },
  given: LiveRowsOptions = {},
): LiveStore<LiveRows> {
  const options = plainCopy(given);
  return loadedStore<RowWindow, LiveRows>({
    source: database,
    inputs: [database, inputText(options)],
    initial: { rows: [], fields: [], at: undefined, total: undefined, clock: [] },
    load: () => (database.rows ?? rowsOf(database)).window(options),
    keep: keepRows,
    show: (value, state) => ({ ...value, ...state }),
  });
}

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
