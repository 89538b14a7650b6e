import type { BridgedDatabase } from 'fixpoint/bridge';
import { Download, ListChecks, Pencil, Trash2, X } from 'lucide-react';
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
import { CopyMenu } from '../cells/block-bar.tsx';
import type { CopyFormat } from '../cells/block-text.ts';
import { copyRows } from '../cells/copy-values.ts';
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
  /** Shown columns, in order. */
  readonly columns: readonly string[];
}

/** Shows the actions for the selected documents; renders nothing without a selection. */
export function BulkBar({ database, selection, fields, columns }: BulkBarProps) {
  const { count, all, chosen, clear, selectAll } = selection;
  const [isEditing, setEditing] = useState(false);
  const canWrite = useCanWrite();
  const deleting = useDeleteDocuments(database);
  const exporting = useExport(database);
  useClearOnEscape(count, clear);
  const remove = async () => {
    if (await deleting.run(chosen, count)) clear();
  };
  if (deleting.progress !== undefined)
    return (
      <div className="absolute inset-x-4 bottom-10 z-10">
        <Progress label="Deleting" {...deleting.progress} onCancel={deleting.stop} />
      </div>
    );
  if (count === 0) return exporting.dialog;
  return (
    <>
      <section
        aria-label="Selection"
        className="floating-bar absolute bottom-10.5 left-1/2 z-10 flex min-h-10 w-max max-w-[calc(100%-1rem)] -translate-x-1/2 animate-appear flex-wrap items-center gap-0.5 rounded-[0.625rem] border border-transparent bg-ink py-1 pr-1.5 pl-3.5 text-surface shadow-3 max-sm:w-full max-sm:[&_button]:px-3 dark:bg-pressed dark:text-ink"
      >
        <p role="status" className="mr-2 font-medium max-sm:mr-auto">
          {count.toLocaleString('en')} selected
        </p>
        {/* The list of a small screen has no heading with a box for all rows. */}
        {all !== 'all' && (
          <Button tone="inverse" className="sm:hidden" onClick={selectAll}>
            <ListChecks {...ICON} /> <span className="sr-only">Select all</span>
          </Button>
        )}
        {canWrite && (
          <>
            <Button tone="inverse" onClick={() => setEditing(true)}>
              <Pencil {...ICON} /> <span className="max-sm:sr-only">Edit</span>
            </Button>
            <Button tone="inverse" onClick={() => void remove()}>
              <Trash2 {...ICON} /> <span className="max-sm:sr-only">Delete</span>
            </Button>
          </>
        )}
        <ExportMenu exporting={exporting} chosen={chosen} />
        <CopyRows {...{ database, columns, selection }} />
        <Button tone="inverse" onClick={clear}>
          <X {...ICON} /> <span className="max-sm:sr-only">Clear</span>
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
    <Button tone="inverse">
      <Download {...ICON} /> <span className="max-sm:sr-only">Export</span>
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      <ExportItems exporting={exporting} ids={chosen} />
      <ExportOptions exporting={exporting} />
    </Menu>
  );
}

/** Copies the selected rows with their shown columns; as JSON, the whole documents. */
function CopyRows({ database, columns, selection }: Omit<BulkBarProps, 'fields'>) {
  const { count, chosen } = selection;
  const toast = useToast();
  const copyDocuments = async () => {
    const docs: unknown[] = [];
    const { signal } = new AbortController();
    for await (const part of documentsOf(database, chosen, signal)) for (const doc of part) docs.push(doc);
    await navigator.clipboard.writeText(JSON.stringify(docs.length === 1 ? docs[0] : docs, undefined, 2));
    toast(`Copied ${docs.length === 1 ? 'the document' : `${docs.length} documents`} as JSON.`);
  };
  const copy = async (format: CopyFormat) => {
    try {
      if (format === 'json') await copyDocuments();
      else await copyRows({ database, columns, selection }, format, toast);
    } catch (error) {
      toast(`Couldn’t copy the documents: ${failureText(error)}`, { tone: 'error' });
    }
  };
  return (
    <CopyMenu
      onCopy={(format) => void copy(format)}
      whyNot={
        count > COPIED_MAX ? `You can copy at most ${COPIED_MAX} documents. Export them instead.` : undefined
      }
    />
  );
}
