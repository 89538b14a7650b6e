import type { BridgedDatabase } from 'fixpoint/bridge';
import type { FieldUses } from 'fixpoint/rows';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { fieldPlaces } from '../../transfer/import/field-order.ts';
import { whileNothingOpens } from '../document/begun-draft.ts';
import { columnsAfter, columnsAreOld, columnsByUse } from './columns.ts';
import {
  addressOfLayout,
  arranged,
  layoutIn,
  readLayout,
  type TableLayout,
  writeLayout,
} from './table-layout.ts';

export interface TableColumns {
  /** Visible fields, in order. */
  readonly shown: readonly string[];
  /** All fields. Their order stays while the table is open, until `order` is called. */
  readonly fields: readonly string[];
  readonly uses: FieldUses;
  readonly layout: TableLayout;
  /** Whether the fields would have another order for the current documents. */
  readonly areOld: boolean;
  /** Applies the order that fits the current documents. */
  order(): void;
  change(how: (layout: TableLayout, fields: readonly string[]) => TableLayout): void;
}

const NO_USES: FieldUses = [];

/**
 * Returns the columns of a table: the documents' fields, as the user arranged them.
 * @param first fields of the first rows, used until the fields of all documents are counted
 * @param mayCount false until the first rows are shown, because counting reads all documents
 */
export function useTableColumns(
  database: BridgedDatabase,
  first: readonly string[],
  mayCount: boolean,
): TableColumns {
  const [uses, setUses] = useState(NO_USES);
  const [known, setFields] = useState<readonly string[] | undefined>();
  const fields = useMemo(() => known ?? ['_id', ...first], [known, first]);
  const [layout, setLayout] = useLayout(database.name);
  const [hasBegun, begin] = useState(mayCount);
  if (mayCount && !hasBegun) begin(true);
  useEffect(() => {
    if (!hasBegun) return undefined;
    let isFirst = true;
    const take = (next: FieldUses) => {
      const places = fieldPlaces(database.name);
      setUses(next);
      setFields((now) =>
        isFirst || now === undefined ? columnsByUse(next, places) : columnsAfter(now, next, places),
      );
      isFirst = false;
    };
    return whileNothingOpens(() => database.rows.onFields(take));
  }, [database, hasBegun]);
  const change = useCallback<TableColumns['change']>(
    (how) => setLayout((now) => how(now, fields)),
    [setLayout, fields],
  );
  const { name } = database;
  const order = useCallback(() => setFields(columnsByUse(uses, fieldPlaces(name))), [uses, name]);
  const shown = useMemo(() => arranged(fields, layout), [fields, layout]);
  const areOld = useMemo(
    () => known !== undefined && columnsAreOld(known, uses, fieldPlaces(name)),
    [known, uses, name],
  );
  return useMemo(
    () => ({ shown, fields, uses, layout, areOld, order, change }),
    [shown, fields, uses, layout, areOld, order, change],
  );
}

const LAYOUT_PARAMETER = 'layout';

/**
 * Returns the layout, and a function that changes it. A layout in the address, as in a saved view,
 * is changed there; otherwise this browser stores it for the database.
 */
function useLayout(database: string) {
  const [parameters, setParameters] = useSearchParams();
  const inAddress = parameters.get(LAYOUT_PARAMETER);
  const [own, setOwn] = useState(() => readLayout(database));
  const layout = useMemo(() => layoutIn(inAddress) ?? own, [inAddress, own]);
  const latest = useRef(layout);
  useEffect(() => {
    latest.current = layout;
  }, [layout]);
  const isInAddress = inAddress !== null;
  const change = useCallback(
    (how: (now: TableLayout) => TableLayout) => {
      const next = how(latest.current);
      latest.current = next;
      if (!isInAddress) {
        writeLayout(database, next);
        setOwn(next);
        return;
      }
      setParameters(
        (now) => {
          const changed = new URLSearchParams(now);
          changed.set(LAYOUT_PARAMETER, addressOfLayout(next));
          return changed;
        },
        { replace: true },
      );
    },
    [database, isInAddress, setParameters],
  );
  return [layout, change] as const;
}
