/**
 * Runs the last step of a compaction, which lists the new archives and removes the old ones in one
 * write.
 */
import { plainBytesOf } from '../../archive/block-index.ts';
import type { Cid } from '../../codec/cid.ts';
import type { ByteStore, Guard, StoreChange } from '../../ports/byte-store.ts';
import type { Archives } from '../../store/archives.ts';
import type { HeadRecord } from '../../store/head-record.ts';
import {
  archiveKey,
  blockIndexKey,
  commitKey,
  SENT,
  sentKey,
  UPLOADS,
  uploadKey,
} from '../../store/names.ts';
import type { Readers, Snapshot } from '../snapshot.ts';
import type { LiveBlocks } from './live-blocks.ts';
import type { RewriteGroup, Rewritten } from './rewrite-archives.ts';
import { isStillWhole } from './still-whole.ts';

const NOTHING = new Uint8Array();

export interface Plan {
  readonly epoch: number;
  readonly groups: readonly RewriteGroup[];
  readonly rewritten: Rewritten;
  /** Live blocks; undefined when the plan keeps every block. */
  readonly live: LiveBlocks | undefined;
  /** Unlisted archives that an interrupted compaction left behind. */
  readonly orphans: readonly Cid[];
  /**
   * Whether the step may use the reserve when the disk is full. False for merges that commits
   * trigger, because they free little.
   */
  readonly frees: boolean;
}

/** The stored state that a step reads and changes. */
export interface StepParts {
  readonly store: ByteStore;
  readonly archives: Archives;
  readonly readers: Readers;
  record(): HeadRecord;
  snapshot(): Snapshot;
  /** Snapshots that readers hold. */
  held(): readonly Snapshot[];
  /** Reads the stored state again. Only for callers that already run between two commits. */
  refreshNow(): Promise<unknown>;
  /**
   * Writes changes and a new head record in one durable step. Returns false when another writer
   * moved the head first.
   */
  step(changes: readonly StoreChange[], next: HeadRecord, frees: Guard['frees']): Promise<boolean>;
  /** Lets other work run if that is due. */
  pauseIfDue?(): Promise<void>;
}

/**
 * Returns the archives that a plan removes. Rewriting is deterministic, so a new archive can be
 * identical to a source, for example one that a remote sent back. Such a source isn't removed.
 */
function removedBy({ groups, rewritten: { made } }: Plan): ReadonlySet<Cid> {
  const isMade = new Set(made.map(({ cid }) => cid));
  return new Set(groups.flatMap(({ sources }) => sources).filter((cid) => !isMade.has(cid)));
}

function isPlanSafe(parts: StepParts, plan: Plan, seen: Set<Cid>): Promise<boolean> {
  const { archives, readers, pauseIfDue: pause } = parts;
  const snapshots = [parts.snapshot(), ...parts.held()];
  const [live, removed] = [plan.live?.cids ?? new Set<Cid>(), removedBy(plan)];
  return isStillWhole({ archives, readers, live, removed, snapshots, seen, pause });
}

/**
 * Maximum number of checks before the step. Each of them reads what was written during the one
 * before, which becomes less and less, unless writers write as fast as the checks read.
 */
const CHECKS_AHEAD_MAX = 8;
/** Number of new blocks that the step itself checks in a few milliseconds. */
const NEWS_OF_STEP = 500;

/**
 * Checks that a plan removes nothing that the head and readers need, while writers still write. The
 * step repeats this check, but only for the writes since then, because writers wait for it.
 * @returns the blocks that were checked; undefined if the plan is void
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function checkAhead(parts: StepParts, plan: Plan): Promise<Set<Cid> | undefined> {
  const seen = new Set<Cid>();
  if (plan.live === undefined) return seen;
  for (let check = 0; check < CHECKS_AHEAD_MAX; check++) {
    const before = seen.size;
    if (!(await isPlanSafe(parts, plan, seen))) return undefined;
    if (seen.size - before <= NEWS_OF_STEP) break;
  }
  return seen;
}

/**
 * Carries out a plan in one step. Returns false when the plan is void, because the database or its
 * readers changed.
 * @param seen the result of {@link checkAhead}
 */
