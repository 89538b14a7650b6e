import type { Database } from 'fixpoint';
import { useCallback, useRef, useState } from 'react';
import { untilStored } from '../../../leaving/ask-before-leaving.ts';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { documentsText, recordStep } from '../../../undo/undo-stack.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import { shownId } from '../../../values/shown-id.ts';
import { truncate } from '../../../values/truncate.ts';
import type { Ids } from '../../transfer/document-ids.ts';
import { type Deletion, deleteDocuments } from './delete-documents.ts';

const ID_CHARS_MAX = 40;

export interface DeletingDocuments {
  /** Documents deleted so far, and in total; undefined while no deletion runs. */
  readonly progress: { readonly done: number; readonly of: number } | undefined;
  /** Asks the user, deletes, and records this for Undo. Returns whether it deleted anything. */
  run(ids: Ids, count: number): Promise<boolean>;
  stop(): void;
}

export const oneId = (id: string): Ids =>
  async function* one() {
    yield [id];
  };

export function useDeleteDocuments(database: Database): DeletingDocuments {
  const toast = useToast();
  const [progress, setProgress] = useState<DeletingDocuments['progress']>();
  const ending = useRef<AbortController | undefined>(undefined);

  const run = useCallback(
    async (ids: Ids, count: number) => {
      const what = count === 1 ? 'this document' : `these ${count.toLocaleString('en')} documents`;
      if (!window.confirm(`Are you sure you want to delete ${what}?`)) return false;
      const controller = new AbortController();
      ending.current = controller;
      const { signal } = controller;
      setProgress({ done: 0, of: count });
      try {
        const onProgress = (done: number) => setProgress({ done, of: count });
        const deletion = await untilStored(deleteDocuments(database, ids(signal), { signal, onProgress }));
        if (deletion.deleted > 0) {
          const label = `Deleted ${nameOf(deletion)}`;
          recordStep(database, writtenStep(database, label, deletion.parts));
        }
        if (deletion.error === undefined) return deletion.deleted > 0;
        toast(failedText(deletion, count), { tone: 'error' });
        return false;
      } finally {
        setProgress(undefined);
      }
    },
    [database, toast],
  );
  return { progress, run, stop: () => ending.current?.abort() };
}

function failedText({ deleted, error }: Deletion, of: number): string {
  const what =
    deleted > 0
      ? `Deleted ${deleted.toLocaleString('en')} of ${documentsText(of)}, but not the rest`
      : `Couldn’t delete ${of === 1 ? 'the document' : 'all of the documents'}`;
  return `${what}: ${failureText(error)}`;
}

function nameOf({ deleted, parts: [first] }: Deletion): string {
  const [id] = first !== undefined && 'ids' in first ? first.ids : [];
  return deleted === 1 && id !== undefined
    ? `document ${truncate(shownId(id), ID_CHARS_MAX)}`
    : documentsText(deleted);
}
