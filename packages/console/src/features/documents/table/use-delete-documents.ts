import { isFixpointError } from '@fixpoint/protocol';
import type { Database } from 'fixpoint';
import { useCallback, useRef, useState } from 'react';
import { untilStored } from '../../../leaving/ask-before-leaving.ts';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { knownConflicts } from '../../../undo/open-conflicts.ts';
import { documentsText, recordStep } from '../../../undo/undo-stack.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import { shownId } from '../../../values/shown-id.ts';
import { truncate } from '../../../values/truncate.ts';
import type { Ids } from '../../transfer/document-ids.ts';
import { type Deletion, type DeletionOptions, deleteConflicts, deleteDocuments } from './delete-documents.ts';

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
        const deletion = await deleteAsking(database, ids, count, { signal, onProgress });
        if (deletion.deleted > 0) {
          const step = writtenStep(database, `Deleted ${nameOf(deletion)}`, deletion.parts);
          recordStep(database, { ...step, ...(deletion.hadConflicts && { undoNote: UNDO_NOTE }) });
        }
        if (deletion.changed > 0) toast(changedText(deletion.changed, count), { tone: 'error' });
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

interface Asked extends Deletion {
  /** Whether documents with a conflict were deleted. */
  readonly hadConflicts: boolean;
  /** Number of documents that stayed, because their versions changed after the first question. */
  readonly changed: number;
  /** Whether the error prevented the deletion of documents with a conflict. */
  readonly isOfConflicts?: boolean;
}

/** Deletes documents, and asks before it deletes those with a conflict. */
async function deleteAsking(
  database: Database,
  ids: Ids,
  count: number,
  options: DeletionOptions,
): Promise<Asked> {
  const first = await untilStored(deleteDocuments(database, ids(options.signal), options));
  const asked = { ...first, hadConflicts: false, changed: 0 };
  const { conflicts } = first;
  if (conflicts.length === 0 || first.error !== undefined || options.signal.aborted) return asked;
  try {
    const shown = await knownConflicts(database, conflicts);
    // The others have a version that nobody was asked about: the one that ended the conflict.
    const ended = { ...asked, changed: conflicts.length - shown.size };
    if (shown.size === 0 || !window.confirm(conflictQuestion(shown.size, count))) return ended;
    const { signal, onProgress } = options;
    const more = await untilStored(
      deleteConflicts(database, shown, { signal, onProgress: (done) => onProgress?.(first.deleted + done) }),
    );
    const isWhole = more.error === undefined && !signal.aborted;
    return {
      ...ended,
      ...more,
      deleted: first.deleted + more.deleted,
      parts: [...first.parts, ...more.parts],
      hadConflicts: more.deleted > 0,
      isOfConflicts: more.error !== undefined,
      changed: isWhole ? conflicts.length - more.deleted : ended.changed,
    };
  } catch (error) {
    return { ...asked, error };
  }
}

function conflictQuestion(conflicts: number, of: number): string {
  const [have, their] = conflicts === 1 ? ['has', 'its'] : ['have', 'their'];
  const what = of === 1 ? 'This document' : `${conflicts.toLocaleString('en')} of these documents`;
  return `${what} ${have} another version that nobody has merged. Do you want to delete all ${their} versions?\n\n${UNDO_NOTE}`;
}

const CONFLICT_FULL_TEXT =
  'this browser’s storage is full, and deleting a document with a conflict needs some space. Delete documents without a conflict first, or free disk space, then try again.';

const UNDO_NOTE = 'Undo brings back only the version that was shown. Other versions stay in the history.';

const changedText = (changed: number, of: number): string =>
  of === 1
    ? 'The document was changed in the meantime, so it wasn’t deleted.'
    : `${documentsText(changed)} changed in the meantime, and ${changed === 1 ? 'wasn’t' : 'weren’t'} deleted.`;

function failedText({ deleted, error, isOfConflicts = false }: Asked, of: number): string {
  const what =
    deleted > 0
      ? `Deleted ${deleted.toLocaleString('en')} of ${documentsText(of)}, but not the rest`
      : `Couldn’t delete ${of === 1 ? 'the document' : 'all of the documents'}`;
  // Only deletions without a check wait until compaction has freed space.
  const isFull = isOfConflicts && isFixpointError(error, 'STORE_FULL');
  return `${what}: ${isFull ? CONFLICT_FULL_TEXT : failureText(error)}`;
}

function nameOf({ deleted, parts: [first] }: Deletion): string {
  const [id] = first !== undefined && 'ids' in first ? first.ids : [];
  return deleted === 1 && id !== undefined
    ? `document ${truncate(shownId(id), ID_CHARS_MAX)}`
    : documentsText(deleted);
}
