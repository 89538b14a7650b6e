import { useAllDocs } from '@fixpoint/react';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { Database, Stored } from 'fixpoint';
import { Trash2 } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { Link, useNavigate } from 'react-router';
import { LinkButton } from '../../ui/button.tsx';
import { EmptyState, ErrorPanel, Skeleton } from '../../ui/feedback.tsx';
import { useToast } from '../../ui/toaster.tsx';
import { columnLabel, columnsOf, previewOf } from './columns.ts';
import { documentPath } from './document-path.ts';

const ROW_PX = 40;
export const EMPTY_TEXT = 'No documents found. Create a new document to get started.';

export interface DocumentsTableProps {
  readonly database: Database;
  /** Links of documents are this and their encoded id. */
  readonly basePath: string;
}

/** All documents of a database, live. A row opens its document. */
export function DocumentsTable({ database, basePath }: DocumentsTableProps) {
  const { docs, hydrated, error } = useAllDocs(database);
  if (error !== undefined) return <ErrorPanel message={error.message} />;
  if (!hydrated) return <Skeleton />;
  if (docs.length === 0)
    return (
      <EmptyState text={EMPTY_TEXT}>
        <LinkButton to={`${basePath}/new`} tone="primary">
          New Document
        </LinkButton>
      </EmptyState>
    );
  return (
    <>
      <p className="mb-2 text-xs text-muted" aria-live="polite">
        {docs.length === 1 ? '1 document' : `${docs.length} documents`}
      </p>
      <Rows database={database} basePath={basePath} docs={docs} />
    </>
  );
}

function Rows({ database, basePath, docs }: DocumentsTableProps & { docs: readonly Stored[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const remove = useRemove(database);
  const columns = useMemo(() => columnsOf(docs), [docs]);
  const rows = useVirtualizer({
    count: docs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const shown = rows.getVirtualItems();
  const before = shown[0]?.start ?? 0;
  const after = rows.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    <div ref={scroller} className="max-h-[70vh] overflow-auto rounded-lg border border-line bg-surface">
      <table className="w-full border-collapse text-sm" aria-rowcount={docs.length + 1}>
        <thead className="sticky top-0 z-10 bg-raised text-left">
          <tr>
            {columns.map((field) => (
              <th
                key={field}
                scope="col"
                className="border-b border-line px-3 py-2 font-medium whitespace-nowrap"
              >
                {columnLabel(field)}
              </th>
            ))}
            <th scope="col" className="border-b border-line px-3 py-2">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Spacer height={before} />}
          {shown.map(({ index }) => {
            const doc = docs[index];
            if (doc === undefined) return null;
            const link = documentPath(basePath, doc._id);
            return (
              // The link in the first cell serves the keyboard; the row's click is a convenience for the mouse.
              <tr
                key={doc._id}
                aria-rowindex={index + 2}
                className="cursor-pointer border-b border-line last:border-0 hover:bg-raised"
                onClick={() => void navigate(link)}
              >
                {columns.map((field) => (
                  <td key={field} className="h-10 max-w-80 truncate px-3 whitespace-nowrap">
                    {field === '_id' ? (
                      <Link to={link} className="font-mono text-xs text-accent hover:underline">
                        {doc._id}
                      </Link>
                    ) : (
                      previewOf(doc[field])
                    )}
                  </td>
                ))}
                <td className="px-2 text-right">
                  <button
                    type="button"
                    aria-label={`Delete ${doc._id}`}
                    className="cursor-pointer rounded p-2 text-muted hover:text-danger"
                    onClick={(event) => {
                      event.stopPropagation();
                      remove(doc);
                    }}
                  >
                    <Trash2 size={15} aria-hidden />
                  </button>
                </td>
              </tr>
            );
          })}
          {after > 0 && <Spacer height={after} />}
        </tbody>
      </table>
    </div>
  );
}

const Spacer = ({ height }: { height: number }) => (
  <tr aria-hidden>
    <td style={{ height }} />
  </tr>
);

/** Asks, deletes, and offers to undo. */
function useRemove(database: Database): (doc: Stored) => void {
  const toast = useToast();
  const failed = (error: Error) => toast(`The document was not changed: ${error.message}`, { tone: 'error' });
  return (doc) => {
    if (!window.confirm('Are you sure you want to delete this document?')) return;
    const undo = () => void database.put(doc).catch(failed);
    database
      .del(doc._id)
      .then(() => toast('Document deleted.', { action: { label: 'Undo', run: undo } }), failed);
  };
}
