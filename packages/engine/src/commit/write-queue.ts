import { isFixpointError } from '@fixpoint/protocol';
import type { Pace } from '../base/pace.ts';
import type { Block } from '../codec/block.ts';
import type { DocKey } from '../documents/doc-key.ts';
import { TOMBSTONE } from '../documents/encode.ts';
import type { OperationFiles } from './files.ts';

export interface Operation {
  readonly key: DocKey;
  /** The document block, or the tombstone. */
  readonly value: Block;
  /** Files that the document refers to and that it brings along. */
  readonly files?: OperationFiles;
}

export const areDeletions = (operations: readonly Operation[]): boolean =>
  operations.every(({ value }) => value.cid === TOMBSTONE.cid);

interface Waiting {
  readonly operations: readonly Operation[];
  resolve(): void;
  reject(cause: unknown): void;
}

export interface WriteQueue {
  /** Resolves when the operations are part of a durable commit. */
  write(operations: readonly Operation[]): Promise<void>;
  /** Does something else that moves the head, after the commits before it and ahead of those after it. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * One commit at a time; writes that wait meanwhile go into one commit together (group commit).
 * @param free makes space for deletions on a full disk (decision 0121)
 * @param pace a store may be done at once, each time: then writes one after another would leave nobody else a turn of the event loop
 */
export function createWriteQueue(
  commit: (operations: readonly Operation[]) => Promise<void>,
  operationsMax: number,
  pace: Pace,
  free: () => Promise<void>,
): WriteQueue {
  let waiting: Waiting[] = [];
  let last: Promise<unknown> = Promise.resolve();

  function takeGroup(): Waiting[] {
    let size = 0;
    let count = 0;
    for (const { operations } of waiting) {
      if (count > 0 && size + operations.length > operationsMax) break;
      size += operations.length;
      count += 1;
    }
    const group = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return group;
  }

  async function commitGroup(group: readonly Waiting[], isRetry = false): Promise<void> {
    if (group.length === 0) return;
    try {
      await commit(group.flatMap(({ operations }) => operations));
      for (const { resolve } of group) resolve();
    } catch (cause) {
      const isFinal = isRetry || !isFixpointError(cause, 'STORE_FULL');
      const again = group.filter(
        ({ operations, reject }) => (!isFinal && areDeletions(operations)) || reject(cause),
      );
      // Only a commit without puts may use the space that is kept for deletions.
      if (again.length < group.length) return commitGroup(again);
      // When compaction fails, too, the second attempt says why nothing was deleted.
      // It takes turns in this queue, so the queue doesn't wait for it.
      void free()
        .catch(() => undefined)
        .then(() => exclusive(() => commitGroup(again, true)));
    }
  }

  async function commitWaiting(): Promise<void> {
    if (pace.isDue()) await pace.rest();
    await commitGroup(takeGroup());
  }

  const exclusive = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };

  return {
    exclusive,
    write: (operations) =>
      new Promise((resolve, reject) => {
        waiting.push({ operations, resolve, reject });
        void exclusive(commitWaiting);
      }),
  };
}
