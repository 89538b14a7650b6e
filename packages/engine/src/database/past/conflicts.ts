/**
 * The documents with a conflict: with several writes that no later write of the document replaced.
 * The list follows the head. After each change of the head, only written documents are checked.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { tellSafely } from '../../base/listeners.ts';
import { createPace, type Pace } from '../../base/pace.ts';
import { maximalWrites } from '../../clock/event-index.ts';
import { historyOf } from '../../clock/history-order.ts';
import { isMergeStamp } from '../../clock/stamp.ts';
import { collectSurvivingWrites } from '../../clock/surviving-writes.ts';
import { unmergedWrites } from '../../clock/unmerged-writes.ts';
import type { Cid } from '../../codec/cid.ts';
import { writtenSince } from '../../commit/news.ts';
import { isGone, isUnreadable } from '../../commit/reads.ts';
import type { Snapshot } from '../../commit/snapshot.ts';
import type { Arrivals } from '../../commit/verify/arrivals.ts';
import { parseDocKey } from '../../documents/doc-key.ts';
import { GENESIS_KEY } from '../../documents/genesis.ts';
import { getLink } from '../../trie/get.ts';
import type { Core } from '../core.ts';
import type { Database } from '../database.ts';
import { readLive } from '../read.ts';
import {
  type ConflictEvents,
  type ConflictingDocument,
  type Conflicts,
  type DocumentConflicts,
  eventsIndexOf,
  indexed,
  versionOf,
} from './history.ts';

/** Work runs this long before it yields. */
const SLICE_MS = 10;

/** Maximum number of written documents that are checked one by one. */
const CHECKED_MAX = 1000;

/** The events that wrote the concurrent versions of a document. */
interface Writes {
  readonly winner: Cid;
  readonly losers: readonly Cid[];
  /** Whether merges cover all versions by people, or one such version replaces the merges. */
  readonly isMerged: boolean;
  /** Whether all versions are equal. A merge rule may still sum them up, for example. */
  readonly areEqual: boolean;
}

/**
 * Returns whether users must decide. Devices that kept the same version at the same time would
 * otherwise never be done.
 */
const isOpen = (writes: Writes | undefined): writes is Writes =>
  writes !== undefined && !writes.isMerged && !writes.areEqual;

export interface KnownConflicts {
  /** The snapshot whose conflicts are known; undefined before the first search. */
  at: Snapshot | undefined;
  readonly writes: Map<string, Writes>;
  /** Changes when a conflict begins, changes or ends. */
  version: number;
  /** See `EventIndex.restarts`. */
  restarts: number;
  /** Searches run one after another. */
  last: Promise<unknown>;
}

const known = new WeakMap<Core, KnownConflicts>();

export function createConflicts(
  open: () => Promise<Core>,
  { subscribe }: Pick<Database, 'subscribe'>,
): Conflicts {
  const conflicts = async (asked?: string | readonly string[]) => {
    const core = await open();
    if (Array.isArray(asked)) return eventsOfConflicts(core, asked);
    if (asked !== undefined) return conflictsOf(core, asked as string);
    await core.commits.settle();
    return listed(core, await knownConflicts(core));
  };
  return {
    conflicts: conflicts as Conflicts['conflicts'],
    onConflicts: (listener) => follow(open, subscribe, listener),
  };
}

async function conflictsOf(core: Core, id: string): Promise<DocumentConflicts | undefined> {
  const key = parseDocKey(id);
  const snapshot = await indexed(core);
  const pace = createPace(core.platform.time, SLICE_MS);
  const writes = await writesOf(core, snapshot, key, pace);
  return isOpen(writes) ? versionsOf(core, key, writes, snapshot.arrivals) : undefined;
}

/** Maximum number of searches while other writers keep dropping blocks that a search needs. */
const ATTEMPTS_MAX = 10;

/** See the signature of {@link Conflicts.conflicts} with ids. */
async function eventsOfConflicts(
  core: Core,
  ids: readonly string[],
  attemptsLeft = ATTEMPTS_MAX,
): Promise<readonly ConflictEvents[]> {
  const keys = new Set(ids.map(parseDocKey));
  await core.commits.settle();
  const index = eventsIndexOf(core);
  const { restarts } = index;
  const { snapshot, release } = core.commits.hold();
  try {
    const found: ConflictEvents[] = [];
    for (const [id, writes] of await conflictsAmong(core, snapshot, keys, true)) {
      const events = writes === undefined ? [] : [writes.winner, ...writes.losers];
      found.push({ id, events: (await areReadable(core, id, events)) ? events : [] });
    }
    // An index that started over may have lost a conflict during the search.
    const isLost = index.restarts !== restarts;
    const isUnknown = attemptsLeft > 1 && found.some(({ events }) => events.length === 0);
    if (!isLost && !(isUnknown && (await isOvertaken(core, snapshot)))) return found;
  } finally {
    release();
  }
  return eventsOfConflicts(core, ids, attemptsLeft - 1);
}

