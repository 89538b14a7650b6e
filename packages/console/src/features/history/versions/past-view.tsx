import type { Database, DocRow, Stored } from 'fixpoint';
import { byUse, type Cell, previewOf } from 'fixpoint/rows';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useCanWrite } from '../../../local/can-write.ts';
import type { DatabasePages } from '../../../local/database-pages.ts';
import { documentPath } from '../../../local/document-path.ts';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { EmptyState, Skeleton } from '../../../ui/pages/feedback.tsx';
import { lazyComponent } from '../../../ui/pages/lazy-component.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { valueIn } from '../../../values/document-fields.ts';
import { columnLabel } from '../../../values/field-label.ts';
import { shownId } from '../../../values/shown-id.ts';
import { SideBySide } from '../../diff/side-by-side.tsx';
import { lookOf, textOfCell } from '../../grid/cell-look.ts';
import { DataGrid, rowsOfList } from '../../grid/data-grid.tsx';
import type { GridColumn } from '../../grid/grid-column.ts';
import { ChangesSince } from '../compare/changes-since.tsx';
import { type GrowingLimit, type Part, upTo, useGrowingLimit } from '../use-growing-limit.ts';
import { PastBanner } from './past-banner.tsx';
import { PastGate, PastProblem } from './past-problem.tsx';
import { restoreVersion } from './restore-versions.ts';
import { atSearch, COMPARED } from './version-address.ts';

const RestoreDialog = lazyComponent(async () => (await import('./restore-dialog.tsx')).RestoreDialog);

export interface PastViewProps {
  readonly database: Database;
  readonly head: readonly string[];
  readonly pages: DatabasePages;
}

type Read<T> = { readonly value: T } | { readonly error: unknown } | undefined;

interface Shown<T> {
  readonly read: Read<T>;
  /** Whether `read` belongs to another version than the requested one, which is still loading. */
  readonly isOld: boolean;
}

/** Returns the result of `read`; until it arrives, the result of the previous `read`. */
function useRead<T>(of: string, read: () => Promise<T>): Shown<T> {
  const [found, setFound] = useState<{ readonly of: string; readonly read: Read<T> }>();
  useEffect(() => {
    let isOver = false;
    const show = (next: Read<T>) => !isOver && setFound({ of, read: next });
    read().then(
      (value) => show({ value }),
      (error: unknown) => show({ error }),
    );
    return () => {
      isOver = true;
    };
  }, [of, read]);
  return { read: found?.read, isOld: found?.of !== of };
}

/** Fades content that doesn't belong to the version in the address. */
function Aging({ isOld, children }: { isOld: boolean; children: ReactNode }) {
  return (
    <div aria-busy={isOld} className={isOld ? 'opacity-60' : ''}>
      {children}
    </div>
  );
}

const idOf = (doc: Stored): string => doc._id;

/** Shows all documents of a database at a head, or the differences since then. */
export function PastDocuments({ database, head, pages }: PastViewProps) {
  const at = head.join(',');
  const then = useMemo(() => at.split(','), [at]);
  const isCompared = useSearchParams()[0].has(COMPARED);
  const [isRestoring, setRestoring] = useState(false);
  const canWrite = useCanWrite();
  const path = `${pages.all}?${atSearch(head)}`;
  return (
    <PastGate {...{ database, head, pages }} nowPath={pages.all}>
      <PastBanner
        {...{ database, head }}
        nowPath={pages.all}
        {...(isCompared && { shown: 'Changes since this version:' })}
      >
        {isCompared ? (
          <LinkButton to={path}>Documents in this version</LinkButton>
        ) : (
          <LinkButton to={`${path}&${COMPARED}`}>Changes since</LinkButton>
        )}
        <LinkButton to={`${pages.query}?${atSearch(head)}`}>Query this version</LinkButton>
        {canWrite && <Button onClick={() => setRestoring(true)}>Restore...</Button>}
      </PastBanner>
      {isRestoring && <RestoreDialog database={database} head={then} onClose={() => setRestoring(false)} />}
      {isCompared ? (
        <ChangesSince database={database} head={then} isShared={pages.isShared} />
      ) : (
        <DocumentsThen database={database} head={then} pages={pages} />
      )}
    </PastGate>
  );
}

function DocumentsThen({ database, head, pages }: PastViewProps) {
  const { limit, seen } = useGrowingLimit();
  const { read: found, isOld } = useRead(
    head.join(','),
    useCallback(
      async () => upTo(limit, (await database.at(head).allDocs({ limit })).rows),
      [database, head, limit],
    ),
  );
  if (found === undefined) return <Skeleton />;
  if ('error' in found) return <PastProblem error={found.error} head={head} isShared={pages.isShared} />;
  return (
    <Aging isOld={isOld}>
      <PastTable found={found.value} {...{ head, pages, seen }} />
    </Aging>
  );
}

