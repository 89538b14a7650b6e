import type { Database } from 'fixpoint';
import { useEffect, useRef, useState } from 'react';
import { untilStored } from '../../../leaving/ask-before-leaving.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { ErrorPanel, Skeleton } from '../../../ui/pages/feedback.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { conflictsText } from '../../../undo/open-conflicts.ts';
import { documentsText, recordStep } from '../../../undo/undo-stack.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import { type Change, changesTo, writeChanges } from './restore-versions.ts';

export interface RestoreDialogProps {
  readonly database: Database;
  readonly head: readonly string[];
  readonly onClose: () => void;
}

/** Restores all documents to a head, after showing how many documents will change. */
export function RestoreDialog({ database, head, onClose }: RestoreDialogProps) {
  const [changes, setChanges] = useState<readonly Change[]>();
  const [failure, setFailure] = useState<string>();
  const [done, setDone] = useState<number>();
  const toast = useToast();
  const ending = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => ending.current?.abort(), []);
  useEffect(() => {
    let isOver = false;
    changesTo(database, head).then(
      (found) => !isOver && setChanges(found),
      (error: unknown) => !isOver && setFailure(failureText(error)),
    );
    return () => {
      isOver = true;
    };
  }, [database, head]);

  const restore = async (all: readonly Change[]) => {
    const controller = new AbortController();
    ending.current = controller;
    setFailure(undefined);
    setDone(0);
    const options = { signal: controller.signal, onProgress: setDone };
    const writing = writeChanges(database, all, options);
    const { restored, conflicts, parts, error } = await untilStored(writing);
    const label = `Restored ${documentsText(restored)}`;
    if (conflicts > 0) toast(conflictsText(conflicts));
    if (restored > 0 || (error === undefined && conflicts === 0))
      recordStep(database, writtenStep(database, label, parts));
    if (error === undefined) return onClose();
    const before = restored > 0 ? `${label}, but not the rest: ` : '';
    setFailure(`${before}${failureText(error)}`);
    setDone(undefined);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Restore all documents"
      description="Writes all documents as they were in this version. The current version stays in the history."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            tone="primary"
            disabled={changes === undefined || changes.length === 0 || done !== undefined}
            onClick={() => changes !== undefined && void restore(changes)}
          >
            Restore
          </Button>
        </>
      }
    >
      {failure !== undefined && <ErrorPanel message={failure} />}
      {failure === undefined && changes === undefined && <Skeleton text="Comparing..." />}
      {changes !== undefined && done === undefined && <p className="text-sm">{textOf(changes)}</p>}
      {changes !== undefined && done !== undefined && (
        <Progress
          label="Restoring"
          done={done}
          of={changes.length}
          onCancel={() => ending.current?.abort()}
        />
      )}
    </Dialog>
  );
}

function textOf(changes: readonly Change[]): string {
  const back = changes.filter(({ before }) => before === undefined).length;
  const gone = changes.filter(({ after }) => after === undefined).length;
  const other = changes.length - back - gone;
  const parts = [
    other > 0 && `${documentsText(other)} will get the content of this version`,
    back > 0 && `${documentsText(back)} will be restored`,
    gone > 0 &&
      `${documentsText(gone)} will be deleted because ${gone === 1 ? 'it was' : 'they were'} created later`,
  ].filter(Boolean);
  return parts.length === 0 ? 'Nothing has changed since this version.' : `${parts.join(', ')}.`;
}
