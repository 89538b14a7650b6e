import type { KnownIndex } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { Plus, Tag, TextSearch } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { ErrorPanel, Skeleton } from '../../../ui/pages/feedback.tsx';
import { lazyComponent } from '../../../ui/pages/lazy-component.tsx';
import { Card } from '../../../ui/pages/page.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';

const CreateIndexDialog = lazyComponent(
  async () => (await import('./create-index-dialog.tsx')).CreateIndexDialog,
);

/** Lists the indexes that the console and apps declared in a database, and creates more. */
export function IndexesCard({ database }: { database: BridgedDatabase }) {
  const { indexes, failure, load } = useIndexes(database);
  const [isOpen, setOpen] = useState(false);
  return (
    <Card
      title="Indexes"
      beside={indexes !== undefined && indexes.length > 0 ? String(indexes.length) : undefined}
      actions={
        <Button onClick={() => setOpen(true)}>
          <Plus size={13} aria-hidden /> Create index
        </Button>
      }
    >
      {failure !== undefined && (
        <ErrorPanel message={failure}>
          <Button onClick={load}>Try again</Button>
        </ErrorPanel>
      )}
      {indexes === undefined && failure === undefined && <Skeleton />}
      {indexes?.length === 0 && (
        <p className="max-w-prose text-ink-2">
          No indexes yet: filters and sorting read all documents. Create an index of the fields that you often
          filter or sort by.
        </p>
      )}
      {indexes !== undefined && indexes.length > 0 && <Indexes indexes={indexes} />}
      {isOpen && <CreateIndexDialog {...{ database }} onClose={() => setOpen(false)} onCreated={load} />}
    </Card>
  );
}

function Indexes({ indexes }: { indexes: readonly KnownIndex[] }) {
  return (
    <>
      <table
        aria-label="Indexes"
        className="-mx-3.5 -mt-3.5 w-[calc(100%+1.75rem)] border-collapse text-left"
      >
        <thead>
          <tr className="h-7 border-b border-line bg-sunken text-xs text-ink-2">
            <th className="px-3.5 font-medium">on</th>
            <th className="px-3.5 font-medium">answers</th>
            <th className="px-3.5 font-medium">state</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {indexes.map(({ kind, fields, prefix, isReady }) => {
            const Icon = kind === 'text' ? TextSearch : Tag;
            return (
              <tr key={JSON.stringify([kind, fields, prefix])}>
                <td className="px-3.5 py-1.5">
                  <span className="flex items-center gap-1.75 font-medium wrap-anywhere">
                    <Icon size={12} aria-hidden className="shrink-0 text-ink-3" />
                    {fields.join(', ')}
                  </span>
                  {prefix !== '' && (
                    <span className="block text-xs wrap-anywhere text-ink-3">
                      ids that start with {prefix}
                    </span>
                  )}
                </td>
                <td className="px-3.5 py-1.5 text-ink-2">{kind === 'text' ? 'search' : 'filter and sort'}</td>
                <td className="px-3.5 py-1.5 text-ink-2">{isReady ? 'Up to date' : 'Being built'}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className="-mx-3.5 border-t border-line px-3.5 pt-3 text-xs text-ink-3">
        Indexes are stored on this device, and each change updates them.
      </p>
    </>
  );
}

/** How often to look whether an index is built. */
const LOOK_MS = 500;

/** Returns the declared indexes; looks again while one of them is built. */
function useIndexes(database: BridgedDatabase) {
  const [indexes, setIndexes] = useState<readonly KnownIndex[]>();
  const [failure, setFailure] = useState<string>();
  const [looks, setLooks] = useState(0);
  const load = () => setLooks((count) => count + 1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again on demand
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    database.explain({}).then(
      ({ declared }) => {
        if (isOver) return;
        setFailure(undefined);
        setIndexes(declared);
        if (declared.some(({ isReady }) => !isReady)) timer = setTimeout(load, LOOK_MS);
      },
      (error: unknown) => !isOver && setFailure(failureText(error)),
    );
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [database, looks]);
  return { indexes, failure, load };
}
