/**
 * The documents with a conflict: with several writes that no later write of the document replaced.
 * The list follows the head. After each change of the head, only written documents are checked.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { checkOptions } from '../../base/check-options.ts';
import { tellSafely } from '../../base/listeners.ts';
import { createPace } from '../../base/pace.ts';
import type { EventIndex } from '../../clock/event-index.ts';
import { historyOf } from '../../clock/history-order.ts';
import { collectSurvivingWrites } from '../../clock/surviving-writes.ts';
import { writtenSince } from '../../commit/news.ts';
import { isUnreadable } from '../../commit/reads.ts';
import type { Snapshot } from '../../commit/snapshot.ts';
import type { Arrivals } from '../../commit/verify/arrivals.ts';
import { parseDocKey } from '../../documents/doc-key.ts';
import { GENESIS_KEY } from '../../documents/genesis.ts';
import type { Core } from '../core.ts';
import type { Database } from '../database.ts';
import {
  conflictsAmong,
  followEvents,
  isOpen,
  SLICE_MS,
  type Writes,
  writesOf,
} from './concurrent-writes.ts';
import type {
  ConflictEvents,
  ConflictingDocument,
  ConflictList,
  Conflicts,
  ConflictsOptions,
  DocumentConflicts,
  PartialOptions,
} from './conflicts-interface.ts';
import { arrivalsOf, eventsIndexOf, versionOf } from './history.ts';

/** Maximum number of written documents that are checked one by one. */
const CHECKED_MAX = 1000;

export interface KnownConflicts {
  /** The snapshot whose conflicts are known; undefined before the first search. */
  at: Snapshot | undefined;
  readonly writes: Map<string, Writes>;
  /** Changes when a conflict begins, changes or ends. */
  version: number;
  /** See `EventIndex.restarts`. */
  restarts: number;
  /** The events that can't be read, and why. */
  unread: ReadonlyMap<string, { readonly cause: unknown }>;
  /** Searches run one after another. */
  last: Promise<unknown>;
}

const known = new WeakMap<Core, KnownConflicts>();

export function createConflicts(
  open: () => Promise<Core>,
  { subscribe }: Pick<Database, 'subscribe'>,
): Conflicts {
  const conflicts = async (
    asked?: string | readonly string[] | PartialOptions,
    options: ConflictsOptions = {},
  ) => {
    const core = await open();
    if (Array.isArray(asked)) {
      checkOptions(options);
      return eventsOfConflicts(core, asked, options.signal);
    }
    if (typeof asked !== 'object') return asked === undefined ? wholeList(core) : conflictsOf(core, asked);
    checkOptions(asked);
    // A list that is partial by mistake would hide conflicts.
    if ((asked as PartialOptions).partial !== true)
      throw new FixpointError('QUERY_INVALID', 'partial is not true');
    return partialList(core, (asked as PartialOptions).signal);
  };
  return {
    conflicts: conflicts as Conflicts['conflicts'],
    onConflicts: (listener) => follow(open, subscribe, listener),
  };
}

async function conflictsOf(core: Core, id: string): Promise<DocumentConflicts | undefined> {
  const key = parseDocKey(id);
  await core.commits.settle();
  const snapshot = core.commits.snapshot();
  const pace = createPace(core.platform.time, SLICE_MS);
  const index = await followEvents(core, snapshot, pace);
  const { restarts } = index;
  const search = writesOf(core, snapshot, key, pace);
  await search.catch(() => undefined);
  // While an index starts over, it lacks events.
  if (index.restarts !== restarts) return conflictsOf(core, id);
  const writes = await search;
  return isOpen(writes) ? versionsOf(core, key, writes, await arrivalsOf(core)) : undefined;
}

/** @throws FixpointError MISSING_BLOCK, CORRUPT if an event can't be read */
async function wholeList(core: Core): Promise<readonly ConflictingDocument[]> {
  await core.commits.settle();
  const known = await knownConflicts(core);
  requireAllRead(known);
  return listed(core, known);
}

/** Maximum number of searches while other writers keep dropping blocks that a search needs. */
const ATTEMPTS_MAX = 10;

async function partialList(
  core: Core,
  signal: AbortSignal | undefined,
  attemptsLeft = ATTEMPTS_MAX,
): Promise<ConflictList> {
  await core.commits.settle();
  const snapshot = core.commits.snapshot();
  const known = await knownConflicts(core, signal);
  const unread = [...known.unread.keys()];
  if (unread.length > 0 && attemptsLeft > 1 && (await isOvertaken(core, snapshot)))
    return partialList(core, signal, attemptsLeft - 1);
  return { conflicts: await listed(core, known, signal), unread };
}

/** @throws FixpointError MISSING_BLOCK, CORRUPT if an event can't be read */
export function requireAllRead({ unread }: KnownConflicts): void {
  for (const { cause } of unread.values()) throw cause;
}

/** See the signature of {@link Conflicts.conflicts} with ids. */
async function eventsOfConflicts(
  core: Core,
  ids: readonly string[],
  signal: AbortSignal | undefined,
  attemptsLeft = ATTEMPTS_MAX,
): Promise<readonly ConflictEvents[]> {
  const keys = new Set(ids.map(parseDocKey));
  await core.commits.settle();
  const { snapshot, release } = core.commits.hold();
  try {
    const found: ConflictEvents[] = [];
    for (const [id, writes] of await conflictsAmong(core, snapshot, keys, { ifUnreadable: true, signal }))
      found.push({ id, events: writes === undefined ? [] : [writes.winner, ...writes.losers] });
    const isUnknown = attemptsLeft > 1 && found.some(({ events }) => events.length === 0);
    if (!(isUnknown && (await isOvertaken(core, snapshot)))) return found;
  } finally {
    release();
  }
  return eventsOfConflicts(core, ids, signal, attemptsLeft - 1);
}