export async function carryOut(parts: StepParts, plan: Plan, seen = new Set<Cid>()): Promise<boolean> {
  const { store, archives } = parts;
  const { epoch, rewritten, live, frees } = plan;
  const { made } = rewritten;
  const removed = removedBy(plan);
  if (live !== undefined && (await store.isAlone?.()) === false) return false;
  if (await store.refresh?.()) await parts.refreshNow();
  const record = parts.record();
  // Don't remove the new archives of a void plan, because another tab may use identical ones. A
  // later sweep removes unlisted archives.
  if (record.epoch !== epoch) return false;
  if (live !== undefined && !(await isPlanSafe(parts, plan, seen))) return false;
  const changes = await changesOf(parts, plan, removed);
  const next = { ...record, epoch: record.epoch + 1 };
  const stored = live === undefined ? next : afterSweep(archives, next, live, removed, made);
  const done = await parts.step(changes, stored, frees ? 'now' : undefined);
  if (!done) return false;
  // Learn the new archives first, so that each block is always found in one of the archives. A read
  // that still finds a block in a removed archive looks again. Even if the pause fails, the step is
  // done, and the rest of the lists must change.
  const pause = () => parts.pauseIfDue?.().catch(() => undefined);
  for (const { cid, index } of made) {
    archives.learn(cid, index);
    await pause();
  }
  for (const cid of removed) {
    archives.removed([cid]);
    await pause();
  }
  return true;
}

/** Returns the changes that list the new archives and remove the old ones. */
async function changesOf(
  { store, archives }: StepParts,
  { rewritten: { made, rest }, orphans }: Plan,
  removed: ReadonlySet<Cid>,
): Promise<StoreChange[]> {
  const orphansNow: Cid[] = [];
  for (const cid of orphans) if ((await store.read(blockIndexKey(cid))) === undefined) orphansNow.push(cid);
  const pending = await archives.pending();
  const isPending = (sources: readonly Cid[]) => sources.some((cid) => pending.has(cid));
  const gone = [...(await keysOf(store, archives, removed)), ...orphansNow.map(archiveKey)];
  return [
    ...rest,
    ...made.map(({ cid, index }) => ({ key: blockIndexKey(cid), bytes: index })),
    ...made
      .filter((one) => one.pending && isPending(one.sources))
      .map(({ cid }) => ({ key: uploadKey(cid), bytes: NOTHING })),
    ...gone.map((key) => ({ key, bytes: undefined })),
  ];
}

/** Returns the keys of all rows of removed archives, including their rows about uploads. */
async function keysOf(store: ByteStore, archives: Archives, removed: ReadonlySet<Cid>): Promise<string[]> {
  const noted = new Set([...(await store.keys(UPLOADS)), ...(await store.keys(SENT))]);
  return [...removed].flatMap((cid) => {
    const isCommit = archives.list.get(cid)?.isCommit === true;
    const stored = isCommit ? [commitKey(cid)] : [archiveKey(cid), blockIndexKey(cid)];
    const note = isCommit ? sentKey(cid) : uploadKey(cid);
    return noted.has(note) ? [...stored, note] : stored;
  });
}

function afterSweep(
  archives: Archives,
  record: HeadRecord,
  { horizon }: LiveBlocks,
  removed: ReadonlySet<Cid>,
  made: Rewritten['made'],
): HeadRecord {
  let bytes = 0;
  for (const [cid, info] of archives.list) if (!removed.has(cid)) bytes += info.bytes;
  for (const { cid, index } of made) if (!archives.has(cid)) bytes += plainBytesOf(index);
  return { ...record, bytes, horizon: horizon ?? record.horizon };
}
