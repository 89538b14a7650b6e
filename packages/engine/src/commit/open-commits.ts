/**
 * Opens the commit layer. Every change of the head starts here. Each change is one durable step,
 * and one feed announces it. A write takes this path: write-queue.ts -> attempts.ts -> commit.ts ->
 * current-head.ts -> news.ts (docs/internals/write-path.md).
 */
import { FixpointError } from '@fixpoint/protocol';
import { createPace, type Pace } from '../base/pace.ts';
import { createTurns, type Turns } from '../base/turns.ts';
import { sortHead } from '../clock/event.ts';
import { Archives } from '../store/archives.ts';
import { FileArchives } from '../store/file-archives.ts';
import { PENDING } from '../store/names.ts';
import { createFiles } from './attached-files.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import type { CommitParts, Commits } from './commits-interface.ts';
import { createMaintenance, type Maintenance } from './compaction/maintenance.ts';
import { advanceHead, type CurrentHead, createHead, openHead, reloadHead, tell } from './current-head.ts';
import { createDirectWrites } from './direct-writes.ts';
import { followHints } from './hints.ts';
import { createLocalRows } from './local-rows.ts';
import { mergeRemote } from './merge-remote.ts';
import { createFeed } from './news.ts';
import { type OpenLog, withoutLog } from './pending/write-log-interface.ts';
import { createHolds, createSteadyReads } from './reads.ts';

const VERIFY_SLICE_MS = 10;
const COMMIT_SLICE_MS = 4;

/** Opens the commit layer. @throws FixpointError CORRUPT, MISSING_BLOCK, KEY_UNKNOWN */
export async function openCommits(parts: CommitParts): Promise<Commits> {
  const { store, channel, time, report, load } = parts;
  const fileArchives = new FileArchives(store, parts.keys);
  const head = createHeadOver(parts, fileArchives);
  const holds = createHolds();
  const exclusive = createTurns();
  let closed = false;
  const isClosed = () => closed;
  const requireOpen = () => {
    if (closed) throw new FixpointError('DATABASE_CLOSED');
  };
  const reportUnlessClosed = (cause: unknown) => {
    if (!closed) report(cause);
  };
  const reload = () => reloadHead(head);
  const { attempts, crowded } = createAttempts({ store, channel, time, reload, requireOpen });
  const maintenance = createMaintenance({
    ...{ ...parts, head, fileArchives, exclusive, requireOpen },
    held: holds.list,
    report: reportUnlessClosed,
  });
  const settle = () => log.settleInTurn();
  const pace = createPace(time, COMMIT_SLICE_MS);
  const direct = createDirectWrites({ head, pace, exclusive, attempts, maintenance }, settle);
  let log: OpenLog = withoutLog(direct);
  /** Runs work that moves the head for others. Writes that were acknowledged before come first. */
  const turn: Turns = (work) => exclusive(() => settle().then(work));
  const noticed = () => log.noticed();
  const stopHints = followHints({ head, channel, exclusive, settle, isClosed, noticed, crowded, report });
  const hold = () => holds.take(head.snapshot);

  const [pending] = await Promise.all([store.keys(PENDING), openHead(head)]);
  if (parts.groupWrites === true || pending.length > 0) {
    const { openWriteLog } = await load();
    const { committed } = maintenance;
    const own = { head, exclusive, attempts, direct, committed, report: reportUnlessClosed };
    log = openWriteLog({ ...parts, ...own });
    await log.recover();
  }
  return {
    ...storedIn(head),
    ...createSteadyReads({
      ...{ hold, settle: log.settle },
      snapshot: () => head.snapshot,
      refresh: () => turn(reload),
    }),
    keys: parts.ledgerKeys,
    local: createLocalRows(store),
    fileArchivesNamed: async (ids) => (await load()).liveFileArchives(head.snapshot, head.readers, ids),
    hold,
    ...{ write: log.write, pending: log.get, isSettled: log.isEmpty, settle: log.settle },
    subscribe: head.feed.subscribe,
    ...stepsOn({
      parts,
      head,
      log,
      maintenance,
      pace,
      exclusive,
      turn,
      attempts,
      report: reportUnlessClosed,
    }),
    close: () => {
      const stopped = log.stop();
      return exclusive(async () => {
        await stopped;
        // The next open commits writes that can't be committed now.
        await settle().catch(reportUnlessClosed);
        closed = true;
        stopHints();
        maintenance.stop();
        channel.close();
        await store.close();
      });
    },
  };
}

