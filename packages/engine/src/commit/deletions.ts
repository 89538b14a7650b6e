import { isFixpointError } from '@fixpoint/protocol';
import { TOMBSTONE } from '../documents/encode.ts';
import type { Operation } from './write-queue.ts';

type Write = (operations: readonly Operation[]) => Promise<void>;

export const areDeletions = (operations: readonly Operation[]): boolean =>
  operations.every(({ value }) => value.cid === TOMBSTONE.cid);

/** Deletes that find the disk full, and their reserve used up, wait for a compaction (decision 0121). */
export function freeingWrite(write: Write, compact: () => Promise<void>): Write {
  let freeing: Promise<void> | undefined;
  return (operations) =>
    write(operations).catch(async (cause) => {
      if (!areDeletions(operations) || !isFixpointError(cause, 'STORE_FULL')) throw cause;
      // When it fails, too, the second attempt says why nothing was deleted.
      freeing ??= compact().catch(() => undefined);
      await freeing;
      freeing = undefined;
      return write(operations);
    });
}
