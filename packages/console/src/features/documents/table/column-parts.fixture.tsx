import { act } from '@testing-library/react';
import { useState } from 'react';
import { arranged, PLAIN_LAYOUT, type TableLayout } from './table-layout.ts';
import type { TableColumns } from './use-table-columns.ts';

const FIELDS: readonly string[] = ['_id', 'litres', 'price', 'shelf'];

/** Provides the columns of a table to a component that changes them, and returns their state. */
export function heldColumns(first: Partial<TableLayout> = {}, more: Partial<TableColumns> = {}) {
  let now: TableLayout = { ...PLAIN_LAYOUT, ...first };
  let show: (layout: TableLayout) => void = () => undefined;
  const useColumns = (): TableColumns => {
    const [layout, setLayout] = useState(now);
    show = setLayout;
    return {
      shown: arranged(FIELDS, layout),
      fields: FIELDS,
      uses: [
        { field: 'litres', documents: 1200 },
        { field: 'price', documents: 1 },
      ],
      layout,
      areOld: false,
      order: () => undefined,
      change: (how) => {
        now = how(now, FIELDS);
        show(now);
      },
      ...more,
    };
  };
  return {
    useColumns,
    layout: () => now,
    /** Returns the visible columns, in order. */
    shown: () => arranged(FIELDS, now),
    press: (button: HTMLElement) => act(async () => button.click()),
  };
}
