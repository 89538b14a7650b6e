/** Connects the log in front of commits with the head and with the rows of other writers. */
import { isFixpointError } from '@fixpoint/protocol';
import type { Turns } from '../../base/turns.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import type { Time } from '../../ports/time.ts';
import { PENDING } from '../../store/names.ts';
import type { Attempts } from '../attempts.ts';
import { commit } from '../commit.ts';
import { type CurrentHead, reloadHead } from '../current-head.ts';
import type { Operation } from '../write-queue.ts';
import { decodePending, type PendingRow, writerOf } from './pending-rows.ts';
import { createSoleWriter } from './sole-writer.ts';
import { createWriteLog } from './write-log.ts';
import type { OpenLog, WriteLog } from './write-log-interface.ts';

/** If another writer's row is still stored after this time, that writer has stopped. */
const ABANDONED_MS = 1000;

export interface OpenLogParts {
  readonly head: CurrentHead;
  readonly store: ByteStore;
  /** Name of this writer if the store has no numbers of writers. */
  readonly writer: string;
  readonly time: Time;
  readonly exclusive: Turns;
  readonly attempts: Attempts['attempts'];
  readonly committed: () => void;
  readonly direct: WriteLog['write'];
  /** Unless true, nothing uses the log. */
  readonly groupWrites?: boolean | undefined;
  readonly report: (error: unknown) => void;
}

export function openWriteLog(parts: OpenLogParts): OpenLog {
  const { head, store, time, exclusive } = parts;
  // Handles are notified separately when their store was removed.
  const report = (cause: unknown) => isFixpointError(cause, 'STORE_LOST') || parts.report(cause);
  const writer = String(store.writer ?? parts.writer);
  const sole = createSoleWriter(store, time);
  let stopWatch: (() => void) | undefined;

  const log = createWriteLog({
    ...{ store, writer, time, exclusive, report },
    commit: (rows) => commitRows(parts, rows),
    direct: parts.direct,
    isShared: () => parts.groupWrites !== true || sole.isShared(),
    announce: (operations) => {
      const at = head.snapshot.head;
      const ids = [...new Set(operations.map(({ key }) => key as string))];
      head.feed.emit({ before: at, after: at, ids, origin: 'local' });
    },
  });

  const others = async () => (await store.keys(PENDING)).filter((key) => writerOf(key) !== writer);

  /** Commits the rows of one writer, unless it lives and only it may remove them. */
  async function adoptFrom(other: string): Promise<void> {
    const adopt = () =>
      exclusive(async () => {
        await reloadHead(head);
        const rows = await readRows(store, `${PENDING}${other}/`);
        if (rows.length > 0) await commitRows(parts, rows);
      });
    if (store.ifAbandoned === undefined) await adopt();
    else await store.ifAbandoned(Number(other), adopt);
  }

  async function adoptOthers(keys: readonly string[]): Promise<void> {
    for (const other of new Set(keys.map(writerOf))) await adoptFrom(other);
  }

  /** Looks for rows of other writers, and again after a while: who stopped leaves them there. */
  async function watchOthers(): Promise<void> {
    if (stopWatch !== undefined) return;
    const seen = new Set(await others());
    if (seen.size === 0 || stopWatch !== undefined) return;
    stopWatch = time.after(ABANDONED_MS, () => {
      stopWatch = undefined;
      void others()
        .then((keys) => adoptOthers(keys.filter((key) => seen.has(key))))
        .catch(report);
    });
  }

  return {
    ...log,
    recover: async () => {
      await sole.ask();
      log.adopt(await readRows(store, `${PENDING}${writer}/`));
      await log.settle();
      await adoptOthers(await others());
    },
    noticed: () => {
      sole.noticed();
      void watchOthers().catch(report);
    },
    stop: () => {
      log.stop();
      stopWatch?.();
    },
  };
}

/** Makes one durable commit of the writes in these rows, and removes the rows in the same step. */
async function commitRows(
  { head, store, attempts, committed }: OpenLogParts,
  rows: readonly PendingRow[],
): Promise<void> {
  let isFirst = true;
  await attempts(async () => {
    // If another tab moved the head, it may have committed these rows.
    const left = isFirst ? rows : await stillStored(store, rows);
    isFirst = false;
    if (left.length === 0) return true;
    const changes = left.map(({ key }) => ({ key, bytes: undefined }));
    return commit(head, newestOf(left), { changes, origin: 'settled' });
  });
  committed();
}

const readRows = async (store: ByteStore, prefix: string): Promise<PendingRow[]> =>
  [...(await store.readPrefix(prefix))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, bytes]) => decodePending(key, bytes));

async function stillStored(store: ByteStore, rows: readonly PendingRow[]): Promise<readonly PendingRow[]> {
  const stored = new Set(await store.keys(PENDING));
  return rows.filter(({ key }) => stored.has(key));
}

/** Returns the last write of each document, in the order of these writes. */
function newestOf(rows: readonly PendingRow[]): Operation[] {
  const newest = new Map<string, Operation>();
  for (const { operations } of rows)
    for (const operation of operations) {
      newest.delete(operation.key);
      newest.set(operation.key, operation);
    }
  return [...newest.values()];
}
