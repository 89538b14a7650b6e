import type { BridgedDatabase } from 'fixpoint/bridge';
import { Columns3, Download, ListFilter, Pencil, Search, Upload, X } from 'lucide-react';
import { type ReactNode, useCallback, useState } from 'react';
import { useCanWrite } from '../../../local/can-write.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu, MenuNote, MenuSeparator } from '../../../ui/overlays/menu.tsx';
import { useAddressChoice } from '../../../ui/pages/use-address-choice.ts';
import { columnLabel } from '../../../values/field-label.ts';
import { ExportItems, ExportOptions } from '../../transfer/export-items.tsx';
import { allIds } from '../../transfer/formats.ts';
import { useExport } from '../../transfer/use-export.tsx';
import { ColumnsDialog } from './columns-dialog.tsx';
import { ConditionDialog } from './condition-dialog.tsx';
import type { LiveRows, RowsState } from './live-rows.ts';
import { type ChangeSearch, isWithoutValue, type TableSearch, TEST_LABELS } from './table-search.ts';
import type { TableColumns } from './use-table-columns.ts';

const ICON = { size: 14, 'aria-hidden': true } as const;
const TYPING_MS = 200;

export interface TableToolbarProps {
  readonly database: BridgedDatabase;
  readonly search: TableSearch;
  readonly changeSearch: ChangeSearch;
  readonly columns: TableColumns;
  readonly state: RowsState;
  readonly live: LiveRows;
  readonly onImport: () => void;
  /** Whether a tap on a cell edits it, for users without a pointer that reveals the pencil. */
  readonly editsByTap: boolean;
  readonly editByTap: (isOn: boolean) => void;
  readonly children: ReactNode;
}

/**
 * Renders the bar above the table: the number of documents, the search with its conditions, and
 * actions for all documents.
 */
export function TableToolbar(props: TableToolbarProps) {
  const { database, search, changeSearch, columns, state, live, onImport, children } = props;
  const { editsByTap, editByTap } = props;
  const canWrite = useCanWrite();
  const [open, setOpen] = useState<'columns' | 'condition' | undefined>();
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <p className="mr-auto text-sm text-muted" role="status">
          {countText(state, search)}
        </p>
        {columns.areOld && (
          <Button onClick={columns.order} title="Columns keep their order until you refresh them">
            Refresh columns
          </Button>
        )}
        <div className="ml-auto flex flex-wrap justify-end gap-2">{children}</div>
      </div>
      {/* Without icons, the buttons fit in one line of a small screen. */}
      <div className="flex flex-wrap items-center gap-2 max-sm:[&_button>svg]:hidden">
        <SearchField search={search} changeSearch={changeSearch} />
        <Button onClick={() => setOpen('condition')}>
          <ListFilter {...ICON} /> Filter
        </Button>
        <Button onClick={() => setOpen('columns')}>
          <Columns3 {...ICON} /> Columns
        </Button>
        <ExportMenu database={database} live={live} search={search} />
        {canWrite && (
          <>
            <ImportButton onClick={onImport} />
            <Button
              aria-pressed={editsByTap}
              className="hidden any-pointer-coarse:inline-flex aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
              onClick={() => editByTap(!editsByTap)}
            >
              <Pencil {...ICON} /> Edit cells
            </Button>
          </>
        )}
      </div>
      {editsByTap && (
        <p className="text-sm text-muted">Tap a cell to edit it. Tap a document id to open the document.</p>
      )}
      <Conditions search={search} changeSearch={changeSearch} />
      <ColumnsDialog open={open === 'columns'} onClose={() => setOpen(undefined)} columns={columns} />
      <ConditionDialog
        open={open === 'condition'}
        onClose={() => setOpen(undefined)}
        fields={columns.fields}
        onAdd={(condition) => changeSearch((now) => ({ ...now, conditions: [...now.conditions, condition] }))}
      />
    </>
  );
}

/** Renders the button that opens the import dialog. */
export function ImportButton({ onClick }: { onClick: () => void }) {
  return (
    <Button onClick={onClick}>
      <Upload {...ICON} /> Import
    </Button>
  );
}

function countText({ count, isCounted, looked, phase }: RowsState, search: TableSearch): string {
  if (phase === 'loading' && looked === undefined) return 'Loading...';
  const number = count.toLocaleString('en');
  const isSearching = search.text !== '' || search.conditions.length > 0;
  const noun = count === 1 ? 'document' : 'documents';
  if (looked !== undefined && isSearching)
    return `${number} ${noun} found so far (${looked.toLocaleString('en')} searched)`;
  if (isSearching) return `${number} ${noun} found`;
  return isCounted ? `${number} ${noun}` : `${number}+ ${noun}, counting...`;
}

function SearchField({ search, changeSearch }: Pick<TableToolbarProps, 'search' | 'changeSearch'>) {
  const give = useCallback((next: string) => changeSearch((now) => ({ ...now, text: next })), [changeSearch]);
  const [text, setText] = useAddressChoice(search.text, give, TYPING_MS);
  return (
    <div className="relative min-w-40 grow sm:max-w-xs">
      <Search
        {...ICON}
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
      />
      <input
        type="search"
        aria-label="Find in documents"
        placeholder="Find in all fields"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-8 w-full rounded-md border border-field bg-surface pr-2 pl-8 text-sm -outline-offset-1 placeholder:text-muted hover:border-text max-sm:h-9 max-sm:text-[1rem]"
      />
    </div>
  );
}

function Conditions({ search, changeSearch }: Pick<TableToolbarProps, 'search' | 'changeSearch'>) {
  const { conditions } = search;
  if (conditions.length === 0) return null;
  return (
    <ul aria-label="Conditions" className="flex flex-wrap gap-2">
      {conditions.map((condition, at) => {
        const { field, test, value } = condition;
        const text = `${columnLabel(field)} ${TEST_LABELS[test]}${isWithoutValue(test) ? '' : ` ${value}`}`;
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: conditions may be equal, and have no state
            key={`${text} ${at}`}
            className="flex h-7 max-w-full items-center gap-1 rounded-full border border-accent/30 bg-accent-soft pr-1 pl-3 text-xs text-accent"
          >
            <span className="truncate">{text}</span>
            <button
              type="button"
              aria-label={`Remove condition: ${text}`}
              className="grid size-6 shrink-0 cursor-pointer place-items-center rounded-full hover:bg-surface"
              onClick={() =>
                changeSearch((now) => ({
                  ...now,
                  conditions: now.conditions.filter((one) => one !== condition),
                }))
              }
            >
              <X size={12} aria-hidden />
            </button>
          </li>
        );
      })}
      <li>
        <Button
          tone="quiet"
          size="sm"
          onClick={() => changeSearch((now) => ({ ...now, conditions: [], text: '' }))}
        >
          Clear all
        </Button>
      </li>
    </ul>
  );
}

function ExportMenu({ database, live, search }: Pick<TableToolbarProps, 'database' | 'live' | 'search'>) {
  const exporting = useExport(database);
  const isSearching = search.text !== '' || search.conditions.length > 0;
  return (
    <>
      <Menu
        trigger={
          <Button>
            <Download {...ICON} /> Export
          </Button>
        }
      >
        <MenuNote>All documents</MenuNote>
        <ExportItems exporting={exporting} ids={allIds} />
        {isSearching && (
          <>
            <MenuSeparator />
            <MenuNote>Documents found</MenuNote>
            <ExportItems exporting={exporting} ids={live.ids} suffix=", documents found" />
          </>
        )}
        <ExportOptions exporting={exporting} />
      </Menu>
      {exporting.dialog}
    </>
  );
}
