/**
 * Opens the commit layer. Every change of the head starts here. Each change is one durable step,
 * and one feed announces it. A write takes this path: write-queue.ts -> attempts.ts -> commit.ts ->
 * current-head.ts -> news.ts (docs/internals/write-path.md).
 */
import { FixpointError } from '@fixpoint/protocol';
import { createPace } from '../base/pace.ts';
import { createTurns } from '../base/turns.ts';
import { sortHead } from '../clock/event.ts';
import { Archives } from '../store/archives.ts';
import { FileArchives } from '../store/file-archives.ts';
import { createFiles } from './attached-files.ts';
import { createAttempts } from './attempts.ts';
import { commit } from './commit.ts';
import type { CommitParts, Commits } from './commits-interface.ts';
import { liveFileArchives } from './compaction/live-files.ts';
import { createMaintenance } from './compaction/maintenance.ts';
import { advanceHead, type CurrentHead, createHead, openHead, reloadHead, tell } from './current-head.ts';
import { followHints } from './hints.ts';
import { createLocalRows } from './local-rows.ts';
import { mergeRemote } from './merge-remote.ts';
import { createFeed } from './news.ts';
import { createHolds, createSteadyReads } from './reads.ts';
import { createWriteQueue } from './write-queue.ts';

const VERIFY_SLICE_MS = 10;
const COMMIT_SLICE_MS = 4;
const OPERATIONS_PER_COMMIT_MAX = 5000;

/** Opens the commit layer. @throws FixpointError CORRUPT, MISSING_BLOCK, KEY_UNKNOWN */
export async function openCommits(parts: CommitParts): Promise<Commits> {
  const { store, channel, time, report, load } = parts;
  const fileArchives = new FileArchives(store, parts.keys);
  const head = createHeadOver(parts, fileArchives);
  const { archives, feed } = head;
  const holds = createHolds();
  const exclusive = createTurns();
  let closed = false;
  const requireOpen = () => {
    if (closed) throw new FixpointError('DATABASE_CLOSED');
  };
  const reload = () => reloadHead(head);
  const { attempts, crowded } = createAttempts({ store, channel, time, reload, requireOpen });
  const maintenance = createMaintenance({
    ...parts,
    head,
    fileArchives,
    held: holds.list,
    exclusive,
    requireOpen,
    report: (cause) => {
      if (!closed) report(cause);
    },
  });
  const pace = createPace(time, COMMIT_SLICE_MS);
  const write = createWriteQueue({
    exclusive,
    commit: async (operations) => {
      await attempts(() => commit(head, operations));
      maintenance.committed();
    },
    operationsMax: OPERATIONS_PER_COMMIT_MAX,
    pace: {
      // The reads of a sweep wait in a queue. Commits yield to them; otherwise the sweep starves
      // and blocks merges.
      isDue: () => maintenance.isSweeping() || pace.isDue(),
      rest: pace.rest,
    },
    free: maintenance.compact,
  });
  const isClosed = () => closed;
  const stopHints = followHints({ head, channel, exclusive, isClosed, crowded, report });
  const hold = () => holds.take(head.snapshot);

  await openHead(head);
  return {
    ...storedIn(head),
    ...createSteadyReads({ hold, snapshot: () => head.snapshot, refresh: () => exclusive(reload) }),
    keys: parts.ledgerKeys,
    local: createLocalRows(store),
    fileArchivesNamed: (ids) => liveFileArchives(head.snapshot, head.readers, ids),
    hold,
    prepareForSync: () => exclusive(() => attempts(() => prepareForSync(head, load))),
    write,
    mergeRemote: (merge) =>
      exclusive(async () => {
        await attempts(() => mergeRemote(head, merge, pace));
        maintenance.merged();
      }),
    subscribe: feed.subscribe,
    markUploaded: (uploaded, remember) =>
      exclusive(async () => {
        await store.write([...archives.sent(uploaded), ...remember]);
      }),
    verify: async (options) => {
      const { verifyStored } = await load();
      return verifyStored({ ...head, pace: createPace(time, VERIFY_SLICE_MS) }, options);
    },
    compact: maintenance.compact,
    close: () =>
      exclusive(async () => {
        closed = true;
        stopHints();
        maintenance.stop();
        channel.close();
        await store.close();
      }),
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
