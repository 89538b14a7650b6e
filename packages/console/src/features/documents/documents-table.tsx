import type { Database, Stored } from 'fixpoint';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useSyncExternalStore } from 'react';
import { failureText } from '../../local/failure-text.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { EmptyState, ErrorPanel, Skeleton } from '../../ui/feedback.tsx';
import { DataGrid, type GridColumn } from '../grid/data-grid.tsx';
import { cellText } from './cell-text.ts';
import { columnLabel } from './columns.ts';
import { documentPath } from './document-path.ts';
import { liveDocuments } from './live-documents.ts';
import { useDeleteDocument } from './use-delete-document.ts';

const NO_DOCUMENTS = 'No documents found. Create a new document to get started.';

export interface DocumentsTableProps {
  readonly database: Database;
  /** Links of documents are this and their encoded id. */
  readonly basePath: string;
  /** What else can be done here, beside New Document. */
  readonly actions?: ReactNode;
}

/** All documents of a database, live. A row opens its document. */
export function DocumentsTable({ database, basePath, actions }: DocumentsTableProps) {
  const live = useMemo(() => liveDocuments(database), [database]);
  const { loaded, docs, columns, columnsAreOld, error } = useSyncExternalStore(live.subscribe, live.current);
  if (!loaded) return error === undefined ? <Skeleton /> : <ErrorPanel message={failureText(error)} />;
  const newDocument = (
    <LinkButton to={`${basePath}/new`} tone="primary">
      New Document
    </LinkButton>
  );
  if (docs.length === 0)
    return (
      <>
        {actions !== undefined && <div className="mb-3 flex flex-wrap justify-end gap-2">{actions}</div>}
        <EmptyState text={NO_DOCUMENTS}>{newDocument}</EmptyState>
      </>
    );
  return (
    <section aria-label="Documents" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <p className="mr-auto text-sm text-muted" role="status">
          {docs.length === 1 ? '1 document' : `${docs.length.toLocaleString('en')} documents`}
        </p>
        {columnsAreOld && (
          <Button onClick={live.orderColumns} title="Columns keep their order while the table is open">
            Columns changed – refresh
          </Button>
        )}
        {newDocument}
        {actions}
      </div>
      <Grid database={database} basePath={basePath} docs={docs} fields={columns} />
    </section>
  );
}

const idOf = (doc: Stored): string => doc._id;

function Grid({
  database,
  basePath,
  docs,
  fields,
}: {
  database: Database;
  basePath: string;
  docs: readonly Stored[];
  fields: readonly string[];
}) {
  const remove = useDeleteDocument(database);
  const columns = useMemo(() => fields.map(columnOf), [fields]);
  const pathOf = useCallback((doc: Stored) => documentPath(basePath, doc._id), [basePath]);
  const deletion = useMemo(
    () => ({
      label: (doc: Stored) => `Delete ${doc._id}`,
      icon: <Trash2 size={15} aria-hidden />,
      run: (doc: Stored) => void remove(doc),
    }),
    [remove],
  );
  return (
    <DataGrid
      label="Documents"
      rows={docs}
      columns={columns}
      rowId={idOf}
      rowPath={pathOf}
      linkColumn="_id"
      deletion={deletion}
    />
  );
}

const columnOf = (field: string): GridColumn<Stored> => ({
  id: field,
  label: columnLabel(field),
  text: (doc) => (Object.hasOwn(doc, field) ? cellText(doc[field]) : ''),
});
