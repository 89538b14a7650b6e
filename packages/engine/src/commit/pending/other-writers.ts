/** Commits the rows of pending writes that other writers left when they stopped. */
import { PENDING } from '../../store/names.ts';
import { commitOn } from '../commit.ts';
import { reloadHead } from '../current-head.ts';
import { mergeRemote } from '../merge-remote.ts';
import { isGone } from '../reads.ts';
import { snapshotOf } from '../snapshot-of.ts';
import { type PendingRow, writerOf } from './pending-rows.ts';
import { newestOf, readRows } from './stored-rows.ts';
import type { OpenLogParts, WriteLog } from './write-log-interface.ts';

/** If another writer's row is still stored after this time, that writer has stopped. */
const ABANDONED_MS = 1000;

export interface OtherWriters {
  /** Commits all rows that writers left. Leaves the rows of living writers to them. */
  adopt(): Promise<void>;
  /** Looks for rows of other writers until there are none. Rows that stay were left there. */
  watch(): Promise<void>;
  stop(): void;
}

export function followOtherWriters(
  parts: OpenLogParts,
  log: Pick<WriteLog, 'settleInTurn'> & { readonly writer: string },
  report: (cause: unknown) => void,
): OtherWriters {
  const { head, store, time, exclusive } = parts;
  let stopWatch: (() => void) | undefined;

  /** Returns the keys of other writers' rows. */
  const others = async () => (await store.keys(PENDING)).filter((key) => writerOf(key) !== log.writer);

  /** Commits the rows of a writer that stopped. */
  async function adoptFrom(other: string): Promise<void> {
    if (store.ifAbandoned === undefined) return exclusive(log.settleInTurn);
    const adopt = async () => {
      await log.settleInTurn();
      await reloadHead(head);
      const rows = await readRows(store, `${PENDING}${other}/`);
      if (rows.length > 0) await adoptRows(parts, rows);
    };
    // While this process has the lock of that log, it doesn't seem to be alone. Work of other turns
    // must not see that.
    await exclusive(async () => store.ifAbandoned?.(Number(other), adopt));
  }

  async function adoptOthers(keys: readonly string[]): Promise<void> {
    for (const other of new Set(keys.map(writerOf))) await adoptFrom(other);
  }

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
    adopt: async () => adoptOthers(await others()),
    watch: watchOthers,
    stop: () => stopWatch?.(),
  };
}

/**
 * Commits the rows of another writer as concurrent with all writes that it didn't know, and removes
 * the rows in the same step.
 */
export async function adoptRows(parts: OpenLogParts, rows: readonly PendingRow[]): Promise<void> {
  const { head, attempts, committed, pace } = parts;
  const remember = rows.map(({ key }) => ({ key, bytes: undefined }));
  // A writer commits its rows before it takes in writes of others. If it couldn't, only its last
  // row was written with knowledge of them, and must not lose against them.
  const { known = head.snapshot.head } = rows.at(-1) ?? {};
  await attempts(async () => {
    const built = await snapshotOf(known, head.readers, head.rebuild)
      .then((base) => commitOn(head, base, newestOf(rows)))
      .catch((cause) => {
        // A compaction dropped what a commit on that head needs.
        if (!isGone(cause)) throw cause;
        return commitOn(head, head.snapshot, newestOf(rows));
      });
    return mergeRemote(head, { head: built.next.head, archives: built.made, remember, isOwn: true }, pace);
  });
  committed();
}
