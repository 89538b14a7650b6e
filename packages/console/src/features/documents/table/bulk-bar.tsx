import type { BridgedDatabase } from 'fixpoint/bridge';
import { Copy, Download, Pencil, Trash2, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useCanWrite } from '../../../local/can-write.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/overlays/menu.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { lazyComponent } from '../../../ui/pages/lazy-component.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { documentsOf } from '../../transfer/export-documents.ts';
import { ExportItems, ExportOptions } from '../../transfer/export-items.tsx';
import { type Export, useExport } from '../../transfer/use-export.tsx';
import { useDeleteDocuments } from './use-delete-documents.ts';
import type { Selection } from './use-selection.ts';

const EditDialog = lazyComponent(async () => (await import('../values/edit-dialog.tsx')).EditDialog);
const ICON = { size: 14, 'aria-hidden': true } as const;
const COPIED_MAX = 1000;

export interface BulkBarProps {
  readonly database: BridgedDatabase;
  readonly selection: Selection;
  /** Fields used by the documents. */
  readonly fields: readonly string[];
}

/** Shows the actions for the selected documents; renders nothing without a selection. */
export function BulkBar({ database, selection, fields }: BulkBarProps) {
  const { count, chosen, clear } = selection;
  const [isEditing, setEditing] = useState(false);
  const canWrite = useCanWrite();
  const deleting = useDeleteDocuments(database);
  const exporting = useExport(database);
  useClearOnEscape(count, clear);
  const remove = async () => {
    if (await deleting.run(chosen, count)) clear();
  };
  if (deleting.progress !== undefined)
    return <Progress label="Deleting" {...deleting.progress} onCancel={deleting.stop} />;
  if (count === 0) return exporting.dialog;
  return (
    <>
      <section
        aria-label="Selection"
        className="sticky bottom-3 z-10 flex flex-wrap items-center gap-2 self-start rounded-lg border border-line-strong bg-surface px-3 py-2 shadow-pop max-sm:self-stretch"
      >
        <p role="status" className="mr-2 text-sm font-medium">
          {count.toLocaleString('en')} selected
        </p>
        {canWrite && (
          <>
            <Button onClick={() => setEditing(true)}>
              <Pencil {...ICON} /> Edit
            </Button>
            <Button tone="danger" onClick={() => void remove()}>
              <Trash2 {...ICON} /> Delete
            </Button>
          </>
        )}
        <ExportMenu exporting={exporting} chosen={chosen} />
        <CopyAsJson {...{ database, count, chosen }} />
        <Button tone="quiet" onClick={clear}>
          <X {...ICON} /> Clear
        </Button>
      </section>
      {exporting.dialog}
      {isEditing && (
        <EditDialog {...{ database, fields, count }} ids={chosen} onClose={() => setEditing(false)} />
      )}
    </>
  );
}

function useClearOnEscape(count: number, clear: () => void): void {
  useEffect(() => {
    if (count === 0) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) clear();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [count, clear]);
}

function ExportMenu({ exporting, chosen }: { exporting: Export } & Pick<Selection, 'chosen'>) {
  const trigger = (
    <Button>
      <Download {...ICON} /> Export
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      <ExportItems exporting={exporting} ids={chosen} />
      <ExportOptions exporting={exporting} />
    </Menu>
  );
}

function CopyAsJson(props: { database: BridgedDatabase } & Pick<Selection, 'count' | 'chosen'>) {
  const { database, count, chosen } = props;
  const toast = useToast();
  const copy = async () => {
    try {
      const docs: unknown[] = [];
      const { signal } = new AbortController();
      for await (const part of documentsOf(database, chosen, signal)) for (const doc of part) docs.push(doc);
      await navigator.clipboard.writeText(JSON.stringify(docs.length === 1 ? docs[0] : docs, undefined, 2));
      toast(`Copied ${docs.length === 1 ? 'the document' : `${docs.length} documents`} as JSON.`);
    } catch (error) {
      toast(`Couldn’t copy the documents: ${failureText(error)}`, { tone: 'error' });
    }
  };
  return (
    <Button
      disabled={count > COPIED_MAX}
      title={
        count > COPIED_MAX ? `You can copy at most ${COPIED_MAX} documents. Export them instead.` : undefined
      }
      onClick={() => void copy()}
    >
      <Copy {...ICON} /> Copy as JSON
    </Button>
  );
}