/** Returns whether another tab or process moved the head, and may have dropped old blocks. */
async function isOvertaken({ commits }: Core, snapshot: Snapshot): Promise<boolean> {
  if (commits.snapshot() === snapshot) await commits.refresh();
  return commits.snapshot() !== snapshot;
}

/** Returns whether the versions of a document can be read, or were dropped by compaction. */
async function areReadable({ commits }: Core, key: string, events: readonly Cid[]): Promise<boolean> {
  try {
    for (const cid of events) {
      const { operations } = await commits.readers.event(cid);
      const link = operations.findLast((one) => one.key === key)?.value;
      if (link !== undefined) await readLive(commits.readers, link);
    }
    return true;
  } catch (cause) {
    if (!isUnreadable(cause)) throw cause;
    return isGone(cause) && commits.hasDropped();
  }
}

/**
 * Returns those of the documents that have a conflict at the current snapshot, with their writes.
 * Reads all events, once for each database. An old event that can't be read hides conflicts: it
 * must not prevent a write that doesn't need it.
 * @param ifUnreadable whether documents count whose conflicts can't be read; they have no writes
 */
export async function conflictsAmong(
  core: Core,
  snapshot: Snapshot,
  keys: Iterable<string>,
  ifUnreadable = false,
): Promise<ReadonlyMap<string, Writes | undefined>> {
  const pace = createPace(core.platform.time, SLICE_MS);
  const found = new Map<string, Writes | undefined>();
  const isHidden = (await unlessUnreadable(eventsIndexOf(core).follow(snapshot.head, pace))) === UNREAD;
  for (const key of keys) {
    if (pace.isDue()) await pace.rest();
    const writes = isHidden ? UNREAD : await unlessUnreadable(writesOf(core, snapshot, key, pace));
    if (writes !== UNREAD && isOpen(writes)) found.set(key, writes);
    else if (writes === UNREAD && ifUnreadable) found.set(key, undefined);
  }
  return found;
}

const UNREAD = 'unread';

const unlessUnreadable = <T>(reading: Promise<T>): Promise<T | typeof UNREAD> =>
  reading.catch((cause: unknown) => {
    if (!isUnreadable(cause)) throw cause;
    return UNREAD;
  });

/** Returns the concurrent writes of a document; undefined if there is at most one. */
async function writesOf(
  core: Core,
  { head, root }: Snapshot,
  key: string,
  pace: Pace,
): Promise<Writes | undefined> {
  const { readers } = core.commits;
  const index = eventsIndexOf(core);
  if (root === undefined || index.isLinear) return undefined;
  const [newest, ...earlier] = index.writesOf(key);
  if (newest === undefined || earlier.length === 0) return undefined;
  // Usually, the newest write follows all others. Then no walk over the events is needed. The index
  // may have events that this head lacks.
  const isIn = head.some((event) => event === newest || index.isAncestor(newest, event) === true);
  if (isIn && earlier.every((cid) => index.isAncestor(cid, newest) === true)) return undefined;
  const writes = await maximalWrites(head, key, index, readers.event, pace);
  if (writes.length < 2) return undefined;
  const shown = await getLink(readers.shard, root, key);
  let winner: Cid | undefined;
  let hasMerge = false;
  let areEqual = true;
  for (const cid of writes) {
    const { operations, by } = await readers.event(cid);
    hasMerge ||= isMergeStamp(by);
    if (operations.findLast((one) => one.key === key)?.value === shown) winner ??= cid;
    else areEqual = false;
  }
  if (winner === undefined) return undefined;
  const unmerged = hasMerge ? await unmergedWrites(head, key, index, readers.event, pace) : undefined;
  const isMerged = hasMerge && (unmerged === undefined || unmerged.versions.join() === winner);
  return { winner, losers: writes.filter((cid) => cid !== winner), isMerged, areEqual };
}

async function versionsOf(
  core: Core,
  key: string,
  { winner, losers }: Writes,
  arrivals: Arrivals,
): Promise<DocumentConflicts> {
  return {
    winner: await versionOf(core, winner, key, true, arrivals),
    losers: await Promise.all(losers.map((cid) => versionOf(core, cid, key, true, arrivals))),
  };
}

