import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { type ChangeSearch, parseSearch, type TableSearch, withSearch } from '../table/table-search.ts';

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
