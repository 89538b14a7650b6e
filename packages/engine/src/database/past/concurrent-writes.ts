/**
 * Searches for the concurrent writes of documents. An old event that can't be read hides only the
 * conflicts of documents that no later event wrote.
 */
import { createPace, type Pace } from '../../base/pace.ts';
import type { EventIndex } from '../../clock/event-index.ts';
import { maximalWrites } from '../../clock/newest-first.ts';
import { isMergeStamp } from '../../clock/stamp.ts';
import { unmergedWrites } from '../../clock/unmerged-writes.ts';
import type { Cid } from '../../codec/cid.ts';
import { isGone, isUnreadable } from '../../commit/reads.ts';
import type { Snapshot } from '../../commit/snapshot.ts';
import { getLink } from '../../trie/get.ts';
import type { Core } from '../core.ts';
import { readLive } from '../read.ts';
import { eventsIndexOf } from './history.ts';

/** Work runs this long before it yields. */
export const SLICE_MS = 10;

/** The events that wrote the concurrent versions of a document. */
export interface Writes {
  readonly winner: Cid;
  readonly losers: readonly Cid[];
  /** The content of the versions. */
  readonly links: readonly Cid[];
  /** Events that can't be read, and may have written more versions, or replaced some of these. */
  readonly unread: readonly Cid[];
  /** Whether merges cover all versions by people, or one such version replaces the merges. */
  readonly isMerged: boolean;
  /** Whether all versions are equal. A merge rule may still sum them up, for example. */
  readonly areEqual: boolean;
}

/**
 * Returns whether users must decide. Devices that kept the same version at the same time would
 * otherwise never be done.
 */
export const isOpen = (writes: Writes | undefined): writes is Writes =>
  writes !== undefined && !writes.isMerged && !writes.areEqual;

const UNREAD = 'unread';

const unlessUnreadable = <T>(reading: Promise<T>): Promise<T | typeof UNREAD> =>
  reading.catch((cause: unknown) => {
    if (!isUnreadable(cause)) throw cause;
    return UNREAD;
  });

/**
 * Updates the index of events to a snapshot, as far as events can be read.
 * @throws FixpointError STORE_FULL, STORE_FAILED; the reason with which `signal` was aborted
 */
export async function followEvents(
  core: Core,
  { head }: Snapshot,
  pace: Pace,
  signal?: AbortSignal,
): Promise<EventIndex> {
  const index = eventsIndexOf(core);
  await unlessUnreadable(index.follow(core.commits.snapshot().head, pace, signal));
  await unlessUnreadable(index.advance(head, pace, signal));
  return index;
}

/** Maximum number of searches while those at other snapshots make the index start over. */
const SEARCHES_MAX = 10;

