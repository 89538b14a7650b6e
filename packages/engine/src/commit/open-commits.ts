/**
 * Opens the commit layer. Every change of the head starts here. Each change is one durable step,
 * and one feed announces it. A write takes this path: write-queue.ts -> attempts.ts -> commit.ts ->
 * current-head.ts -> news.ts (docs/internals/write-path.md).
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { createPace, type Pace } from '../base/pace.ts';
import { createTurns, type Turns } from '../base/turns.ts';
import type { Archives } from '../store/archives.ts';
import { FileArchives } from '../store/file-archives.ts';
import { createFiles } from './attached-files.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import type { CommitParts, Commits } from './commits-interface.ts';
import { createMaintenance, type Maintenance } from './compaction/maintenance.ts';
import { type CurrentHead, createHead, openHead, reloadHead } from './current-head.ts';
import { followHints } from './hints.ts';
import { createLocalRows } from './local-rows.ts';
import { createFeed } from './news.ts';
import type { OpenLog } from './pending/write-log-interface.ts';
import { createHolds, createSteadyReads } from './reads.ts';

const VERIFY_SLICE_MS = 10;
const COMMIT_SLICE_MS = 4;

/** Opens the commit layer. @throws FixpointError CORRUPT, MISSING_BLOCK, KEY_UNKNOWN */
export async function openCommits(parts: CommitParts): Promise<Commits> {
  const { store, channel, time, report, load } = parts;
  const { openWriteLog, createStamps, createWrites, Archives } = await load();
  const fileArchives = new FileArchives(store, parts.keys);
  const rows = createLocalRows(store);
  const { stamp, device } = createStamps({ ...parts, rows, random: parts.newDevice });
  const head = createHeadOver(parts, Archives, fileArchives, stamp);
  const holds = createHolds();
  const exclusive = createTurns();
  let closed = false;
  const requireOpen = () => {
    if (closed) throw new FixpointError('DATABASE_CLOSED');
  };
  // Handles are notified separately when their store was removed.
  const reportUnlessClosed = (cause: unknown) => {
    if (!closed && !isFixpointError(cause, 'STORE_LOST')) report(cause);
  };
  const reload = () => reloadHead(head);
  const { attempts, crowded } = createAttempts({ store, channel, time, reload, requireOpen });
  const maintenance = createMaintenance({
    ...{ ...parts, head, fileArchives, exclusive, requireOpen },
    held: holds.list,
    report: reportUnlessClosed,
  });
  const pace = createPace(time, COMMIT_SLICE_MS);
  const { committed, isSweeping, compact: free } = maintenance;
  // The reads of a sweep wait for writes to yield. Without this, the sweep would starve and block
  // merges.
  const writing: Pace = { isDue: () => isSweeping() || pace.isDue(), rest: pace.rest };
  const steps = { head, pace: writing, exclusive, attempts, committed };
  const log = openWriteLog({ ...parts, ...steps, report: reportUnlessClosed });
  const { settleInTurn, noticed } = log;
  /** Runs work that moves the head without a local write. First commits the acknowledged writes. */
  const turn: Turns = (work) => exclusive(() => settleInTurn().then(work));
  const refresh = () => turn(reload);
  const following = { channel, isClosed: () => closed, noticed, crowded, report };
  const stopHints = followHints({ ...steps, ...following, settle: settleInTurn });
  const hold = () => holds.take(head.snapshot);
  const stop = () => {
    closed = true;
    stopHints();
    maintenance.stop();
    channel.close();
  };

  try {
    // Work that a hint started would commit on top of an empty head.
    await log.recover(exclusive(() => openHead(head)));
  } catch (cause) {
    stop();
    await log.stop();
    throw cause;
  }
  return {
    ...storedIn(head),
    ...createSteadyReads({
      ...{ hold, settle: log.settle, preview: log.preview },
      snapshot: () => head.snapshot,
      refresh,
    }),
    ...{ refresh, keys: parts.ledgerKeys, local: rows, device },
    fileArchivesNamed: async (ids) => (await load()).liveFileArchives(head.snapshot, head.readers, ids),
    hold,
    ...createWrites({ ...steps, free, log }),
    ...{ pending: log.get, isSettled: log.isEmpty, settle: log.settle },
    subscribe: head.feed.subscribe,
    ...stepsOn({ ...steps, parts, log, maintenance, pace, turn, report: reportUnlessClosed }),
    close: (options) =>
      closeCommits({ store, log, exclusive, maintenance, stop, report: reportUnlessClosed }, options),
  };
}

interface ClosingParts {
  readonly store: CommitParts['store'];
  readonly log: OpenLog;
  readonly exclusive: Turns;
  readonly maintenance: Maintenance;
  readonly stop: () => void;
  readonly report: (error: unknown) => void;
}

/** Commits the pending writes, then stops all work and closes the store. */
function closeCommits(
  { store, log, exclusive, maintenance, stop, report }: ClosingParts,
  { save }: { readonly save: boolean } = { save: true },
): Promise<void> {
  const stopped = log.stop();
  return exclusive(async () => {
    await stopped;
    // If this commit fails, the next open commits the writes. Without own writes, doesn't look for
    // those of other tabs: the store may not answer.
    if (!log.isEmpty()) await log.settleInTurn().catch(report);
    // A sweep that begins now would meet a closed store.
    maintenance.stop();
    if (save) await maintenance.saveAtClose();
    stop();
    await store.close();
  });
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
    prepareForSync: async () => {
      // Do this before the replacement of the history: these rows follow events that a single event
      // may replace.
      await log.adoptAbandoned();
      await turn(async () => {
        const { prepareForSync } = await load();
        await attempts(() => prepareForSync(head));
      });
    },
    mergeRemote: (merge) =>
      turn(async () => {
        const { mergeRemote } = await load();
        await attempts(() => mergeRemote(head, merge, pace));
        maintenance.synced();
      }),
    markUploaded: (uploaded, remember) =>
      exclusive(async () => {
        await store.write([...head.archives.sent(uploaded), ...remember]);
        maintenance.synced();
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
  { store, keys, channel, time, report, load, archivesKept, openingLimits }: CommitParts,
  Loaded: typeof Archives,
  fileArchives: FileArchives,
  stamp: CurrentHead['stamp'],
): CurrentHead {
  return createHead({
    store,
    channel,
    archives: new Loaded(store, keys, archivesKept, openingLimits),
    files: createFiles(store, fileArchives, time),
    feed: createFeed(report),
    stamp,
    rebuild: async (...given) => (await load()).rebuiltSnapshot(...given),
    isWhole: async (...given) => (await load()).isWholeWith(...given),
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
  | 'readIndexes'
  | 'archiveOf'
  | 'archiveIds'
  | 'blocksOf'
  | 'firstBlockOf'
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
    readIndexes: () => archives.readIndexes(),
    archiveOf: (block) => archives.placeOf(block)?.archive,
    archiveIds: () => [...archives.list.keys()],
    blocksOf: (cid) => archives.blocksOf(cid),
    firstBlockOf: (cid) => archives.firstBlockOf(cid),
    pendingUploads: async () => [...(await archives.pending())],
    plainArchive: (cid) => archives.readArchive(cid),
    remembered: (prefix) => store.readPrefix(prefix),
  };
}
