import type { BridgedDatabase } from 'fixpoint/bridge';
import { FilePlus, Plus } from 'lucide-react';
import { type MouseEvent, type ReactNode, useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useCanWrite, useReadOnlyText } from '../../../local/can-write.ts';
import { keepCount } from '../../../local/document-counts.tsx';
import { LinkButton } from '../../../ui/button.tsx';
import { EmptyState, ErrorPanel, Skeleton } from '../../../ui/pages/feedback.tsx';
import { lazyComponent } from '../../../ui/pages/lazy-component.tsx';
import { InSlot } from '../../../ui/pages/page-slots.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { SCHEMA, SHOW_PARAMETER } from '../../schema/schema-switch.tsx';
import { FileDrop } from '../../transfer/import/file-drop.tsx';
import { beginDraft } from '../document/begun-draft.ts';
import { useTableView } from '../place/use-table-view.ts';
import { StatusBar } from '../search/status-bar.tsx';
import { useRows, useTableSearch } from '../search/use-table-search.ts';
import { BulkBar } from './bulk-bar.tsx';
import { DocumentsGrid, type TapMode } from './documents-grid.tsx';
import { isFiltering } from './table-search.ts';
import { ImportButton, TableToolbar } from './table-toolbar.tsx';
import { useRowMode } from './use-row-mode.ts';
import { useSelection } from './use-selection.ts';
import { useTableColumns } from './use-table-columns.ts';

const ImportDialog = lazyComponent(
  async () => (await import('../../transfer/import/import-dialog.tsx')).ImportDialog,
);

const SchemaView = lazyComponent(
  async () => (await import('../../schema/schema-view.tsx')).SchemaView,
  () => (
    <div className="px-4">
      <Skeleton shape="rows" />
    </div>
  ),
);

const NO_DOCUMENTS = 'No documents found. Create a new document to get started.';

export interface DocumentsTableProps {
  readonly database: BridgedDatabase;
  /** The link to a document is this path plus the encoded id. */
  readonly basePath: string;
  /** Help to show while there are no documents. */
  readonly help?: ReactNode;
  /** How many changes wait to be sent to a ledger; the rows of their documents are marked. */
  readonly toSend?: number;
}

/** Shows all documents of a database, live. A click on a row opens its document. */
export function DocumentsTable(props: DocumentsTableProps) {
  /** The files that an import begins with; undefined while there is no import. */
  const [files, setFiles] = useState<readonly File[] | undefined>();
  const canWrite = useCanWrite();
  const isSchema = useSearchParams()[0].get(SHOW_PARAMETER) === SCHEMA;
  if (isSchema) return <SchemaView database={props.database} basePath={props.basePath} />;
  return (
    <>
      <Documents {...props} onImport={() => setFiles([])} />
      {canWrite && files === undefined && <FileDrop onFiles={setFiles} />}
      {files !== undefined && (
        <ImportDialog database={props.database} files={files} onClose={() => setFiles(undefined)} />
      )}
    </>
  );
}

/** @param isTight whether a phone shows only the icon */
function NewDocument({ to, isTight = false }: { to: string; isTight?: boolean }) {
  return (
    <LinkButton to={to} tone="primary">
      <Plus size={16} aria-hidden /> <span className={isTight ? 'max-sm:sr-only' : ''}>New Document</span>
    </LinkButton>
  );
}

function Documents(props: DocumentsTableProps & { onImport: () => void }) {
  const { database, basePath, help, toSend = 0, onImport } = props;
  const { search, changeSearch } = useTableSearch();
  const { live, state, current, isBusy } = useRows(database, search, toSend);
  const columns = useTableColumns(database, state.fields, state.isCounted);
  const filter = JSON.stringify([search.text, search.conditions]);
  const isWhole = state.phase === 'there' && state.isCounted && !isFiltering(search) && !isBusy;
  useEffect(() => {
    if (isWhole) keepCount(database, state.count);
  }, [database, isWhole, state.count]);
  const { place, initial, keepChosen } = useTableView(database);
  const selection = useSelection(database, live, state.count, filter, initial?.chosen);
  keepChosen(selection.kept);
  const [tapMode, setTapMode] = useState<TapMode>('open');
  const rowMode = useRowMode();
  const canWrite = useCanWrite();
  const readOnlyText = useReadOnlyText('database');
  if (state.phase === 'failed') return <ErrorPanel message={failureText(state.error)} />;
  // Prefetches the document of a pressed row. With touch this waits for the click, because a finger
  // on a row may start to scroll.
  const begin = ({ target, button }: MouseEvent) => {
    const id = button === 0 ? live.rowAt(openedRow(target, tapMode))?.id : undefined;
    if (id !== undefined) beginDraft(database, id);
  };
  if (isWhole && state.count === 0)
    return (
      <>
        <EmptyState
          icon={<FilePlus size={24} />}
          text={canWrite ? NO_DOCUMENTS : `No documents found. ${readOnlyText}`}
        >
          {canWrite && (
            <>
              <NewDocument to={`${basePath}/new`} />
              <ImportButton onClick={onImport} />
            </>
          )}
        </EmptyState>
        {help}
      </>
    );
  return (
    <section aria-label="Documents" className="fills relative">
      {canWrite && (
        <InSlot name="actions">
          <NewDocument to={`${basePath}/new`} isTight />
        </InSlot>
      )}
      <TableToolbar
        {...{ database, search, changeSearch, columns, live, onImport, tapMode, setTapMode, rowMode }}
      />
      {state.error !== undefined && (
        <div className="px-4 pb-2">
          <ErrorPanel message={failureText(state.error)} />
        </div>
      )}
      {state.phase === 'loading' ? (
        <div className="flex-1 px-4">
          <Skeleton shape="rows" />
        </div>
      ) : (
        <div
          aria-busy={isBusy}
          className={`flex min-h-0 flex-1 flex-col ${isBusy ? 'opacity-60' : ''}`}
          onPointerDown={(event) => event.pointerType === 'mouse' && begin(event)}
          onClickCapture={begin}
        >
          <DocumentsGrid
            {...{ database, basePath, live, columns, selection, search, changeSearch, tapMode, place }}
            rowPx={rowMode.rowPx}
            count={state.count}
            version={state.version}
          />
        </div>
      )}
      <StatusBar database={database} state={current} search={search} />
      <BulkBar {...{ database, selection }} fields={columns.fields} columns={columns.shown} />
    </section>
  );
}

/** Returns the index of the row that a click on this element opens; NaN for none. */
function openedRow(target: EventTarget, tapMode: TapMode): number {
  if (!(target instanceof Element)) return Number.NaN;
  const part = target.closest(tapMode === 'open' ? 'a, button, label' : 'a, [data-column], button, label');
  if (part !== null && part.tagName !== 'A') return Number.NaN;
  return Number(target.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? Number.NaN);
}
