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
import { decodePending, numberOf, type PendingRow, writerOf } from './pending-rows.ts';
import { createSoleWriter } from './sole-writer.ts';
import { createWriteLog } from './write-log.ts';
import type { OpenLog, WriteLog } from './write-log-interface.ts';

/** If another writer's row is still stored after this time, that writer has stopped. */
const ABANDONED_MS = 1000;

export interface OpenLogParts {
  readonly head: CurrentHead;
  readonly store: ByteStore;
  /** Returns a name for this writer, which is used if the store's writers have no numbers. */
  readonly newWriter: () => string;
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
  const writer = String(store.writer ?? parts.newWriter());
  const sole = createSoleWriter(store, time);
  let stopWatch: (() => void) | undefined;

  const log = createWriteLog({
    ...{ store, writer, time, exclusive, report },
    // Without own logs of the writers, one guard covers all of them.
    commitsForAll: store.writer === undefined,
    commit: (rows) => commitRows(parts, rows),
    direct: parts.direct,
    isShared: () => parts.groupWrites !== true || sole.isShared(),
    announce: (operations, isFirst) => announce(head, operations, isFirst),
  });

  /** Returns the keys of other writers' rows. Later rows of this writer come after them. */
  const others = async () => {
    const keys = (await store.keys(PENDING)).filter((key) => writerOf(key) !== writer);
    for (const key of keys) log.continueAfter(numberOf(key));
    return keys;
  };

  /** Commits the rows of a writer that stopped. */
  async function adoptFrom(other: string): Promise<void> {
    if (store.ifAbandoned === undefined) return exclusive(log.settleInTurn);
    await store.ifAbandoned(Number(other), () =>
      exclusive(async () => {
        await log.settleInTurn();
        await reloadHead(head);
        const rows = await readRows(store, `${PENDING}${other}/`);
        if (rows.length > 0) await commitRows(parts, rows, 'elsewhere');
      }),
    );
  }

  async function adoptOthers(keys: readonly string[]): Promise<void> {
    for (const other of new Set(keys.map(writerOf))) await adoptFrom(other);
  }

  /** Looks for rows of other writers until there are none. Rows that stay were left there. */
  async function watchOthers(): Promise<void> {
    const seen = new Set(await others());
    if (seen.size === 0 || stopWatch !== undefined) return;
    stopWatch = time.after(ABANDONED_MS, () => {
      stopWatch = undefined;
      void others()
        .then((keys) => adoptOthers(keys.filter((key) => seen.has(key))))
        .then(watchOthers)
        .catch(report);
    });
  }

  return {
    ...log,
    recover: async () => {
      await sole.ask();
      log.adopt(await readRows(store, `${PENDING}${writer}/`));
      try {
        await exclusive(log.settleInTurn);
        await adoptOthers(await others());
      } catch (cause) {
        // On a full disk, the database must open, so that somebody can delete documents.
        if (!isFixpointError(cause, 'STORE_FULL')) throw cause;
        report(cause);
      }
      await watchOthers();
    },
    noticed: () => {
      sole.noticed();
      void watchOthers().catch(report);
    },
    stop: () => {
      stopWatch?.();
      return log.stop();
    },
  };
}

function announce(
  { snapshot, feed, channel }: CurrentHead,
  operations: readonly Operation[],
  isFirst: boolean,
) {
  const ids = [...new Set(operations.map(({ key }) => key as string))];
  feed.emit({ before: snapshot.head, after: snapshot.head, ids, origin: 'local' });
  // If this tab is closed before its next commit, another tab must know of the row.
  if (isFirst) channel.post();
}

/**
 * Makes one durable commit of the writes in these rows, and removes the rows in the same step. If
 * all writers share one head record, the commit also contains the pending writes of the others: a
 * write that was acknowledged earlier never replaces a later one.
 */
async function commitRows(
  { head, store, attempts, committed }: OpenLogParts,
  own: readonly PendingRow[],
  origin: 'settled' | 'elsewhere' = 'settled',
): Promise<void> {
  const known = new Set(own);
  let hasCommitted = false;
  await attempts(async () => {
    const rows = store.writer === undefined ? await allRows(store, own) : own;
    // Another tab committed the missing rows.
    const found = new Set(rows);
    if (own.some((row) => !found.has(row))) await reloadHead(head);
    hasCommitted = rows.length > 0;
    if (!hasCommitted) return true;
    const changes = rows.map(({ key }) => ({ key, bytes: undefined }));
    const isOwn = rows.every((row) => known.has(row));
    // The reserve for a full disk must be enough for writes that were acknowledged.
    return commit(head, newestOf(rows), { changes, origin: isOwn ? origin : 'elsewhere', frees: 'later' });
  });
  if (hasCommitted) committed();
}

const inOrder = (a: string, b: string): number => numberOf(a) - numberOf(b) || (a < b ? -1 : 1);

const readRows = async (store: ByteStore, prefix: string): Promise<PendingRow[]> =>
  [...(await store.readPrefix(prefix))]
    .sort(([a], [b]) => inOrder(a, b))
    .map(([key, bytes]) => decodePending(key, bytes));

/** Returns the rows of all writers that are stored now, in the order in which they were written. */
async function allRows(store: ByteStore, own: readonly PendingRow[]): Promise<readonly PendingRow[]> {
  const known = new Map(own.map((row) => [row.key, row]));
  const keys = [...(await store.keys(PENDING))].sort(inOrder);
  const rows: PendingRow[] = [];
  for (const key of keys) {
    const row = known.get(key);
    const bytes = row === undefined ? await store.read(key) : undefined;
    if (row !== undefined) rows.push(row);
    else if (bytes !== undefined) rows.push(decodePending(key, bytes));
  }
  return rows;
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
