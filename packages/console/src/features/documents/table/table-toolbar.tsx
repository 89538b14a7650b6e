import type { BridgedDatabase } from 'fixpoint/bridge';
import {
  ArrowDownWideNarrow,
  Columns3,
  Ellipsis,
  ListFilter,
  Pencil,
  RefreshCw,
  Search,
  Upload,
} from 'lucide-react';
import { useCallback, useState } from 'react';
import { useCanWrite } from '../../../local/can-write.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Menu, MenuCheckbox, MenuItem, MenuNote, MenuSeparator } from '../../../ui/overlays/menu.tsx';
import { useAddressChoice } from '../../../ui/pages/use-address-choice.ts';
import { useIsNarrow } from '../../../ui/use-is-narrow.ts';
import { columnLabel } from '../../../values/field-label.ts';
import { ConditionDialog } from '../../filter/condition-dialog.tsx';
import { type Filter, partsOf } from '../../filter/filter.ts';
import { FilterChips } from '../../filter/filter-chips.tsx';
import { FilterField } from '../../filter/filter-field.tsx';
import { textOfParts } from '../../filter/filter-text.ts';
import { useKnownPaths } from '../../filter/use-known-paths.ts';
import { SchemaSwitch } from '../../schema/schema-switch.tsx';
import { ExportItems, ExportOptions } from '../../transfer/export-items.tsx';
import { allIds } from '../../transfer/formats.ts';
import { useExport } from '../../transfer/use-export.tsx';
import { ViewsMenu } from '../views/views-menu.tsx';
import { ColumnsDialog } from './columns-dialog.tsx';
import type { TapMode } from './documents-grid.tsx';
import type { LiveRows } from './live-rows.ts';
import { type ChangeSearch, isFiltering, sortedBy, type TableSearch, withFilter } from './table-search.ts';
import type { RowMode } from './use-row-mode.ts';
import type { TableColumns } from './use-table-columns.ts';

const ICON = { size: 14, 'aria-hidden': true } as const;
const TYPING_MS = 200;

export interface TableToolbarProps {
  readonly database: BridgedDatabase;
  readonly search: TableSearch;
  readonly changeSearch: ChangeSearch;
  readonly columns: TableColumns;
  readonly live: LiveRows;
  readonly onImport: () => void;
  /** For users without a pointer that reveals the pencil, and without Shift. */
  readonly tapMode: TapMode;
  readonly setTapMode: (mode: TapMode) => void;
  readonly rowMode: RowMode;
}

/** Renders the line above the table: search, filter, sort, columns, and more actions. */
export function TableToolbar(props: TableToolbarProps) {
  const { database, search, changeSearch, columns, tapMode, setTapMode } = props;
  const canWrite = useCanWrite();
  const [open, setOpen] = useState<'columns' | 'condition' | undefined>();
  const hidden = columns.fields.length - columns.shown.length;
  const { conditions } = search;
  return (
    <>
      {/* On a small screen the buttons show only their icons. */}
      <div className="flex min-h-10.5 shrink-0 items-center gap-1.5 pr-3 pl-4 max-sm:flex-wrap max-sm:py-2 print:hidden">
        <SchemaSwitch isSchema={false} />
        <SearchField search={search} changeSearch={changeSearch} />
        <Button
          aria-haspopup="dialog"
          data-applies={conditions.length > 0 ? '' : undefined}
          className={`${TINTED} ${SMALL}`}
          onClick={() => setOpen('condition')}
        >
          <ListFilter {...ICON} /> <span className="max-sm:sr-only">Filter</span>
          {conditions.length > 0 && <span className="text-xs tabular-nums">{conditions.length}</span>}
        </Button>
        <SortMenu {...{ search, changeSearch, columns }} />
        <Button aria-haspopup="dialog" className="max-sm:hidden" onClick={() => setOpen('columns')}>
          <Columns3 {...ICON} /> Columns
          {hidden > 0 && (
            <span className="text-xs text-ink-3 tabular-nums">
              {columns.shown.length} of {columns.fields.length}
            </span>
          )}
        </Button>
        {columns.areOld && (
          <Button
            onClick={columns.order}
            title="Columns keep their order until you refresh them"
            className={SMALL}
          >
            <RefreshCw {...ICON} /> <span className="max-sm:sr-only">Refresh columns</span>
          </Button>
        )}
        {canWrite && (
          <Button
            aria-pressed={tapMode === 'edit'}
            className={`hidden any-pointer-coarse:inline-flex ${CHOSEN} ${SMALL}`}
            onClick={() => setTapMode(tapMode === 'edit' ? 'open' : 'edit')}
          >
            <Pencil {...ICON} /> <span className="max-sm:sr-only">Edit cells</span>
          </Button>
        )}
        <MoreMenu {...props} onColumns={() => setOpen('columns')} />
        <div className="ml-auto flex items-center gap-1.5">
          <ViewsMenu database={database.name} layout={columns.layout} />
        </div>
      </div>
      {tapMode !== 'open' && (
        <p className="shrink-0 px-4 pb-2 text-sm text-ink-3">
          {TAP_HINTS[tapMode]} Tap a document id to open the document.
        </p>
      )}
      <FilterLine
        {...props}
        isAdding={open === 'condition'}
        onAdding={(is) => setOpen(is ? 'condition' : undefined)}
      />
      <ColumnsDialog open={open === 'columns'} onClose={() => setOpen(undefined)} columns={columns} />
    </>
  );
}

const TAP_HINTS: Record<Exclude<TapMode, 'open'>, string> = {
  edit: 'Tap a cell to edit it.',
  select: 'Tap two cells to select all cells between them.',
};