interface StepParts {
  readonly parts: CommitParts;
  readonly head: CurrentHead;
  readonly log: OpenLog;
  readonly maintenance: Maintenance;
  readonly pace: Pace;
  readonly exclusive: Turns;
  /** Like `exclusive`, after pending writes were committed. */
  readonly turn: Turns;
  readonly attempts: Attempts['attempts'];
  readonly report: (error: unknown) => void;
}

type Step = 'prepareForSync' | 'mergeRemote' | 'markUploaded' | 'verify' | 'compact';

/** Returns the calls that work on the head and the archives, other than writes. */
function stepsOn({
  parts,
  head,
  log,
  maintenance,
  pace,
  exclusive,
  turn,
  attempts,
  report,
}: StepParts): Pick<Commits, Step> {
  const { store, time, load } = parts;
  return {
    prepareForSync: () => turn(() => attempts(() => prepareForSync(head, load))),
    mergeRemote: (merge) =>
      turn(async () => {
        await attempts(() => mergeRemote(head, merge, pace));
        maintenance.merged();
      }),
    markUploaded: (uploaded, remember) =>
      exclusive(async () => {
        await store.write([...head.archives.sent(uploaded), ...remember]);
      }),
    verify: async (options) => {
      await log.settle();
      const { verifyStored } = await load();
      return verifyStored({ ...head, pace: createPace(time, VERIFY_SLICE_MS) }, options);
    },
    // Compaction may free the space that the pending writes need.
    compact: () => log.settle().catch(report).then(maintenance.compact),
  };
}

function createHeadOver(
  { store, keys, channel, time, report, load, archivesKept }: CommitParts,
  fileArchives: FileArchives,
): CurrentHead {
  return createHead({
    store,
    channel,
    archives: new Archives(store, keys, archivesKept),
    files: createFiles(store, fileArchives, time),
    feed: createFeed(report),
    rebuild: async (...given) => (await load()).rebuiltSnapshot(...given),
  });
}

type StoredState =
  | 'readers'
  | 'files'
  | 'snapshot'
  | 'hasDropped'
  | 'horizon'
  | 'hasDroppedEvents'
  | 'hasArchive'
  | 'archiveOf'
  | 'archiveIds'
  | 'blocksOf'
  | 'pendingUploads'
  | 'plainArchive'
  | 'remembered';

/** Returns the functions that read the stored state. */
function storedIn(head: CurrentHead): Pick<Commits, StoredState> {
  const { readers, files, archives, store } = head;
  return {
    readers,
    files,
    snapshot: () => head.snapshot,
    hasDropped: () => head.record.horizon !== undefined || head.record.bytes > 0,
    horizon: () => head.record.horizon,
    hasDroppedEvents: () => head.record.horizon !== undefined || head.record.former.length > 0,
    hasArchive: (cid) => archives.has(cid),
    archiveOf: (block) => archives.placeOf(block)?.archive,
    archiveIds: () => [...archives.list.keys()],
    blocksOf: (cid) => archives.blocksOf(cid),
    pendingUploads: async () => [...(await archives.pending())],
    plainArchive: (cid) => archives.readArchive(cid),
    remembered: (prefix) => store.readPrefix(prefix),
  };
}

/**
 * Stops compaction from dropping events. Returns false and stores nothing when another writer moved
 * the head first.
 * @throws FixpointError STORE_LOCKED when events were dropped and another process has the database
 * open
 */
async function prepareForSync(head: CurrentHead, load: CommitParts['load']): Promise<boolean> {
  const { record, snapshot: before, readers, genesis } = head;
  if (record.synced) return true;
  const also = { synced: true, epoch: record.epoch + 1 };
  if (record.horizon === undefined) return advanceHead(head, before, [], false, [], also);
  // Another process might still write on top of the history that this step replaces.
  if ((await head.store.isAlone?.()) === false) throw new FixpointError('STORE_LOCKED');
  const { joinedHistory } = await load();
  const { snapshot, archive } = await joinedHistory(before, readers, genesis);
  const former = sortHead([...record.former, ...before.head]);
  if (!(await advanceHead(head, snapshot, [archive], true, [], { ...also, former }))) return false;
  await tell(head, before, 'local', []);
  return true;
}
