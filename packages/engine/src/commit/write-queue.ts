import { isFixpointError } from '@fixpoint/protocol';
import type { Pace } from '../base/pace.ts';
import type { Turns } from '../base/turns.ts';
import type { Block } from '../codec/block.ts';
import type { DocKey } from '../documents/doc-key.ts';
import { TOMBSTONE } from '../documents/encode.ts';
import type { OperationFiles } from './attached-files.ts';
import type { Snapshot } from './snapshot.ts';

export interface Operation {
  readonly key: DocKey;
  /** The document block, or the tombstone. */
  readonly value: Block;
  /** New files that the document refers to. */
  readonly files?: OperationFiles;
  /** Whether to commit an event even if the document stays as it is. */
  readonly isForced?: boolean;
}

/**
 * Returns the operations of a write that depends on the current documents. Called again if another
 * tab moves the head before the commit. If it throws, nothing is written.
 */
export type MakeOperations = (snapshot: Snapshot) => Promise<readonly Operation[]>;
export type Write = readonly Operation[] | MakeOperations;

export const areDeletions = (operations: Write): boolean =>
  typeof operations !== 'function' && operations.every(({ value }) => value.cid === TOMBSTONE.cid);

interface Waiting {
  readonly operations: Write;
  resolve(): void;
  reject(cause: unknown): void;
}

export interface WriteQueueParts {
  /** Runs commits and other work that moves the head, one after another. */
  readonly exclusive: Turns;
  /** Makes one durable commit. */
  commit(operations: Write): Promise<void>;
  /** Maximum number of operations in one commit, unless a single write has more. */
  readonly operationsMax: number;
  /**
   * Yields to the event loop. Otherwise, consecutive writes to a fast store would starve other
   * work.
   */
  readonly pace: Pace;
  /** Frees space for deletions on a full disk (decision 0121). */
  free(): Promise<void>;
}

/**
 * Creates a queue that runs one commit at a time. Waiting writes share the next commit (group
 * commit). Returns a function that resolves when its operations are part of a durable commit.
 */
export function createWriteQueue({
  exclusive,
  commit,
  operationsMax,
  pace,
  free,
}: WriteQueueParts): (operations: Write) => Promise<void> {
  let waiting: Waiting[] = [];

  function takeGroup(): Waiting[] {
    let size = 0;
    let count = 0;
    for (const { operations } of waiting) {
      // A function needs the effect of earlier writes, so its commit contains no others.
      const isMade = typeof operations === 'function';
      if (count > 0 && isMade) break;
      size += isMade ? operationsMax : operations.length;
      if (count > 0 && size > operationsMax) break;
      count += 1;
      if (isMade) break;
    }
    const group = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return group;
  }

  async function commitGroup(group: readonly Waiting[], isRetry = false): Promise<void> {
    if (group.length === 0) return;
    try {
      const [first] = group;
      await commit(
        typeof first?.operations === 'function'
          ? first.operations
          : group.flatMap(({ operations }) => operations as readonly Operation[]),
      );
      for (const { resolve } of group) resolve();
    } catch (cause) {
      const isFinal = isRetry || !isFixpointError(cause, 'STORE_FULL');
      const again = group.filter(
        ({ operations, reject }) => (!isFinal && areDeletions(operations)) || reject(cause),
      );
      // Retry the deletions without the puts of their group: only such a commit may use the space
      // reserved for deletions.
      if (again.length < group.length) return commitGroup(again);
      // If compaction fails, too, the second attempt reports why nothing was deleted. Compaction
      // needs turns of this queue, so the queue doesn't wait for compaction.
      void free()
        .catch(() => undefined)
        .then(() => exclusive(() => commitGroup(again, true)));
    }
  }

  async function commitWaiting(): Promise<void> {
    if (pace.isDue()) await pace.rest();
    await commitGroup(takeGroup());
  }

  return (operations) =>
    new Promise((resolve, reject) => {
      waiting.push({ operations, resolve, reject });
      void exclusive(commitWaiting);
    });
}