export interface AmongOptions {
  /** Whether documents count whose conflicts can't be read; they have no writes. */
  readonly ifUnreadable?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns those of the documents that have a conflict at the current snapshot, with their writes.
 * Reads all events, once for each database. Versions and old events that can't be read hide
 * conflicts: they must not prevent a write that doesn't need them.
 */
export async function conflictsAmong(
  core: Core,
  snapshot: Snapshot,
  keys: Iterable<string>,
  { ifUnreadable = false, signal }: AmongOptions = {},
): Promise<ReadonlyMap<string, Writes | undefined>> {
  const pace = createPace(core.platform.time, SLICE_MS);
  for (let searchesLeft = SEARCHES_MAX; ; searchesLeft--) {
    const index = await followEvents(core, snapshot, pace, signal);
    const { restarts } = index;
    const found = new Map<string, Writes | undefined>();
    for (const key of keys) {
      signal?.throwIfAborted();
      if (pace.isDue()) await pace.rest();
      const writes = await unlessUnreadable(readableWritesOf(core, snapshot, key, pace));
      if (writes !== UNREAD && isOpen(writes)) found.set(key, writes);
      else if (writes === UNREAD && ifUnreadable) found.set(key, undefined);
    }
    // While an index starts over, it lacks events.
    if (index.restarts === restarts) return found;
    if (ifUnreadable && searchesLeft === 1) return new Map([...keys].map((key) => [key, undefined]));
  }
}

/**
 * Returns concurrent writes of which users can compare at least two.
 * @throws FixpointError MISSING_BLOCK, CORRUPT, also if too few versions can be read
 */
async function readableWritesOf(
  core: Core,
  snapshot: Snapshot,
  key: string,
  pace: Pace,
): Promise<Writes | undefined> {
  const writes = await writesOf(core, snapshot, key, pace);
  if (!isOpen(writes)) return writes;
  let readable = 1 + writes.losers.length;
  for (const link of writes.links)
    await requireVersion(core, link).catch((cause: unknown) => {
      readable -= 1;
      if (!isUnreadable(cause) || readable < 2) throw cause;
    });
  return writes;
}

/**
 * Resolves if a version of a document can be read, or was dropped by compaction.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
async function requireVersion({ commits }: Core, link: Cid): Promise<void> {
  try {
    await readLive(commits.readers, link);
  } catch (cause) {
    if (!isGone(cause) || !commits.hasDropped()) throw cause;
  }
}

/**
 * Returns the concurrent writes of a document; undefined if there is at most one.
 * @throws FixpointError MISSING_BLOCK, CORRUPT if an event can't be read that may have written the
 * only other version, or the current one
 */
export async function writesOf(
  core: Core,
  { head, root }: Snapshot,
  key: string,
  pace: Pace,
): Promise<Writes | undefined> {
  const { readers } = core.commits;
  const index = eventsIndexOf(core);
  if (root === undefined || index.isLinear) return undefined;
  const isWhole = index.unread.size === 0;
  const [newest, ...earlier] = index.writesOf(key);
  if (isWhole && (newest === undefined || earlier.length === 0)) return undefined;
  // Usually, the newest write follows all others. Then no walk over the events is needed. The index
  // may have events that this head lacks.
  const isIn = head.some((event) => event === newest || isBefore(index, newest, event));
  const others = [...earlier, ...index.unread.keys()];
  if (isIn && others.every((cid) => isBefore(index, cid, newest))) return undefined;
  const writes = await maximalWrites(head, key, index, readers.event, pace);
  // Later writes replace what an event that can't be read, and its ancestors, may have written.
  const hidden = [...index.unread].filter(([cid]) => !writes.some((write) => isBefore(index, cid, write)));
  const [[, first] = []] = hidden;
  if (writes.length < 2 && first !== undefined) throw first.cause;
  if (writes.length < 2) return undefined;
  const shown = await getLink(readers.shard, root, key);
  let winner: Cid | undefined;
  let hasMerge = false;
  let areEqual = true;
  const links: Cid[] = [];
  for (const cid of writes) {
    const { operations, by } = await readers.event(cid);
    hasMerge ||= isMergeStamp(by);
    const link = operations.findLast((one) => one.key === key)?.value;
    if (link !== undefined) links.push(link);
    if (link === shown) winner ??= cid;
    else areEqual = false;
  }
  if (winner === undefined) return requireWhole(index);
  const losers = writes.filter((cid) => cid !== winner);
  const found = { winner, losers, links, areEqual: areEqual && hidden.length === 0 };
  // An event that can't be read may have replaced a version, unless all versions follow it.
  const unread = [...index.unread.keys()].filter(
    (cid) => !writes.every((write) => isBefore(index, cid, write)),
  );
  if (!hasMerge || unread.length > 0) return { ...found, unread, isMerged: false };
  const unmerged = await unmergedWrites(head, key, index, readers.event, pace);
  const isMerged = unmerged === undefined || unmerged.versions.join() === winner;
  return { ...found, unread, isMerged };
}

const isBefore = (index: EventIndex, cid: Cid | undefined, of: Cid | undefined): boolean =>
  cid !== undefined && of !== undefined && index.isAncestor(cid, of) === true;

/** Throws why an event can't be read, which may have written the current version of a document. */
function requireWhole({ unread }: EventIndex): undefined {
  for (const { cause } of unread.values()) throw cause;
}
