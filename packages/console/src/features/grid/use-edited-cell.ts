import { type PointerEvent, type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { CellEditing, GridRows } from './grid-column.ts';
import { cellIn } from './use-row-focus.ts';

export interface EditedCell {
  readonly edited: { readonly id: string; readonly column: string } | undefined;
  /** The editable cell under the pointer. */
  readonly pointed: { readonly at: number; readonly column: string } | undefined;
  /** Starts editing a cell; without a column, ends editing. Stable across renders. */
  readonly onEdit: (at: number, column: string | undefined) => void;
  readonly onPointerOver: (event: PointerEvent) => void;
  readonly onPointerLeave: () => void;
}

/** Holds the cell that is being edited. Returns the focus to the cell when editing ends. */
export function useEditedCell<Row>(
  scroller: RefObject<HTMLElement | null>,
  rows: Pick<GridRows<Row>, 'rowAt' | 'rowId'>,
  editing: CellEditing<Row> | undefined,
): EditedCell {
  const [edited, edit] = useState<EditedCell['edited']>();
  const [pointed, point] = useState<EditedCell['pointed']>();
  const wanted = useRef<EditedCell['pointed']>(undefined);
  const latest = useRef({ rows, editing, edited });
  latest.current = { rows, editing, edited };

  useLayoutEffect(() => {
    const target = wanted.current;
    if (target === undefined || edited !== undefined) return;
    wanted.current = undefined;
    // Keep the focus where the user moved it.
    if (document.activeElement !== document.body) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${target.at}"]`);
    if (row) cellIn(row, target.column)?.focus({ preventScroll: true });
  });

  const onEdit = useCallback((at: number, column: string | undefined) => {
    const { rows: now, editing: how, edited: before } = latest.current;
    if (column === undefined) {
      if (before !== undefined) wanted.current = { at, column: before.column };
      edit(undefined);
      return;
    }
    const row = now.rowAt(at);
    if (row !== undefined && how?.canEdit(column) === true) edit({ id: now.rowId(row), column });
  }, []);

  const onPointerOver = useCallback(({ target, pointerType }: PointerEvent) => {
    const cell =
      pointerType === 'mouse' && target instanceof Element
        ? target.closest<HTMLElement>('[data-column]')
        : undefined;
    const column = cell?.dataset['column'];
    const at = Number(cell?.closest<HTMLElement>('[data-row]')?.dataset['row']);
    const isFree = column !== undefined && latest.current.editing?.canEdit(column) === true;
    point((now) => {
      if (!isFree) return undefined;
      return now?.at === at && now.column === column ? now : { at, column };
    });
  }, []);
  const onPointerLeave = useCallback(() => point(undefined), []);
  return { edited, pointed, onEdit, onPointerOver, onPointerLeave };
}
