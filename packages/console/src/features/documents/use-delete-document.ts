import { isFixpointError } from '@fixpoint/protocol';
import type { Database, Stored } from 'fixpoint';
import { useCallback } from 'react';
import { failureText } from '../../local/failure-text.ts';
import { useToast } from '../../ui/toaster.tsx';
import { truncate } from '../../ui/truncate.ts';

const ID_CHARS_MAX = 40;

/** Asks, deletes, and offers to undo. */
export function useDeleteDocument(database: Database): (doc: Stored) => Promise<void> {
  const toast = useToast();
  return useCallback(
    async (doc) => {
      if (!window.confirm('Are you sure you want to delete this document?')) return;
      const undo = () =>
        restore(database, doc).catch((error: unknown) =>
          toast(`The document is not back: ${failureText(error)}`, { tone: 'error' }),
        );
      try {
        await database.del(doc._id);
        toast(`Document ${truncate(doc._id, ID_CHARS_MAX)} is deleted.`, {
          action: { label: 'Undo', run: () => void undo() },
        });
      } catch (error) {
        toast(`The document was not deleted: ${failureText(error)}`, { tone: 'error' });
      }
    },
    [database, toast],
  );
}

/** Puts a deleted document back as it was. One that was written again meanwhile is left as it is. @throws FixpointError */
export async function restore(database: Database, doc: Stored): Promise<void> {
  try {
    await database.get(doc._id);
  } catch (cause) {
    if (!isFixpointError(cause, 'NOT_FOUND')) throw cause;
    await database.put(doc);
    return;
  }
  throw new Error('a document with this id was written meanwhile, and is kept.');
}
