/** Keeps a table's place for this tab: scroll position, focused cell, selection and address. */
import { readNote, writeNote } from '../../../leaving/tab-note.ts';
import type { GridPlace } from '../../grid/grid-column.ts';
import type { Chosen } from '../table/use-selection.ts';

export interface TableView {
  /** The search part of the table's address. */
  readonly search: string;
  readonly place: GridPlace | undefined;
  readonly chosen: Chosen | undefined;
}

/** Larger selections aren't kept, because the notes of a tab share limited space. */
const CHOSEN_MAX = 5000;

const keyOf = (database: string): string => `fixpoint:view:${database}`;

export function readView(database: string): TableView | undefined {
  try {
    return parseView(JSON.parse(readNote(keyOf(database)) ?? 'null'));
  } catch {
    return undefined;
  }
}

export function writeView(database: string, { search, place, chosen }: TableView): void {
  const ids = chosen === undefined || chosen.ids.size > CHOSEN_MAX ? undefined : [...chosen.ids];
  const note = { search, place, ...(ids && { ids, isAllBut: chosen?.isAllBut }) };
  writeNote(keyOf(database), JSON.stringify(note));
}

function parseView(value: unknown): TableView | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { search, place, ids, isAllBut } = value as Record<string, unknown>;
  if (typeof search !== 'string') return undefined;
  const chosen = Array.isArray(ids)
    ? { isAllBut: isAllBut === true, ids: new Set(ids.filter((id) => typeof id === 'string')) }
    : undefined;
  return { search, place: placeIn(place), chosen };
}

function placeIn(value: unknown): GridPlace | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { topPx, leftPx, at, id, column } = value as Record<string, unknown>;
  if (typeof topPx !== 'number' || typeof leftPx !== 'number') return undefined;
  return {
    topPx,
    leftPx,
    at: typeof at === 'number' ? at : 0,
    id: typeof id === 'string' ? id : '',
    column: typeof column === 'string' ? column : undefined,
  };
}

/** Navigation state of links that lead back to the table, as it was. */
export const AS_IT_WAS = 'as it was';

/**
 * Returns whether a visit shows the table as it was: after Back, a reload, or a link that says so.
 * Other links show the table from the start.
 * @param state the navigation state
 * @param isPop whether the browser's history led here
 * @param isFirstPage whether the page was loaded just now
 */
export function isReturn(state: unknown, isPop: boolean, isFirstPage: boolean): boolean {
  if (!isFirstPage) return isPop || state === AS_IT_WAS;
  const [entry] = performance.getEntriesByType?.('navigation') ?? [];
  const { type } = (entry ?? {}) as { readonly type?: string };
  return type === 'reload' || type === 'back_forward';
}
