import { useChanges } from '@fixpoint/react';
import { Link } from 'react-router';
import { previewOf } from '../features/documents/columns.ts';
import { documentPath } from '../features/documents/document-path.ts';
import { textOfDocument } from '../features/documents/json-text.ts';
import { EmptyState, ErrorPanel, PageHeader, Skeleton } from '../ui/feedback.tsx';
import { useLocalDatabase } from './databases.$name.tsx';

/** /fp/databases/{name}/history: changes, the newest first. */
export function Component() {
  const { database, name, base } = useLocalDatabase();
  const { rows, hydrated, error } = useChanges(database);
  return (
    <>
      <title>{`History of ${name} · Fixpoint`}</title>
      <PageHeader title="History" above={name} />
      {error !== undefined && <ErrorPanel message={error.message} />}
      {!hydrated && error === undefined && <Skeleton />}
      {hydrated && rows.length === 0 && <EmptyState text="Nothing was written yet." />}
      {rows.length > 0 && (
        <div className="overflow-x-auto rounded-lg border border-line bg-surface">
          <table className="w-full text-sm">
            <thead className="bg-raised text-left">
              <tr>
                {['document', 'now', 'event'].map((label) => (
                  <th key={label} scope="col" className="border-b border-line px-3 py-2 font-medium">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.toReversed().map(({ key, value, clock }) => (
                <tr key={key} className="border-b border-line last:border-0">
                  <td className="px-3 py-2">
                    <Link
                      to={documentPath(`${base}/docs`, key)}
                      className="font-mono text-xs text-accent hover:underline"
                    >
                      {key}
                    </Link>
                  </td>
                  <td className="max-w-96 truncate px-3 py-2 text-muted">
                    {value['_deleted'] === true ? 'deleted' : previewOf(textOfDocument(value))}
                  </td>
                  <td className="max-w-40 truncate px-3 py-2 font-mono text-xs text-muted" title={clock}>
                    {clock.slice(-12)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
