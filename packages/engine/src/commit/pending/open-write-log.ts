/** Connects the log in front of commits with the head and with the rows of other writers. */
import { isFixpointError } from '@fixpoint/protocol';
import { PENDING } from '../../store/names.ts';
import { commit, commitOn } from '../commit.ts';
import { type CurrentHead, reloadHead } from '../current-head.ts';
import type { HeadChange } from '../news.ts';
import type { Operation } from '../write-queue.ts';
import { createRowAppender } from './append-row.ts';
import { adoptRows, followOtherWriters } from './other-writers.ts';
import type { PendingRow } from './pending-rows.ts';
import { createSoleWriter } from './sole-writer.ts';
import { allRows, newestOf, newestTime, readRows } from './stored-rows.ts';
import { type Committed, createWriteLog } from './write-log.ts';
import type { OpenLog, OpenLogParts } from './write-log-interface.ts';

export function openWriteLog(parts: OpenLogParts): OpenLog {
  const { head, store, time, pace, exclusive, report } = parts;
  const writer = String(store.writer ?? parts.newWriter());
  // Where one head record guards all writers, each open has a new name, and the next commit
  // contains the rows of all of them.
  const isOneOrder = store.writer === undefined;
  const own = isOneOrder ? PENDING : `${PENDING}${writer}/`;
  const sole = createSoleWriter(store, time);
  let areOthers = false;

  const log = createWriteLog({
    appender: createRowAppender({ store, writer, time }),
    ...{ time, pace, exclusive, report },
    // Where writers don't have separate logs, one head record guards all of them. A writer that
    // stores no rows looks for the rows of others only once it noticed another writer, because
    // looking takes as long as a commit.
    commitsForAll: (lookForOthers) =>
      store.writer === undefined && (parts.commitEachWrite !== true || areOthers || lookForOthers),
    known: () => head.snapshot.head,
    commit: (rows, deletions, isOwn) => commitRows(parts, rows, deletions, isOwn),
    isShared: () => parts.commitEachWrite === true || sole.isShared(),
    announce: (operations, isFirst) => announce(head, operations, isFirst),
    announceElsewhere: (ids) => tellOf(head, ids, 'elsewhere'),
  });

  const others = followOtherWriters(parts, { ...log, writer }, report);

  /** Returns the rows that an earlier owner of this log left, and looks for other writers. */
  async function look(): Promise<readonly PendingRow[]> {
    const asked = parts.commitEachWrite === true ? undefined : sole.ask();
    const [left] = await Promise.all([isOneOrder ? store.keys(PENDING) : readRows(store, own), asked]);
    if (isOneOrder) areOthers = left.length > 0;
    return left.filter((row) => typeof row !== 'string');
  }

  return {
    ...log,
    preview: () =>
      exclusive(async () => {
        const rows = await (store.writer === undefined ? readRows(store, PENDING) : log.rows());
        if (rows.length === 0) return head.snapshot;
        const { next, blocks } = await commitOn({ ...head, stamp: undefined }, head.snapshot, newestOf(rows));
        const preview = { ...next, head: head.snapshot.head, merged: blocks };
        head.unstored.show(preview);
        return preview;
      }),
    recover: async (opened) => {
      // A row that another writer stores after this look is followed by a hint.
      const [left] = await Promise.all([look(), opened]);
      try {
        if (left.length > 0) await exclusive(() => adoptRows(parts, left));
        if (!isOneOrder) areOthers = await others.exist();
        if (areOthers) await others.adopt();
      } catch (cause) {
        // The database must open even on a full disk, so that the user can delete documents.
        if (!isFixpointError(cause, 'STORE_FULL')) throw cause;
        areOthers = true;
        log.adopt(await readRows(store, own));
        report(cause);
      }
      if (areOthers && (await others.exist())) others.noticed();
    },
    adoptAbandoned: async () => {
      if (store.ifAbandoned !== undefined && (await others.exist())) await others.adopt();
    },
    noticed: () => {
      areOthers = true;
      sole.noticed();
      others.noticed();
    },
    stop: () => {
      others.stop();
      return log.stop();
    },
  };
}

function announce(head: CurrentHead, operations: readonly Operation[], isFirst: boolean): void {
  tellOf(head, [...new Set(operations.map(({ key }) => key as string))], 'local');
  // If this tab is closed before its next commit, another tab must know of the row.
  if (isFirst) head.channel.post();
}

/** Notifies subscribers of writes without a new head. */
function tellOf({ snapshot, feed }: CurrentHead, ids: readonly string[], origin: HeadChange['origin']): void {
  feed.emit({ before: snapshot.head, after: snapshot.head, ids, origin });
}

/**
 * Makes one durable commit of the writes in these rows and then the deletions, and removes the rows
 * in the same step. If all writers share one head record, the commit also contains the pending
 * writes of the others. So a write never replaces one that was acknowledged later.
 */
async function commitRows(
  { head, store, attempts, committed }: OpenLogParts,
  own: readonly PendingRow[],
  deletions: readonly Operation[],
  isOwn: (key: string) => boolean,
): Promise<Committed> {
  const known = new Set(own);
  let rows: readonly PendingRow[] = [];
  const others = new Set<PendingRow>();
  await attempts(async () => {
    rows = store.writer === undefined ? await allRows(store, own, isOwn) : own;
    const found = new Set(rows);
    const gone = own.filter((row) => !found.has(row));
    for (const row of [...gone, ...rows.filter((one) => !known.has(one))]) others.add(row);
    // Another tab committed the missing rows.
    if (gone.length > 0) await reloadHead(head);
    const changes = rows.map(({ key }) => ({ key, bytes: undefined }));
    if (deletions.length > 0)
      return commit(head, newestOf([...rows, { operations: deletions }]), { changes, frees: 'later' });
    if (rows.length === 0) return true;
    const timeMs = newestTime(rows);
    return commit(head, newestOf(rows), { changes, origin: 'settled', frees: 'pending', timeMs });
  });
  if (rows.length + deletions.length > 0) committed();
  return { changedElsewhere: newestOf([...others]).map(({ key }) => key) };
}
