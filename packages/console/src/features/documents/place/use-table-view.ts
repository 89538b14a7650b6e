import type { Database } from 'fixpoint';
import { useContext, useEffect, useMemo, useRef } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';
import { VisitsContext } from '../../../leaving/visit.ts';
import type { GridPlace, KeptPlace } from '../../grid/grid-column.ts';
import type { Chosen } from '../table/use-selection.ts';
import { isReturn, readView, type TableView, writeView } from './table-view.ts';

export interface KeptView {
  /** The place and selection to restore; undefined for a table that starts at the top. */
  readonly initial: TableView | undefined;
  readonly place: KeptPlace;
  /** Must be called in each render with the selection. */
  keepChosen(chosen: Chosen): void;
}

/** Keeps the table's place when the page is left, and returns it when the user comes back. */
export function useTableView({ name, onClosed }: Pick<Database, 'name' | 'onClosed'>): KeptView {
  const location = useLocation();
  const isPop = useNavigationType() === NavigationType.Pop;
  const visits = useContext(VisitsContext);
  const first = useRef<TableView | 'none'>(undefined);
  if (first.current === undefined) {
    const view = isReturn(location.state, isPop, visits() === 0) ? readView(name) : undefined;
    first.current = view?.search === location.search ? view : 'none';
  }
  const initial = first.current === 'none' ? undefined : first.current;
  const latest = useRef<TableView>(undefined);
  latest.current = {
    place: initial?.place,
    chosen: initial?.chosen,
    ...latest.current,
    search: location.search,
  };
  useEffect(() => {
    let isClosed = false;
    // A deleted database leaves no notes.
    const stop = onClosed(() => {
      isClosed = true;
    });
    const keep = () => !isClosed && latest.current && writeView(name, latest.current);
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('pagehide', keep);
      keep();
      stop();
    };
  }, [name, onClosed]);
  return useMemo(() => {
    const set = (part: Partial<TableView>) => {
      if (latest.current !== undefined) latest.current = { ...latest.current, ...part };
    };
    return {
      initial,
      place: { initial: initial?.place, changed: (place: GridPlace) => set({ place }) },
      keepChosen: (chosen) => set({ chosen }),
    };
  }, [initial]);
}
