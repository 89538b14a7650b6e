import type { Stored } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import type { Cell } from 'fixpoint/rows';
import { useCallback, useEffect, useState } from 'react';
import { untilStored } from '../../../leaving/ask-before-leaving.ts';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { openConflicts } from '../../../undo/open-conflicts.ts';
import { recordStep } from '../../../undo/undo-stack.ts';
import { fieldChange, writtenStep } from '../../../undo/written-step.ts';
import { cellText } from '../../../values/cell-text.ts';
import { fieldLabel } from '../../../values/field-label.ts';
import { shownId } from '../../../values/shown-id.ts';
import { truncate } from '../../../values/truncate.ts';
import { editField, type FieldEdit } from '../values/edit-field.ts';
import { typedOf } from '../values/field-value.ts';
import { inTurn } from '../values/in-turn.ts';
import type { TableRow } from './live-rows.ts';

/** `before` is the field's value when typing began. */
type CellWrite = (id: string, edit: FieldEdit, before: unknown) => void;

export interface CellWrites {
  /**
   * Returns the value that the user last wrote into a cell, until the table reads the row again.
   * Then returns the cell of the row.
   */
  readonly cellOf: (row: TableRow, field: string) => Cell | undefined;
  readonly write: CellWrite;
  /** Returns a document after all pending writes to its cells. @throws FixpointError */
  readonly read: (id: string) => Promise<Stored>;
  /** Returns whether a document has a conflict, so that its cells can't be written. */
  readonly hasConflict: (id: string, signal: AbortSignal) => Promise<boolean>;
}

interface Shown {
  readonly cell: Cell | undefined;
  /** Whether the database has stored the value, so that the next read of the rows includes it. */
  readonly isStored: boolean;
}

const ID_CHARS_MAX = 40;
const NONE: ReadonlyMap<string, Shown> = new Map();
const keyOf = (id: string, field: string): string => JSON.stringify([id, field]);

/**
 * Shows values typed into cells at once, stores them in the background, and records them for Undo.
 * `version` is the version of the rows.
 */
export function useCellWrites(database: BridgedDatabase, version: number): CellWrites {
  const [shown, setShown] = useState(NONE);
  const toast = useToast();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each version means that rows were read again
  useEffect(() => {
    setShown((now) => {
      const left = new Map([...now].filter(([, { isStored }]) => !isStored));
      return left.size === now.size ? now : left;
    });
  }, [version]);

  const store = useCallback(
    async (id: string, edit: FieldEdit, before: unknown): Promise<boolean> => {
      const key = keyOf(id, edit.field);
      const own: Shown = { cell: cellFor(edit.value), isStored: false };
      setShown((now) => new Map(now).set(key, own));
      try {
        await untilStored(inTurn(database, id, () => editField(database, id, edit, before)));
        // Newer text typed into the cell stays visible.
        setShown((now) => (now.get(key) === own ? new Map(now).set(key, { ...own, isStored: true }) : now));
        return true;
      } catch (error) {
        setShown((now) => new Map([...now].filter(([, one]) => one !== own)));
        toast(`Couldn’t change ${fieldLabel(edit.field)}: ${failureText(error)}`, { tone: 'error' });
        return false;
      }
    },
    [database, toast],
  );
  const write = useCallback<CellWrite>(
    (id, edit, before) => {
      void store(id, edit, before).then((isStored) => {
        if (!isStored) return;
        const what = `${fieldLabel(edit.field)} of ${truncate(shownId(id), ID_CHARS_MAX)}`;
        const label = `${edit.value === undefined ? 'Removed' : 'Changed'} ${what}`;
        const kept = [fieldChange(id, [{ field: edit.field, before, after: edit.value }])];
        recordStep(database, writtenStep(database, label, [{ kept }]));
      });
    },
    [database, store],
  );
  const cellOf = useCallback<CellWrites['cellOf']>(
    (row, field) => {
      const own = shown.size === 0 ? undefined : shown.get(keyOf(row.id, field));
      return own === undefined ? row.cell(field) : own.cell;
    },
    [shown],
  );
  const read = useCallback((id: string) => inTurn(database, id, () => database.get(id)), [database]);
  const hasConflict = useCallback(
    async (id: string, signal: AbortSignal) => (await openConflicts(database, [id], signal)).size > 0,
    [database],
  );
  return { cellOf, write, read, hasConflict };
}

function cellFor(value: unknown): Cell | undefined {
  if (value === undefined) return undefined;
  const kind = typedOf(value)?.kind;
  const cell = { text: cellText(value), cut: false };
  if (kind === 'text' || kind === 'number' || kind === 'boolean' || kind === 'null') return { ...cell, kind };
  return { ...cell, kind: Array.isArray(value) ? 'list' : 'object' };
}
