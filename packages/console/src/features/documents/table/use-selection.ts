import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { GridSelection } from '../../grid/grid-column.ts';
import type { LiveRows } from './live-rows.ts';
import { type GoneWatch, type WatchedDatabase, watchGone } from './watch-gone.ts';

/**
 * The selected rows: either `ids`, or all rows except `ids`. So selecting all of a hundred thousand
 * rows needs no list of them.
 */
export interface Chosen {
  readonly isAllBut: boolean;
  readonly ids: ReadonlySet<string>;
}

export interface Selection extends GridSelection {
  readonly count: number;
  /** Selects all rows, whatever is selected. */
  selectAll(): void;
  clear(): void;
  /** The selection itself, which can be kept. */
  readonly kept: Chosen;
  /** Returns the ids of the selected rows. @throws the reason of the signal */
  chosen(signal: AbortSignal): AsyncIterable<readonly string[]>;
}

const NONE: Chosen = { isAllBut: false, ids: new Set() };
const ALL: Chosen = { isAllBut: true, ids: new Set() };

/**
 * Holds the rows of a table that the user selected.
 * @param filter identifies the rows of the table; the selection is cleared when it changes
 * @param initial the selection at first
 */
export function useSelection(
  database: WatchedDatabase,
  live: LiveRows,
  count: number,
  filter: string,
  initial: Chosen = NONE,
): Selection {
  const [chosen, setChosen] = useState(initial);
  const last = useRef<number | undefined>(undefined);
  const [filterThen, setFilter] = useState(filter);
  if (filter !== filterThen) {
    setFilter(filter);
    setChosen(NONE);
  }
  const watch = useRef<GoneWatch>(undefined);
  const isWatched = chosen.ids.size > 0;
  useEffect(() => {
    if (!isWatched) return undefined;
    const own = watchGone(database, (gone) => setChosen((now) => without(now, gone)));
    watch.current = own;
    return () => own.end();
  }, [database, isWatched]);
  useEffect(() => watch.current?.chosen(chosen.ids), [chosen.ids]);

  const toggle = useCallback(
    (at: number, id: string, toHere: boolean) => {
      const range = toHere && last.current !== undefined ? idsBetween(live, last.current, at) : [id];
      last.current = at;
      setChosen((now) => {
        const ids = new Set(now.ids);
        const isIn = toHere ? now.isAllBut : ids.has(id);
        for (const one of range) {
          if (isIn) ids.delete(one);
          else ids.add(one);
        }
        return { ...now, ids };
      });
    },
    [live],
  );

  return useMemo(() => {
    const number = chosen.isAllBut ? Math.max(0, count - chosen.ids.size) : chosen.ids.size;
    return {
      count: number,
      all: number === 0 ? 'none' : number >= count ? 'all' : 'some',
      isSelected: (id) => chosen.ids.has(id) !== chosen.isAllBut,
      toggle,
      selectAll: () => setChosen(ALL),
      toggleAll: () => setChosen(number === 0 ? ALL : NONE),
      clear: () => setChosen(NONE),
      kept: chosen,
      chosen: (signal) => idsOf(live, chosen, signal),
    };
  }, [live, chosen, count, toggle]);
}

/** @param gone ids of deleted documents, which were selected or excluded */
function without(chosen: Chosen, gone: readonly string[]): Chosen {
  const ids = new Set(chosen.ids);
  for (const id of gone) ids.delete(id);
  return { ...chosen, ids };
}

function idsBetween(live: LiveRows, a: number, b: number): readonly string[] {
  const ids: string[] = [];
  for (let at = Math.min(a, b); at <= Math.max(a, b); at += 1) {
    const row = live.rowAt(at);
    if (row !== undefined) ids.push(row.id);
  }
  return ids;
}

async function* idsOf(
  live: LiveRows,
  { isAllBut, ids }: Chosen,
  signal: AbortSignal,
): AsyncGenerator<readonly string[], void> {
  if (!isAllBut) {
    yield [...ids];
    return;
  }
  for await (const part of live.ids(signal)) yield part.filter((id) => !ids.has(id));
}