/** Returns whether another tab or process moved the head, and may have dropped old blocks. */
async function isOvertaken({ commits }: Core, snapshot: Snapshot): Promise<boolean> {
  if (commits.snapshot() === snapshot) await commits.refresh();
  return commits.snapshot() !== snapshot;
}

async function versionsOf(
  core: Core,
  key: string,
  { winner, losers, unread }: Writes,
  arrivals: Arrivals,
): Promise<DocumentConflicts> {
  return {
    winner: await versionOf(core, winner, key, true, arrivals, true),
    losers: await Promise.all(losers.map((cid) => versionOf(core, cid, key, true, arrivals, true))),
    ...(unread.length > 0 && { unread }),
  };
}

async function listed(
  core: Core,
  { writes }: KnownConflicts,
  signal?: AbortSignal,
): Promise<readonly ConflictingDocument[]> {
  const found: ConflictingDocument[] = [];
  const arrivals = await arrivalsOf(core);
  const pace = createPace(core.platform.time, SLICE_MS);
  for (const [id, one] of [...writes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    signal?.throwIfAborted();
    if (pace.isDue()) await pace.rest();
    if (isOpen(one)) found.push({ id, ...(await versionsOf(core, id, one, arrivals)) });
  }
  return found;
}

/** Returns the conflicts of the current snapshot, without those of pending writes. */
export function knownConflicts(core: Core, signal?: AbortSignal): Promise<KnownConflicts> {
  const state = known.get(core) ?? {
    ...{ at: undefined, writes: new Map(), version: 0, restarts: 0, unread: new Map() },
    last: Promise.resolve(),
  };
  known.set(core, state);
  const done = state.last.then(() => advance(core, state, signal));
  state.last = done.catch(() => undefined);
  return done;
}

async function advance(
  core: Core,
  state: KnownConflicts,
  signal: AbortSignal | undefined,
): Promise<KnownConflicts> {
  const { snapshot, release } = core.commits.hold();
  try {
    const isSameHead = state.at?.head.join() === snapshot.head.join();
    if (isSameHead && state.unread.size === 0) return state;
    const pace = createPace(core.platform.time, SLICE_MS);
    const index = await followEvents(core, snapshot, pace, signal);
    const { restarts } = index;
    const unread = new Map(index.unread);
    const isSameUnread = [...unread.keys()].sort().join() === [...state.unread.keys()].sort().join();
    // An event that can't be read may hide any conflict.
    if (restarts !== state.restarts || !isSameUnread) state.at = undefined;
    else if (isSameHead) return state;
    const updates: (readonly [string, Writes | undefined])[] = [];
    for (const id of index.isLinear ? state.writes.keys() : await idsToCheck(core, state, snapshot)) {
      signal?.throwIfAborted();
      if (pace.isDue()) await pace.rest();
      const writes = await writesIfKnown(index, () => writesOf(core, snapshot, id, pace));
      if (!isSame(writes, state.writes.get(id))) updates.push([id, writes]);
    }
    // While an index starts over, it lacks events.
    if (index.restarts !== restarts) return await advance(core, state, signal);
    // In one step, because callers read the state while a later search runs.
    for (const [id, writes] of updates)
      if (writes === undefined) state.writes.delete(id);
      else state.writes.set(id, writes);
    state.version += updates.length + Number(!isSameUnread);
    Object.assign(state, { restarts, unread });
    state.at = { ...snapshot, merged: [] };
    return state;
  } finally {
    release();
  }
}

/** Returns undefined if the conflict of a document depends on an event that can't be read. */
async function writesIfKnown(
  { unread }: EventIndex,
  search: () => Promise<Writes | undefined>,
): Promise<Writes | undefined> {
  try {
    return await search();
  } catch (cause) {
    if (!isUnreadable(cause) || unread.size === 0) throw cause;
    return undefined;
  }
}

/** Returns the documents whose conflicts may differ from the known ones. */
async function idsToCheck(
  core: Core,
  { at, writes }: KnownConflicts,
  snapshot: Snapshot,
): Promise<Iterable<string>> {
  const index = eventsIndexOf(core);
  const isWhole = index.unread.size === 0;
  const changed = at && isWhole && (await writtenSince(core.commits.readers, at, snapshot));
  // After a compaction, any document may have changed. A search of all events is then faster than
  // a check of each document.
  if (Array.isArray(changed) && changed.length <= CHECKED_MAX) return changed;
  const found = isWhole ? await candidates(core, snapshot) : index.keysWrittenTwice();
  return new Set([...found, ...writes.keys()]);
}

const isSame = (a: Writes | undefined, b: Writes | undefined): boolean =>
  a === b ||
  (a?.winner === b?.winner && a?.losers.join() === b?.losers.join() && a?.unread.join() === b?.unread.join());

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
  listener: Parameters<Conflicts['onConflicts']>[0],
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
      const unread = [...state.unread.keys()];
      if (version === told) return;
      const conflicts = await listed(core, state);
      if (isStopped) return;
      told = version;
      tellSafely(() => listener(conflicts, unread), core.platform.report);
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
