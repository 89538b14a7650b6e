import type { Pace } from '../base/pace.ts';
import type { Block } from '../codec/block.ts';
import type { DocKey } from '../documents/doc-key.ts';
import type { OperationFiles } from './files.ts';

export interface Operation {
  readonly key: DocKey;
  /** The document block, or the tombstone. */
  readonly value: Block;
  /** Files that the document refers to and that it brings along. */
  readonly files?: OperationFiles;
}

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
 * @param pace a store may be done at once, each time: then writes one after another would leave nobody else a turn of the event loop
 */
export function createWriteQueue(
  commit: (operations: readonly Operation[]) => Promise<void>,
  operationsMax: number,
  pace: Pace,
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

  async function commitWaiting(): Promise<void> {
    if (pace.isDue()) await pace.rest();
    const group = takeGroup();
    if (group.length === 0) return;
    try {
      await commit(group.flatMap(({ operations }) => operations));
      for (const { resolve } of group) resolve();
    } catch (cause) {
      for (const { reject } of group) reject(cause);
    }
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
