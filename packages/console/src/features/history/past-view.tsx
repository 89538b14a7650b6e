import type { Database, Stored } from 'fixpoint';
import { Clock } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { failureText } from '../../local/failure-text.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { EmptyState, ErrorPanel, Skeleton } from '../../ui/feedback.tsx';
import { useToast } from '../../ui/toaster.tsx';
import { SideBySide } from '../diff/side-by-side.tsx';
import { cellText } from '../documents/cell-text.ts';
import { columnLabel } from '../documents/columns.ts';
import { documentPath } from '../documents/document-path.ts';
import { DataGrid, rowsOfList } from '../grid/data-grid.tsx';
import type { GridColumn } from '../grid/grid-column.ts';
import { eventName } from './event-name.ts';
import { atSearch } from './past.ts';

export interface PastViewProps {
  readonly database: Database;
  readonly head: readonly string[];
  /** The page of the database. */
  readonly path: string;
}

/** Says that what is shown is not of now, and leads back. */
function PastBanner({ head, nowPath }: { head: readonly string[]; nowPath: string }) {
  return (
    <div className="mb-4 flex flex-wrap items-center gap-3 rounded-lg border border-warn/40 bg-warn-soft px-4 py-3 text-sm text-warn">
      <Clock size={16} aria-hidden className="shrink-0" />
      <p className="mr-auto">
        As it was at commit <code className="font-mono text-xs">{head.map(eventName).join(', ')}</code>.
        Nothing here can be changed.
      </p>
      <LinkButton to={nowPath}>Back to now</LinkButton>
    </div>
  );
}

type Read<T> = { readonly value: T } | { readonly error: unknown } | undefined;

function useRead<T>(read: () => Promise<T>): Read<T> {
  const [found, setFound] = useState<Read<T>>();
  useEffect(() => {
    let isOver = false;
    setFound(undefined);
    read().then(
      (value) => !isOver && setFound({ value }),
      (error: unknown) => !isOver && setFound({ error }),
    );
    return () => {
      isOver = true;
    };
  }, [read]);
  return found;
}

const idOf = (doc: Stored): string => doc._id;

/** All documents of a database as they were at a head. */
export function PastDocuments({ database, head, path }: PastViewProps) {
  const at = head.join(',');
  const found = useRead(useCallback(() => database.at(at.split(',')).allDocs(), [database, at]));
  return (
    <>
      <PastBanner head={head} nowPath={path} />
      {found === undefined ? (
        <Skeleton />
      ) : 'error' in found ? (
        <ErrorPanel message={failureText(found.error)} />
      ) : (
        <PastTable docs={found.value.rows.map(({ value }) => value)} head={head} path={path} />
      )}
    </>
  );
}

function PastTable({ docs, head, path }: { docs: readonly Stored[] } & Omit<PastViewProps, 'database'>) {
  const columns = useMemo(() => columnsOf(docs), [docs]);
  const rows = useMemo(() => rowsOfList(docs, idOf), [docs]);
  const search = atSearch(head);
  const pathOf = useCallback(
    (doc: Stored) => `${documentPath(`${path}/docs`, doc._id)}?${search}`,
    [path, search],
  );
  if (docs.length === 0) return <EmptyState text="There was no document then." />;
  return (
    <section aria-label="Documents then" className="flex flex-col gap-3">
      <p role="status" className="text-sm text-muted">
        {docs.length === 1 ? '1 document' : `${docs.length.toLocaleString('en')} documents`} then
      </p>
      <DataGrid label="Documents then" rows={rows} columns={columns} rowPath={pathOf} linkColumn="_id" />
    </section>
  );
}

function columnsOf(docs: readonly Stored[]): readonly GridColumn<Stored>[] {
  const uses = new Map<string, number>();
  for (const doc of docs)
    for (const field of Object.keys(doc)) if (field !== '_id') uses.set(field, (uses.get(field) ?? 0) + 1);
  const fields = [...uses].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([field]) => field);
  return ['_id', ...fields].map((field) => ({
    id: field,
    label: columnLabel(field),
    text: (doc) => (Object.hasOwn(doc, field) ? cellText(doc[field]) : ''),
    pinned: field === '_id',
  }));
}

/** One document as it was at a head, beside what it is now. */
export function PastDocument({ database, head, path, id }: PastViewProps & { id: string }) {
  const at = head.join(',');
  const toast = useToast();
  const read = useCallback(async () => {
    const valueIn = async (view: Pick<Database, 'allDocs'>) =>
      (await view.allDocs({ key: id })).rows.map(({ value }) => value)[0];
    const [then, now] = await Promise.all([valueIn(database.at(at.split(','))), valueIn(database)]);
    return { then, now };
  }, [database, at, id]);
  const found = useRead(read);
  const nowPath = documentPath(`${path}/docs`, id);
  const restore = async () => {
    try {
      await database.restore(id, head);
      toast('The document is as it was then.');
    } catch (error) {
      toast(`Nothing was restored: ${failureText(error)}`, { tone: 'error' });
    }
  };
  return (
    <>
      <PastBanner head={head} nowPath={nowPath} />
      {found === undefined ? (
        <Skeleton />
      ) : 'error' in found ? (
        <ErrorPanel message={failureText(found.error)} />
      ) : (
        <div className="flex flex-col gap-3">
          <SideBySide
            before={found.value.then}
            after={found.value.now}
            beforeLabel={found.value.then === undefined ? 'Then: no document' : 'Then'}
            afterLabel={found.value.now === undefined ? 'Now: no document' : 'Now'}
          />
          <div className="flex flex-wrap gap-2">
            <Button tone="primary" onClick={() => void restore()}>
              Restore as it was then
            </Button>
            <LinkButton to={`${path}?${atSearch(head)}`}>All documents then</LinkButton>
          </div>
        </div>
      )}
    </>
  );
}