const TINTED = 'data-applies:border-accent-line data-applies:bg-accent-soft data-applies:text-accent-ink';
const CHOSEN = 'aria-pressed:border-accent-line aria-pressed:bg-accent-soft aria-pressed:text-accent-ink';
const SMALL = 'max-sm:min-w-10 max-sm:px-2.5';

function SortMenu({
  search,
  changeSearch,
  columns,
}: Pick<TableToolbarProps, 'search' | 'changeSearch' | 'columns'>) {
  const { sort, descending } = search;
  const isNarrow = useIsNarrow();
  return (
    <Menu
      trigger={
        <Button className={SMALL}>
          <ArrowDownWideNarrow {...ICON} /> <span className="max-sm:sr-only">Sort</span>
          {sort !== undefined && (
            <span className="max-w-32 truncate text-xs text-ink-3 max-sm:sr-only">{columnLabel(sort)}</span>
          )}
        </Button>
      }
    >
      <MenuNote>Sort by</MenuNote>
      {columns.fields.slice(0, isNarrow ? undefined : SORTS_MAX).map((field) => (
        <MenuItem key={field} onClick={() => changeSearch((now) => sortedBy(now, field))}>
          <span className="max-w-48 min-w-0 grow truncate" title={columnLabel(field)}>
            {columnLabel(field)}
          </span>
          {sort === field && (
            <span className="text-xs text-ink-3">{descending ? 'descending' : 'ascending'}</span>
          )}
        </MenuItem>
      ))}
    </Menu>
  );
}

/** The menus of the headings sort by any field. The list of a phone has no headings. */
const SORTS_MAX = 12;

function MoreMenu(props: TableToolbarProps & { onColumns: () => void }) {
  const { database, live, search, onImport, onColumns, rowMode, tapMode, setTapMode } = props;
  const exporting = useExport(database);
  const canWrite = useCanWrite();
  const isSearching = isFiltering(search);
  return (
    <>
      <Menu
        trigger={
          <IconButton label="More table actions">
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        {canWrite && (
          <MenuItem onClick={onImport}>
            <Upload {...ICON} /> Import
          </MenuItem>
        )}
        <div className="sm:hidden">
          <MenuItem onClick={onColumns}>
            <Columns3 {...ICON} /> Columns
          </MenuItem>
        </div>
        <MenuCheckbox
          checked={rowMode.isComfortable}
          onChange={rowMode.setComfortable}
          title="Shows taller rows"
        >
          Comfortable rows
        </MenuCheckbox>
        <div className="hidden any-pointer-coarse:block">
          <MenuCheckbox
            checked={tapMode === 'select'}
            onChange={(isOn) => setTapMode(isOn ? 'select' : 'open')}
            title="Selects cells to copy, paste or fill them"
            closes
          >
            Select cells by tapping
          </MenuCheckbox>
        </div>
        <MenuSeparator />
        <MenuNote>Export all documents</MenuNote>
        <ExportItems exporting={exporting} ids={allIds} />
        {isSearching && (
          <>
            <MenuNote>Export documents found</MenuNote>
            <ExportItems exporting={exporting} ids={live.ids} suffix=", documents found" />
          </>
        )}
        <ExportOptions exporting={exporting} />
      </Menu>
      {exporting.dialog}
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

function SearchField({ search, changeSearch }: Pick<TableToolbarProps, 'search' | 'changeSearch'>) {
  const give = useCallback((next: string) => changeSearch((now) => ({ ...now, text: next })), [changeSearch]);
  const [text, setText] = useAddressChoice(search.text, give, TYPING_MS);
  return (
    <div className="relative min-w-24 grow sm:max-w-58">
      <Search
        {...ICON}
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-3"
      />
      <input
        type="search"
        aria-label="Find in documents"
        placeholder="Find in all fields"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-(--control) w-full rounded-md border border-control-line bg-surface pr-2 pl-8 text-sm text-ellipsis -outline-offset-1 placeholder:text-ink-3 hover:border-ink max-sm:text-[1rem]"
      />
    </div>
  );
}

/** Shows the filter as chips or as text, and the dialog that adds a condition. */
function FilterLine(props: TableToolbarProps & { isAdding: boolean; onAdding: (isAdding: boolean) => void }) {
  const { database, search, changeSearch, columns, isAdding, onAdding } = props;
  const { conditions, malformed } = search;
  const [isText, setText] = useState(false);
  const [hasEdited, setEdited] = useState(false);
  const isEditing = isAdding || isText || hasEdited || malformed !== undefined;
  const known = useKnownPaths(database, columns.fields, columns.uses, isEditing);
  const filter = (how: (parts: readonly Filter[]) => readonly Filter[]) =>
    changeSearch((now) => withFilter(now, how(now.conditions)));
  const closeText = () => {
    setText(false);
    if (malformed !== undefined) changeSearch((now) => withFilter(now, now.conditions));
  };
  return (
    <>
      {isText || malformed !== undefined ? (
        <FilterField
          text={malformed ?? textOfParts(conditions)}
          known={known}
          onApply={(next) => {
            filter(() => partsOf(next));
            setText(false);
          }}
          onCancel={closeText}
        />
      ) : (
        // Reads the fields when the user is about to edit a condition.
        <div onFocusCapture={() => setEdited(true)}>
          <FilterChips
            {...{ known }}
            parts={conditions}
            onChange={filter}
            onAdd={() => onAdding(true)}
            onText={() => setText(true)}
            onClear={() => changeSearch((now) => ({ ...withFilter(now, []), text: '' }))}
          />
        </div>
      )}
      {isAdding && (
        <ConditionDialog
          known={known}
          chip={undefined}
          onClose={() => onAdding(false)}
          onSave={(condition) => filter((parts) => [...parts, condition])}
        />
      )}
    </>
  );
}
