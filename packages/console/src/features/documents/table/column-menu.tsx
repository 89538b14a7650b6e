import { fieldPath } from 'fixpoint/rows';
import {
  ArrowDownAZ,
  ArrowLeft,
  ArrowRight,
  ArrowUpAZ,
  EyeOff,
  Filter,
  MoveHorizontal,
  Pin,
  PinOff,
  RotateCcw,
} from 'lucide-react';
import { MenuItem, MenuNote, MenuSeparator } from '../../../ui/overlays/menu.tsx';
import { columnLabel } from '../../../values/field-label.ts';
import { withHidden, withPinned, withStep, withWidth } from './table-layout.ts';
import type { ChangeSearch } from './table-search.ts';
import type { TableColumns } from './use-table-columns.ts';

const ICON = { size: 14, 'aria-hidden': true } as const;

/** Renders the actions for one column of the documents table. */
export function ColumnMenu(props: { field: string; columns: TableColumns; changeSearch: ChangeSearch }) {
  const { field, columns, changeSearch } = props;
  const { layout, change, uses } = columns;
  const isPinned = layout.pinned.includes(field);
  const documents = uses.find((use) => use.field === field)?.documents;
  const sort = (descending: boolean) => changeSearch((now) => ({ ...now, sort: field, descending }));
  const condition = () =>
    changeSearch((now) => ({
      ...now,
      conditions: [...now.conditions, { kind: 'test', path: fieldPath(field), test: 'exists' }],
    }));
  return (
    <>
      {documents !== undefined && (
        <MenuNote>
          {columnLabel(field)} · in {documents.toLocaleString('en')}{' '}
          {documents === 1 ? 'document' : 'documents'}
        </MenuNote>
      )}
      <MenuItem onClick={() => sort(false)}>
        <ArrowUpAZ {...ICON} /> Sort ascending
      </MenuItem>
      <MenuItem onClick={() => sort(true)}>
        <ArrowDownAZ {...ICON} /> Sort descending
      </MenuItem>
      {field !== '_id' && (
        <MenuItem onClick={condition}>
          <Filter {...ICON} /> Show only documents with this field
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem onClick={() => change((now) => withPinned(now, field, !isPinned))}>
        {isPinned ? <PinOff {...ICON} /> : <Pin {...ICON} />} {isPinned ? 'Unpin' : 'Pin to the left'}
      </MenuItem>
      <MenuItem onClick={() => change((now, fields) => withStep(now, fields, field, -1))}>
        <ArrowLeft {...ICON} /> Move left
      </MenuItem>
      <MenuItem onClick={() => change((now, fields) => withStep(now, fields, field, 1))}>
        <ArrowRight {...ICON} /> Move right
      </MenuItem>
      <MenuItem onClick={() => change((now) => withWidth(now, field, WIDE_PX))}>
        <MoveHorizontal {...ICON} /> Make wide
      </MenuItem>
      {layout.widths.has(field) && (
        <MenuItem onClick={() => change((now) => withWidth(now, field, undefined))}>
          <RotateCcw {...ICON} /> Reset width
        </MenuItem>
      )}
      {field !== '_id' && (
        <MenuItem onClick={() => change((now) => withHidden(now, field, true))}>
          <EyeOff {...ICON} /> Hide
        </MenuItem>
      )}
    </>
  );
}

const WIDE_PX = 480;
