import type { Database } from 'fixpoint';
import type { Rows } from 'fixpoint/rows';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { GridSelection } from '../grid/grid-column.ts';
import type { LiveRows } from './live-rows.ts';

/** Chosen rows: these, or all but these, so that choosing all of a hundred thousand holds no list of them. */
interface Chosen {
  readonly isAllBut: boolean;
  readonly ids: ReadonlySet<string>;
}

export interface Selection extends GridSelection {
  readonly count: number;
  clear(): void;
  /** The ids of the chosen rows. @throws the reason of the signal */
  chosen(signal: AbortSignal): AsyncIterable<readonly string[]>;
}

export interface SelectionDatabase extends Pick<Database, 'subscribe'> {
  readonly rows: Pick<Rows, 'window'>;
}

const NONE: Chosen = { isAllBut: false, ids: new Set() };

/** Which rows of a table the user chose. @param filter which rows the table has: what was chosen of others is chosen no longer */
export function useSelection(
  database: SelectionDatabase,
  live: LiveRows,
  count: number,
  filter: string,
): Selection {
  const [chosen, setChosen] = useState(NONE);
  const last = useRef<number | undefined>(undefined);
  const [filterThen, setFilter] = useState(filter);
  if (filter !== filterThen) {
    setFilter(filter);
    setChosen(NONE);
  }
  useEffect(() => {
    if (chosen.ids.size === 0) return undefined;
    return watchGone(database, chosen.ids, (gone) => setChosen((now) => without(now, gone)));
  }, [database, chosen.ids]);

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
      toggleAll: () => setChosen(number === 0 ? { isAllBut: true, ids: new Set() } : NONE),
      clear: () => setChosen(NONE),
      chosen: (signal) => idsOf(live, chosen, signal),
    };
  }, [live, chosen, count, toggle]);
}

const BATCH = 1000;
/** So long after a change it is looked which documents are gone. */
const PAUSE_MS = 100;

/** Tells which of these documents are not there, soon after each change. */
function watchGone(
  { rows, subscribe }: SelectionDatabase,
  ids: ReadonlySet<string>,
  tell: (gone: readonly string[]) => void,
): () => void {
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async () => {
    timer = undefined;
    const gone = await goneOf(rows, [...ids]);
    if (!isOver && gone.length > 0) tell(gone);
  };
  const begin = () => {
    // What cannot be read now is looked for after the next change.
    timer ??= setTimeout(() => void look().catch(() => undefined), PAUSE_MS);
  };
  const stop = subscribe(begin);
  // For a change from before this.
  begin();
  return () => {
    isOver = true;
    clearTimeout(timer);
    stop();
  };
}

async function goneOf(rows: Pick<Rows, 'window'>, ids: readonly string[]): Promise<readonly string[]> {
  const gone = new Set(ids);
  for (let at = 0; at < ids.length; at += BATCH) {
    const part = ids.slice(at, at + BATCH);
    const { rows: there } = await rows.window({ ids: part, limit: part.length, fields: [] });
    for (const { id } of there) gone.delete(id);
  }
  return [...gone];
}

/** @param gone ids that were chosen, or excepted */
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
