/**
 * Numbers and stores the rows of pending writes. A later commit replays rows in the order of their
 * numbers.
 *
 * Where one head record guards all writers, the rows of all tabs share one sequence. The last
 * number is stored, and each row is written under the condition that this number hasn't changed. So
 * a row comes after every row that was stored before, no matter what the clocks of the tabs say.
 * Like the guard of a commit, this condition also fails if another tab sealed the stored data with
 * a new key (decision 0099).
 */
import { FixpointError } from '@fixpoint/protocol';
import { textOf, utf8 } from '../../base/bytes.ts';
import type { Head } from '../../clock/event.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import type { Time } from '../../ports/time.ts';
import { HEAD_KEY } from '../../store/head-record.ts';
import { LAST_PENDING } from '../../store/names.ts';
import type { Operation } from '../write-queue.ts';
import { encodePending, numberOf, type PendingRow, pendingKey } from './pending-rows.ts';

export interface Appended {
  readonly row: PendingRow;
  /** The size of the row. */
  readonly size: number;
}

export interface RowAppender {
  /** Stores writes in one row. @throws FixpointError STORE_FULL, STORE_FAILED, CORRUPT */
  append(operations: readonly Operation[], known: Head): Promise<Appended>;
  /**
   * Returns the key of the row that is being stored or was stored last. Absent where each writer
   * has its own rows, because commits don't read them.
   */
  latest?(): string | undefined;
  /** Gives later rows higher numbers than this row's. */
  continueAfter(row: PendingRow): void;
}

export interface RowAppenderParts {
  readonly store: Pick<ByteStore, 'read' | 'write' | 'writer'>;
  readonly writer: string;
  readonly time: Time;
}

export const createRowAppender = (parts: RowAppenderParts): RowAppender =>
  parts.store.writer === undefined ? inSharedOrder(parts) : inOwnOrder(parts);

const NOTHING = new Uint8Array();

function inSharedOrder({ store, writer, time }: RowAppenderParts): RowAppender {
  /** The stored last number; undefined if another tab may have changed it. */
  let last: Uint8Array | undefined;
  let latest: string | undefined;

  async function readLast(): Promise<Uint8Array | undefined> {
    // If another tab has sealed the head record with a new key, this read loads the key.
    await store.read(HEAD_KEY);
    const found = await store.read(LAST_PENDING);
    if (found === undefined)
      await store.write([{ key: LAST_PENDING, bytes: NOTHING }], { key: LAST_PENDING, bytes: undefined });
    return found;
  }

  return {
    append: async (operations, known) => {
      const timeMs = time.now();
      const bytes = encodePending(operations, known, timeMs);
      for (;;) {
        last ??= await readLast();
        if (last === undefined) continue;
        const number = decodeNumber(last) + 1;
        const key = pendingKey(writer, number);
        const next = utf8(String(number));
        const changes = [
          { key, bytes, isPending: true },
          { key: LAST_PENDING, bytes: next },
        ];
        latest = key;
        const isDone = await store.write(changes, { key: LAST_PENDING, bytes: last }).catch((cause) => {
          // The row may be stored nevertheless. Then it belongs to the next commit of any tab.
          [last, latest] = [undefined, undefined];
          throw cause;
        });
        last = isDone ? next : undefined;
        if (isDone) return { row: { key, operations, known, timeMs }, size: bytes.length };
      }
    },
    latest: () => latest,
    // The stored last number is higher.
    continueAfter: () => undefined,
  };
}

/** Each writer has its own rows. Numbers come from the clock, so that no key is used again. */
function inOwnOrder({ store, writer, time }: RowAppenderParts): RowAppender {
  let last = 0;
  return {
    append: async (operations, known) => {
      const timeMs = time.now();
      last = Math.max(last + 1, timeMs * 1000);
      const key = pendingKey(writer, last);
      const bytes = encodePending(operations, known, timeMs);
      await store.write([{ key, bytes, isPending: true }]);
      return { row: { key, operations, known, timeMs }, size: bytes.length };
    },
    continueAfter: ({ key }) => {
      last = Math.max(last, numberOf(key));
    },
  };
}

/** @throws FixpointError CORRUPT */
function decodeNumber(stored: Uint8Array): number {
  const number = Number(textOf(stored));
  if (!Number.isSafeInteger(number)) throw new FixpointError('CORRUPT', 'the number of pending writes');
  return number;
}
