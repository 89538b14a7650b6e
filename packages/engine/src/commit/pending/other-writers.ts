/** Commits the rows of pending writes that other writers left when they stopped. */
import { PENDING } from '../../store/names.ts';
import { commitOn } from '../commit.ts';
import { reloadHead } from '../current-head.ts';
import { mergeRemote } from '../merge-remote.ts';
import { isGone } from '../reads.ts';
import { snapshotOf } from '../snapshot-of.ts';
import { type PendingRow, writerOf } from './pending-rows.ts';
import { newestOf, newestTime, readRows } from './stored-rows.ts';
import type { OpenLogParts, WriteLog } from './write-log-interface.ts';

/** Wait after a hint of another writer. A running writer has committed its rows by then. */
const LOOK_AFTER_MS = 1000;
/** Each failure doubles the wait, up to this maximum. */
const LOOK_AFTER_MOST_MS = 60_000;

export interface OtherWriters {
  /** Returns whether rows of other writers are stored. */
  exist(): Promise<boolean>;
  /**
   * Commits the rows of stopped writers. Where one head record guards all writers, also commits the
   * rows of running ones.
   */
  adopt(): Promise<void>;
  /**
   * Call it after each hint of another writer. Looks at the store again later, because a writer may
   * store or commit rows after its last hint, and then stop.
   */
  noticed(): void;
  stop(): void;
}

export function followOtherWriters(
  parts: OpenLogParts,
  log: Pick<WriteLog, 'settleInTurn'> & { readonly writer: string },
  report: (cause: unknown) => void,
): OtherWriters {
  const { head, store, time, exclusive } = parts;
  let stopTimer: (() => void) | undefined;
  let isStopped = false;
  /** Whether a hint arrived after the timer had started. */
  let isNoticed = false;
  let waitMs = LOOK_AFTER_MS;

  /** Returns the keys of other writers' rows. */
  const others = async () => (await store.keys(PENDING)).filter((key) => writerOf(key) !== log.writer);

  const exist = async () => (await others()).length > 0;

  /** Commits the rows of a writer that stopped. */
  async function adoptFrom(other: string): Promise<void> {
    const adopt = async () => {
      await log.settleInTurn();
      await reloadHead(head);
      const rows = await readRows(store, `${PENDING}${other}/`);
      if (rows.length > 0) await adoptRows(parts, rows);
    };
    // `ifAbandoned` locks the log of the other writer. During the lock, this process doesn't count
    // as the only one, which work of other turns must not see.
    await exclusive(async () => store.ifAbandoned?.(Number(other), adopt));
  }

  async function adopt(): Promise<void> {
    // Where one head record guards all writers, each commit contains the rows of all of them.
    if (store.ifAbandoned === undefined)
      return exclusive(async () => {
        await log.settleInTurn();
        await reloadHead(head);
      });
    for (const other of new Set((await others()).map(writerOf))) await adoptFrom(other);
  }

  async function look(): Promise<void> {
    await adopt();
    waitMs = LOOK_AFTER_MS;
    if (isNoticed || (await exist())) lookLater();
  }

  function lookLater(): void {
    if (isStopped || stopTimer !== undefined) return;
    isNoticed = false;
    stopTimer = time.after(waitMs, () => {
      stopTimer = undefined;
      look().catch((cause) => {
        report(cause);
        waitMs = Math.min(2 * waitMs, LOOK_AFTER_MOST_MS);
        lookLater();
      });
    });
  }

  return {
    exist,
    adopt,
    noticed: () => {
      isNoticed = true;
      lookLater();
    },
    stop: () => {
      isStopped = true;
      stopTimer?.();
    },
  };
}

/**
 * Commits the rows of another writer as concurrent with all writes that this writer didn't know.
 * Removes the rows in the same step.
 */
export async function adoptRows(parts: OpenLogParts, rows: readonly PendingRow[]): Promise<void> {
  const { head, attempts, committed, pace } = parts;
  const remember = rows.map(({ key }) => ({ key, bytes: undefined }));
  // A writer commits its rows before it merges writes of others. If that commit failed, only its
  // last rows were written with knowledge of those writes, and must not lose to them.
  const { known = head.snapshot.head } = rows.at(-1) ?? {};
  const timeMs = newestTime(rows);
  await attempts(async () => {
    const built = await snapshotOf(known, head.readers, head.rebuild)
      .then((base) => commitOn(head, base, newestOf(rows), { timeMs, frees: 'pending' }))
      .catch((cause) => {
        // A compaction dropped what a commit on that head needs.
        if (!isGone(cause)) throw cause;
        return commitOn(head, head.snapshot, newestOf(rows), { timeMs, frees: 'pending' });
      });
    return mergeRemote(head, { head: built.next.head, archives: built.made, remember, isOwn: true }, pace);
  });
  committed();
}
