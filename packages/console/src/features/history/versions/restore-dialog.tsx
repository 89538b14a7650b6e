import type { Database } from 'fixpoint';
import { useEffect, useRef, useState } from 'react';
import { untilStored } from '../../../leaving/ask-before-leaving.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { ErrorPanel, Skeleton } from '../../../ui/pages/feedback.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { type Change, changesTo, takeBack, writeChanges } from './restore-versions.ts';

export interface RestoreDialogProps {
  readonly database: Database;
  readonly head: readonly string[];
  readonly onClose: () => void;
}

/** Restores all documents to a head, after showing how many documents will change. */
export function RestoreDialog({ database, head, onClose }: RestoreDialogProps) {
  const toast = useToast();
  const [changes, setChanges] = useState<readonly Change[]>();
  const [failure, setFailure] = useState<string>();
  const [done, setDone] = useState<number>();
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

  const undo = async (written: readonly Change[]) => {
    try {
      const kept = written.length - (await untilStored(takeBack(database, written)));
      if (kept > 0) toast(`Didn’t undo ${countOf(kept)} that changed again after the restore.`);
    } catch (error) {
      toast(`Couldn’t restore the documents: ${failureText(error)}`, { tone: 'error' });
    }
  };
  const restore = async (all: readonly Change[]) => {
    const controller = new AbortController();
    ending.current = controller;
    setFailure(undefined);
    setDone(0);
    try {
      const written = await writeChanges(database, all, { signal: controller.signal, onProgress: setDone });
      toast(`Restored ${countOf(written.length)}.`, {
        undo: () => void undo(written),
      });
      onClose();
    } catch (error) {
      setFailure(failureText(error));
      setDone(undefined);
    }
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

const countOf = (count: number): string =>
  count === 1 ? '1 document' : `${count.toLocaleString('en')} documents`;

function textOf(changes: readonly Change[]): string {
  const back = changes.filter(({ before }) => before === undefined).length;
  const gone = changes.filter(({ after }) => after === undefined).length;
  const other = changes.length - back - gone;
  const parts = [
    other > 0 && `${countOf(other)} will get the content of this version`,
    back > 0 && `${countOf(back)} will be restored`,
    gone > 0 &&
      `${countOf(gone)} will be deleted because ${gone === 1 ? 'it was' : 'they were'} created later`,
  ].filter(Boolean);
  return parts.length === 0 ? 'Nothing has changed since this version.' : `${parts.join(', ')}.`;
}
