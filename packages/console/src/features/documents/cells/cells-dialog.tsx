import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { documentsText } from '../../../undo/undo-stack.ts';
import { cellText } from '../../../values/cell-text.ts';
import { fieldLabel } from '../../../values/field-label.ts';
import { shownId } from '../../../values/shown-id.ts';
import { truncate } from '../../../values/truncate.ts';
import { type CellsPreview, type CellsWork, leftOutText } from './write-cells.ts';

export interface CellsDialogProps {
  readonly work: CellsWork;
  readonly onWrite: (work: CellsWork, onProgress: (rows: number) => void) => Promise<void>;
  readonly onClose: () => void;
}

/** Shows what a paste or a fill of many cells changes, before it does. */
export function CellsDialog({ work, onWrite, onClose }: CellsDialogProps) {
  const { verb, edits, preview, leftOut } = work;
  const [done, setDone] = useState<number>();
  const write = () => {
    setDone(0);
    void onWrite(work, setDone);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      isBusy={done !== undefined}
      title={verb === 'Paste' ? 'Paste cells' : 'Fill cells'}
      description={[effectText(preview), leftOutText(leftOut)].join(' ').trim()}
      actions={
        <>
          <Button disabled={done !== undefined} onClick={onClose}>
            Cancel
          </Button>
          <Button tone="primary" disabled={done !== undefined} onClick={write}>
            {verb}
          </Button>
        </>
      }
    >
      {done === undefined ? (
        <Samples samples={preview.samples} />
      ) : (
        <Progress label="Writing" done={done} of={edits.length} />
      )}
    </Dialog>
  );
}

function effectText({ changed, documents, created }: CellsPreview): string {
  const number = changed.toLocaleString('en');
  const parts = [
    changed > 0 && `${number} ${changed === 1 ? 'cell' : 'cells'} in ${documentsText(documents)} will change`,
    created > 0 && `${documentsText(created)} will be created`,
  ].filter(Boolean);
  return `${parts.join(', and ')}. You can undo this as one step.`;
}

const VALUE_CHARS = 60;

function Samples({ samples }: Pick<CellsPreview, 'samples'>) {
  if (samples.length === 0) return null;
  return (
    <ul
      aria-label="First changes"
      className="flex flex-col divide-y divide-line rounded-md border border-line"
    >
      {samples.map(({ id, field, before, after }) => (
        <li key={`${id} ${field}`} className="px-3 py-1.5 text-xs">
          <code className="block truncate font-mono text-ink-3">
            {fieldLabel(field)} of {shownId(id)}
          </code>
          <span className="break-all">{valueText(before)}</span> <span aria-hidden>→</span>
          <span className="sr-only"> becomes </span>{' '}
          <span className="font-medium break-all">{valueText(after)}</span>
        </li>
      ))}
    </ul>
  );
}

const valueText = (value: unknown): string =>
  value === undefined
    ? '(no field)'
    : truncate(typeof value === 'string' ? JSON.stringify(value) : cellText(value), VALUE_CHARS);