async function listed(core: Core, { writes }: KnownConflicts): Promise<readonly ConflictingDocument[]> {
  const found: ConflictingDocument[] = [];
  const { arrivals } = await indexed(core);
  for (const [id, one] of [...writes].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (isOpen(one)) found.push({ id, ...(await versionsOf(core, id, one, arrivals)) });
  return found;
}

/** Returns the conflicts of the current snapshot, without those of pending writes. */
export function knownConflicts(core: Core): Promise<KnownConflicts> {
  const state = known.get(core) ?? {
    ...{ at: undefined, writes: new Map(), version: 0, restarts: 0 },
    last: Promise.resolve(),
  };
  known.set(core, state);
  const done = state.last.then(() => advance(core, state));
  state.last = done.catch(() => undefined);
  return done;
}

async function advance(core: Core, state: KnownConflicts): Promise<KnownConflicts> {
  const { snapshot, release } = core.commits.hold();
  try {
    if (state.at?.head.join() === snapshot.head.join()) return state;
    const pace = createPace(core.platform.time, SLICE_MS);
    const index = eventsIndexOf(core);
    await index.follow(core.commits.snapshot().head, pace);
    if (index.restarts !== state.restarts) state.at = undefined;
    state.restarts = index.restarts;
    await index.advance(snapshot.head, pace);
    const updates: (readonly [string, Writes | undefined])[] = [];
    for (const id of index.isLinear ? state.writes.keys() : await idsToCheck(core, state, snapshot)) {
      if (pace.isDue()) await pace.rest();
      const writes = await writesOf(core, snapshot, id, pace);
      if (!isSame(writes, state.writes.get(id))) updates.push([id, writes]);
    }
    // In one step, because callers read the state while a later search runs.
    for (const [id, writes] of updates)
      if (writes === undefined) state.writes.delete(id);
      else state.writes.set(id, writes);
    state.version += updates.length;
    state.at = { ...snapshot, merged: [] };
    return state;
  } finally {
    release();
  }
}

/** Returns the documents whose conflicts may differ from the known ones. */
async function idsToCheck(
  core: Core,
  { at, writes }: KnownConflicts,
  snapshot: Snapshot,
): Promise<Iterable<string>> {
  const changed = at && (await writtenSince(core.commits.readers, at, snapshot));
  // After a compaction, any document may have changed. A search of all events is then faster than
  // a check of each document.
  if (changed !== undefined && changed.length <= CHECKED_MAX) return changed;
  return new Set([...(await candidates(core, snapshot)), ...writes.keys()]);
}

const isSame = (a: Writes | undefined, b: Writes | undefined): boolean =>
  a === b || (a?.winner === b?.winner && a?.losers.join() === b?.losers.join());

/** Returns documents that may have a conflict, among them all that have one. */
async function candidates({ commits, platform }: Core, { head }: Snapshot): Promise<readonly string[]> {
  const pace = createPace(platform.time, SLICE_MS);
  const once = new Set<string>();
  const twice = new Set<string>();
  const surviving = collectSurvivingWrites(undefined, (key) => (once.has(key) ? twice : once).add(key));
  for await (const event of historyOf(head, commits.readers.event, pace.rest)) {
    if (pace.isDue()) await pace.rest();
    surviving.add(event);
  }
  twice.delete(GENESIS_KEY);
  return [...twice];
}

/** Calls the listener with all conflicts now, and again after each change of them. */
function follow(
  open: () => Promise<Core>,
  subscribe: Database['subscribe'],
  listener: (conflicts: readonly ConflictingDocument[]) => void,
): () => void {
  let isStopped = false;
  let told: number | undefined;
  let last: Promise<void> = Promise.resolve();
  const refresh = async () => {
    if (isStopped) return;
    const core = await open();
    try {
      const state = await knownConflicts(core);
      const { version } = state;
      if (version === told) return;
      const conflicts = await listed(core, state);
      if (isStopped) return;
      told = version;
      tellSafely(() => listener(conflicts), core.platform.report);
    } catch (cause) {
      if (!isFixpointError(cause, 'DATABASE_CLOSED'))
        core.platform.report(new FixpointError('SUBSCRIBER', undefined, { cause }));
    }
  };
  const next = () => {
    // A database that can't be opened, or is closed, has no conflicts to announce.
    last = last.then(refresh).catch(() => undefined);
  };
  const stop = subscribe(next);
  next();
  return () => {
    isStopped = true;
    stop();
  };
}
