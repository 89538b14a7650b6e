import { Dialog as Base } from '@base-ui/react/dialog';
import type { Database } from 'fixpoint';
import { Download } from 'lucide-react';
import { type ClipboardEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { ErrorPanel } from '../../../ui/pages/feedback.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { bytesText } from '../../../values/bytes-text.ts';
import { type CheckedFile, countFates } from './check-import.ts';
import { FileDrop } from './file-drop.tsx';
import { ChooseFiles, FileTabs, ReadOptions } from './import-options.tsx';
import { PreviewTable } from './preview-table.tsx';
import { headline, ProblemsPanel } from './problems-panel.tsx';
import { count, type Import, useImport, type WriteProgress } from './use-import.ts';

export interface ImportDialogProps {
  readonly database: Database;
  /** Files that were dropped; more can be added. */
  readonly files?: readonly File[];
  readonly onClose: () => void;
}

/**
 * Shows what an import of files would do, before it writes anything. Covers the page like a page of
 * its own, but as a dialog: Escape leads back to the table, and nothing around it can be used.
 */
export function ImportDialog({ database, files = [], onClose }: ImportDialogProps) {
  const now = useImport(database, files, onClose);
  const popup = useRef<HTMLDivElement>(null);
  const hasFiles = now.planned.length > 0;
  // The field that had the focus is gone then.
  useEffect(() => {
    if (hasFiles) popup.current?.focus();
  }, [hasFiles]);
  const paste = (event: ClipboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
    const { files: pasted } = event.clipboardData;
    const text = event.clipboardData.getData('text/plain');
    if (pasted.length > 0) now.addFiles([...pasted]);
    else if (text.trim() !== '') now.addFiles([new File([text], 'Pasted text')]);
  };
  return (
    <Base.Root open onOpenChange={(open) => !open && now.cancel()}>
      <Base.Portal>
        <Base.Backdrop forceRender className="fixed inset-0 z-40 bg-scrim" />
        <Base.Popup
          ref={popup}
          initialFocus={popup}
          onPaste={paste}
          className="fixed inset-0 z-40 flex flex-col overflow-hidden bg-surface outline-none sm:inset-2 sm:rounded-lg sm:border sm:border-line sm:shadow-3 md:top-(--top) md:left-(--side)"
        >
          <div className="flex min-h-(--title) shrink-0 flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-line py-1.5 pr-3 pl-4">
            <Base.Title className="text-xl font-semibold">Import documents</Base.Title>
            <Base.Description className="text-sm text-ink-3">
              {now.writing === undefined ? 'Nothing is written until you import.' : 'Writing documents.'}
            </Base.Description>
            <div className="ml-auto flex shrink-0 items-center gap-2">
              <Button onClick={now.cancel}>Cancel</Button>
              <ImportButton now={now} />
            </div>
          </div>
          {now.error !== undefined && (
            <div className="px-4 py-3">
              <ErrorPanel message={now.error} />
            </div>
          )}
          <Content now={now} />
          {now.writing === undefined && <FileDrop onFiles={now.addFiles} />}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function ImportButton({ now }: { now: Import }) {
  const { check, reading, writing, choices } = now;
  if (check === undefined || writing !== undefined) return null;
  const { added, replaced } = countFates(check, choices);
  const documents = added + replaced;
  return (
    <Button
      tone="primary"
      disabled={documents === 0 || reading !== undefined}
      onClick={now.write}
      className="tabular-nums"
    >
      <Download size={14} aria-hidden /> Import {count(documents, 'document', 'documents')}
    </Button>
  );
}

function Content({ now }: { now: Import }) {
  const { check, planned, reading, writing } = now;
  const [chosen, setChosen] = useState(0);
  if (writing !== undefined)
    return (
      <div className="grid flex-1 place-items-center p-4">
        <Progress label="Importing" done={writing.done} of={writing.of} note={speedText(writing)} />
      </div>
    );
  if (planned.length === 0) return <ChooseFiles onFiles={now.addFiles} />;
  const at = Math.min(chosen, planned.length - 1);
  const shown = check?.files[at];
  return (
    <div className="flex min-h-0 flex-1 flex-col max-lg:overflow-y-auto">
      <FileTabs {...{ now, at }} onChoose={setChosen} />
      {/* Always there, so that screen readers announce its text when it changes. */}
      <div role="status" className="shrink-0 px-4 text-sm text-ink-3 empty:hidden">
        {reading !== undefined &&
          `Reading ${reading.file}: ${bytesText(reading.bytes)} of ${bytesText(reading.of)}`}
        {reading === undefined && shown?.rows === 0 && 'This file contains no documents.'}
        {reading === undefined && shown !== undefined && shown.rows > 0 && (
          <span className="sr-only">
            {count(shown.rows, 'row', 'rows')} read. {headline(shown)}.
          </span>
        )}
      </div>
      {shown !== undefined && (
        <div
          aria-busy={reading !== undefined}
          className={`flex flex-col lg:grid lg:min-h-0 lg:flex-1 lg:grid-cols-[minmax(0,1fr)_20rem] ${reading === undefined ? '' : 'opacity-60'}`}
        >
          <Preview now={now} at={at} shown={shown} />
          <ProblemsPanel now={now} shown={shown} />
        </div>
      )}
    </div>
  );
}

function Preview({ now, at, shown }: { now: Import; at: number; shown: CheckedFile }) {
  return (
    <section aria-label="Preview" className="flex min-w-0 flex-col lg:min-h-0">
      <ReadOptions shown={shown} change={(more) => now.changeFile(at, more)} />
      <PreviewTable shown={shown} choices={now.choices} change={(more) => now.changeFile(at, more)} />
    </section>
  );
}

const SECONDS_SURE = 1;

/** Returns how fast the import is, and how long it still takes. */
export function speedText({ done, of, since }: WriteProgress, now = performance.now()): string {
  const seconds = (now - since) / 1000;
  if (seconds < SECONDS_SURE || done === 0) return '';
  const perSecond = done / seconds;
  const left = Math.ceil((of - done) / perSecond);
  const time = left < 120 ? `${left} s` : `${Math.ceil(left / 60)} min`;
  return `${Math.round(perSecond).toLocaleString('en')} per second, ${time} left`;
}
