import type { BridgedDatabase } from 'fixpoint/bridge';
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useSearchParams } from 'react-router';
import { fieldPlaces } from '../../transfer/import/field-order.ts';
import { type LiveRows, liveRows, type RowsQuery, type RowsState } from '../table/live-rows.ts';
import {
  type ChangeSearch,
  parseSearch,
  rowsQueryOf,
  type TableSearch,
  withSearch,
} from '../table/table-search.ts';

/** Keeps the table's search in the address of the page. */
export function useTableSearch() {
  const [parameters, setParameters] = useSearchParams();
  const address = parameters.toString();
  const search = useMemo(() => parseSearch(new URLSearchParams(address)), [address]);
  const latest = useRef(search);
  useEffect(() => {
    latest.current = search;
  }, [search]);
  const changeSearch = useCallback<ChangeSearch>(
    (how) => {
      const before = latest.current;
      const next = how(before);
      latest.current = next;
      // A filter or an order is a step of the history. Typed text isn't: it changes with each key.
      setParameters((now) => withSearch(now, next), { replace: isSameView(before, next) });
    },
    [setParameters],
  );
  return { search, changeSearch };
}

const isSameView = (a: TableSearch, b: TableSearch): boolean =>
  a.sort === b.sort &&
  a.descending === b.descending &&
  JSON.stringify(a.conditions) === JSON.stringify(b.conditions);

interface ShownRows {
  readonly live: LiveRows;
  readonly state: RowsState;
  /** The state of the current search. */
  readonly current: RowsState;
  /** Whether these are the previous search's rows, shown until the new ones load. */
  readonly isBusy: boolean;
}

/** Returns the rows of the table for a search. */
export function useRows(database: BridgedDatabase, search: TableSearch, toSend: number): ShownRows {
  const asked = JSON.stringify(rowsQueryOf(search));
  const live = useMemo(
    () => liveRows(database.rows, database, JSON.parse(asked) as RowsQuery, fieldPlaces(database.name)),
    [database, asked],
  );
  const state = useSyncExternalStore(live.subscribe, live.current);
  useEffect(() => live.toSend(toSend), [live, toSend]);
  const last = useRef<Pick<ShownRows, 'live' | 'state'> | undefined>(undefined);
  if (state.phase === 'there') last.current = { live, state };
  return state.phase === 'loading' && last.current !== undefined
    ? { ...last.current, current: state, isBusy: true }
    : { live, state, current: state, isBusy: false };
}
