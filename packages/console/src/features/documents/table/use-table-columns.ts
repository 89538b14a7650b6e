import type { BridgedDatabase } from 'fixpoint/bridge';
import type { FieldUses } from 'fixpoint/rows';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { whileNothingOpens } from '../document/begun-draft.ts';
import { columnsAfter, columnsAreOld, columnsByUse } from './columns.ts';
import { arranged, readLayout, type TableLayout, writeLayout } from './table-layout.ts';

export interface TableColumns {
  /** Visible fields, in order. */
  readonly shown: readonly string[];
  /** All fields, in their order while the table is open. */
  readonly fields: readonly string[];
  readonly uses: FieldUses;
  readonly layout: TableLayout;
  /** Whether the current documents call for another order. */
  readonly areOld: boolean;
  /** Applies the order that fits the current documents. */
  order(): void;
  change(how: (layout: TableLayout, fields: readonly string[]) => TableLayout): void;
}

const NO_USES: FieldUses = [];

/**
 * Returns the columns of a table: the documents' fields, as the user arranged them. Before all
 * fields are counted, those of the first rows.
 * `mayCount`: counting reads all documents, so it waits until the first rows are shown.
 */
export function useTableColumns(
  database: BridgedDatabase,
  first: readonly string[],
  mayCount: boolean,
): TableColumns {
  const [uses, setUses] = useState(NO_USES);
  const [known, setFields] = useState<readonly string[] | undefined>();
  const fields = useMemo(() => known ?? ['_id', ...first], [known, first]);
  const [layout, setLayout] = useState(() => readLayout(database.name));
  const [hasBegun, begin] = useState(mayCount);
  if (mayCount && !hasBegun) begin(true);
  useEffect(() => {
    if (!hasBegun) return undefined;
    let isFirst = true;
    const take = (next: FieldUses) => {
      setUses(next);
      setFields((now) => (isFirst || now === undefined ? columnsByUse(next) : columnsAfter(now, next)));
      isFirst = false;
    };
    return whileNothingOpens(() => database.rows.onFields(take));
  }, [database, hasBegun]);
  const change = useCallback<TableColumns['change']>(
    (how) =>
      setLayout((now) => {
        const next = how(now, fields);
        writeLayout(database.name, next);
        return next;
      }),
    [database, fields],
  );
  const order = useCallback(() => setFields(columnsByUse(uses)), [uses]);
  const shown = useMemo(() => arranged(fields, layout), [fields, layout]);
  const areOld = useMemo(() => known !== undefined && columnsAreOld(known, uses), [known, uses]);
  return useMemo(
    () => ({ shown, fields, uses, layout, areOld, order, change }),
    [shown, fields, uses, layout, areOld, order, change],
  );
}