type PastTableProps = Omit<PastViewProps, 'database'> & Pick<GrowingLimit, 'seen'> & { found: Part<DocRow> };

function PastTable({ found, head, pages, seen }: PastTableProps) {
  const docs = useMemo(() => found.rows.map(({ value }) => value), [found]);
  const columns = useMemo(() => columnsOf(docs), [docs]);
  const rows = useMemo(() => rowsOfList(docs, idOf), [docs]);
  const onVisible = useCallback((_from: number, to: number) => seen(to, docs.length), [seen, docs]);
  const search = atSearch(head);
  const pathOf = useCallback(
    (doc: Stored) => `${documentPath(pages.docs, doc._id)}?${search}`,
    [pages.docs, search],
  );
  if (docs.length === 0) return <EmptyState text="This version has no documents." />;
  return (
    <section aria-label="Documents in this version" className="flex flex-col gap-3">
      <p role="status" className="text-sm text-ink-3">
        {docs.length === 1
          ? '1 document'
          : `${docs.length.toLocaleString('en')}${found.isAll ? '' : '+'} documents`}{' '}
        in this version
      </p>
      <DataGrid
        label="Documents in this version"
        rows={rows}
        columns={columns}
        rowPath={pathOf}
        linkColumn="_id"
        onVisible={onVisible}
      />
    </section>
  );
}

function columnsOf(docs: readonly Stored[]): readonly GridColumn<Stored>[] {
  const counts = new Map<string, number>();
  for (const doc of docs)
    for (const field of Object.keys(doc))
      if (field !== '_id') counts.set(field, (counts.get(field) ?? 0) + 1);
  const uses = Array.from(counts, ([field, documents]) => ({ field, documents })).sort(byUse);
  return ['_id', ...uses.map(({ field }) => field)].map((field) => ({
    id: field,
    label: columnLabel(field),
    text: (doc) => (field === '_id' ? shownId(doc._id) : textOfCell(field, cellIn(doc, field))),
    look: field === '_id' ? 'id' : (doc) => lookOf(cellIn(doc, field)),
    pinned: field === '_id',
  }));
}

/** Builds a cell as the engine does for the table of current documents. */
function cellIn(doc: Stored, field: string): Cell | undefined {
  const value = valueIn(doc, field);
  return value === undefined ? undefined : previewOf(value);
}

/** Shows one document at a head, next to its current version. */
export function PastDocument({ database, head, pages, id }: PastViewProps & { id: string }) {
  const at = head.join(',');
  const toast = useToast();
  const canWrite = useCanWrite();
  const read = useCallback(async () => {
    const valueIn = async (view: Pick<Database, 'allDocs'>) =>
      (await view.allDocs({ key: id })).rows.map(({ value }) => value)[0];
    const [then, now] = await Promise.all([valueIn(database.at(at.split(','))), valueIn(database)]);
    return { then, now };
  }, [database, at, id]);
  const { read: found, isOld } = useRead(JSON.stringify([at, id]), read);
  const nowPath = documentPath(pages.docs, id);
  const restore = async () => {
    try {
      await restoreVersion(database, id, head);
      toast('Document restored.');
    } catch (error) {
      toast(`Couldn’t restore this version: ${failureText(error)}`, { tone: 'error' });
    }
  };
  return (
    <PastGate {...{ database, head, pages, nowPath }}>
      <PastBanner {...{ database, head, nowPath }} />
      {found === undefined ? (
        <Skeleton />
      ) : 'error' in found ? (
        <PastProblem error={found.error} head={head} isShared={pages.isShared} />
      ) : (
        <div className="flex flex-col gap-3">
          <Aging isOld={isOld}>
            <SideBySide
              before={found.value.then}
              after={found.value.now}
              beforeLabel={found.value.then === undefined ? 'This version: no document' : 'Then'}
              afterLabel={found.value.now === undefined ? 'Now: no document' : 'Now'}
            />
          </Aging>
          <div className="flex flex-wrap gap-2">
            {canWrite && (
              <Button tone="primary" disabled={isOld} onClick={() => void restore()}>
                Restore this version
              </Button>
            )}
            <LinkButton to={`${pages.all}?${atSearch(head)}`}>All documents in this version</LinkButton>
          </div>
        </div>
      )}
    </PastGate>
  );
}
