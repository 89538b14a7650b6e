/** History of a database: the versions of a document, and the events as a graph. */
import { checkLimit } from '../../base/check-options.ts';
import { createPace } from '../../base/pace.ts';
import { Ancestry } from '../../clock/ancestry.ts';
import { descendsFrom } from '../../clock/changes-since.ts';
import type { ClockEvent, ReadEvent } from '../../clock/event.ts';
import { EventIndex } from '../../clock/event-index.ts';
import { GENESIS_EVENT } from '../../clock/genesis.ts';
import { parseEvent } from '../../clock/head.ts';
import { type Signature, signatureOf } from '../../clock/signature.ts';
import { decodeStamp, loggedIn } from '../../clock/stamp.ts';
import type { Cid } from '../../codec/cid.ts';
import { isGone, isUnreadable } from '../../commit/reads.ts';
import { type Arrival, Arrivals } from '../../commit/verify/arrivals.ts';
import { type AuthorOf, createLogAuthors, type EventAuthor } from '../../commit/verify/log-authors.ts';
import { isDeletion } from '../../documents/deletions.ts';
import { parseDocKey } from '../../documents/doc-key.ts';
import { type Doc, TOMBSTONE } from '../../documents/encode.ts';
import { GENESIS_KEY } from '../../documents/genesis.ts';
import type { Core } from '../core.ts';
import type { Stored } from '../database-results.ts';
import { readLive } from '../read.ts';

/** The time and device of an event. Events of existing clients contain neither. */
export interface EventStamp {
  /** Milliseconds since 1970, by the clock of the device that wrote the event. It may be wrong. */
  readonly time?: number;
  /** The device that wrote the event. `db.device()` returns the id of this one. */
  readonly device?: string;
  /** Absent if the event isn't signed. If it is `valid`, the time and device are proven. */
  readonly signature?: Signature;
  /** As whose event the ledger counts this one; absent without a membership log. */
  readonly author?: EventAuthor;
  /**
   * When a gateway received the event, and from which account, as the gateway claims. Absent for
   * events that no gateway reported, such as events that are only on this device. Only gateways of
   * Fixpoint report this.
   */
  readonly received?: Arrival;
}

const allAuthors = new WeakMap<Core, ReturnType<typeof createLogAuthors>>();

/** The last result of {@link readAuthors}, so that a page of events reads it once. */
const lastAuthors = new WeakMap<Core, AuthorOf | undefined>();

/** Finds out which membership log a database follows, for the authors of events. */
async function readAuthors(core: Core): Promise<void> {
  const { local, remembered, readers } = core.commits;
  const find = allAuthors.get(core) ?? createLogAuthors(local.read, remembered, readers.event);
  allAuthors.set(core, find);
  lastAuthors.set(core, await find());
}

async function stampOf(core: Core, cid: Cid, event: ClockEvent, arrivals: Arrivals): Promise<EventStamp> {
  const found = await lastAuthors.get(core)?.(cid, event, core.commits.snapshot().head);
  const isLogged = loggedIn(event.by) !== undefined;
  const signature = isLogged ? (found?.signature ?? 'unknown') : await signatureOf(cid, event);
  const received = arrivals.of(cid);
  return {
    ...decodeStamp(event.by),
    ...(signature && { signature }),
    ...(found && { author: found.author }),
    ...(received && { received }),
  };
}

/** One version of a document, which an event wrote. */
export interface DocumentVersion<T extends object = Doc> extends EventStamp {
  /** The event that wrote this version. */
  readonly event: string;
  /** The head that the write was based on. */
  readonly parents: readonly string[];
  /** Absent if the event deleted the document, or its content was dropped. */
  readonly value?: Stored<T>;
  /**
   * Compaction dropped the content that the event wrote. The option `history` sets how much is
   * kept.
   */
  readonly isDropped?: true;
  /**
   * The stored content is missing or damaged. Only versions in conflict are listed then; otherwise,
   * the call rejects.
   */
  readonly isUnreadable?: true;
  /**
   * Compaction dropped older events. This version is the document's state at this event, no
   * matter who wrote it.
   */
  readonly isHorizon?: true;
  /** Whether this write is concurrent with another write of the document, on any page. */
  readonly concurrent: boolean;
}

/** Selects a page of a list sorted newest first. */
export interface HistoryOptions {
  /** Maximum number of versions or events; default 50. */
  readonly limit?: number;
  /**
   * Returns the entries that are listed after this event: pass the last event of the previous page.
   * If the event is not in the list, the page is empty.
   */
  readonly after?: string | undefined;
  /** Cancels the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** One event of the clock. */
export interface CommitEvent extends EventStamp {
  readonly event: string;
  readonly parents: readonly string[];
  /** The first documents that this event wrote, at most 20. */
  readonly ids: readonly string[];
  /** Number of documents that this event wrote. */
  readonly documents: number;
  /** The subset of `ids` that this event deleted. */
  readonly deletedIds: readonly string[];
  /** Number of documents that this event deleted. */
  readonly deletions: number;
  /** `local`: the event is only on this device. `sent`: a remote has the event, or sent it. */
  readonly state: 'local' | 'sent';
  /** Compaction dropped all or part of the content that this event wrote. */
  readonly isDropped?: true;
  /**
   * Compaction dropped older events. This event represents all of them, as if it had written every
   * document at once.
   */
  readonly isHorizon?: true;
}

/** Reads the history of a database and its documents. */
export interface History {
  /**
   * Returns the versions of a document, newest first.
   * @throws FixpointError QUERY_INVALID, DOC_ID_REQUIRED, KEY_INVALID, MISSING_BLOCK, CORRUPT
   */
  history<T extends object = Doc>(
    id: string,
    options?: HistoryOptions,
  ): Promise<readonly DocumentVersion<T>[]>;
  /**
   * Returns events, newest first; an event precedes all of its ancestors.
   * @throws FixpointError QUERY_INVALID, MISSING_BLOCK, CORRUPT
   */
  events(options?: HistoryOptions): Promise<readonly CommitEvent[]>;
  /**
   * Returns the id of this device in this database: `device` of the events that this device writes.
   * Undefined with the option `stamps: false`. Each database on this device has a different id.
   * @throws FixpointError STORE_FULL, STORE_FAILED
   */
  device(): Promise<string | undefined>;
}

const LIMIT_DEFAULT = 50;
const IDS_MAX = 20;
/**
 * Longest line of events that is read without the index of events. Longer lists build the index,
 * which makes later calls fast.
 */
const LINE_MAX = 1000;
const SLICE_MS = 10;

export function createHistory(open: () => Promise<Core>): History {
  return {
    history: async <T extends object>(id: string, options: HistoryOptions = {}) =>
      (await versions(await open(), id, options)) as DocumentVersion<T>[],
    events: async (options = {}) => eventsOf(await open(), options),
    device: async () => (await open()).commits.device(),
  };
}

const indexes = new WeakMap<Core, EventIndex>();

/**
 * Returns the index of a database's events, by document. All handles of the database share this
 * index.
 */
export function eventsIndexOf(core: Core): EventIndex {
  const { readers, horizon } = core.commits;
  const index = indexes.get(core) ?? new EventIndex(readers.event, new Ancestry(), isUnreadable, horizon);
  indexes.set(core, index);
  return index;
}

/** Updates the index of events to the current snapshot. */
async function indexed(core: Core, signal?: AbortSignal): Promise<{ readonly arrivals: Arrivals }> {
  await core.commits.settle();
  const { head } = core.commits.snapshot();
  await eventsIndexOf(core).follow(head, createPace(core.platform.time, SLICE_MS), signal);
  return { arrivals: await arrivalsOf(core) };
}

const allArrivals = new WeakMap<Core, Arrivals>();

/**
 * Returns the arrivals of events, and reads how to find their authors.
 * @param listed the only events to consider; otherwise all events, and the result is kept
 */
export async function arrivalsOf(core: Core, listed?: ReadonlySet<Cid>): Promise<Arrivals> {
  await readAuthors(core);
  const { remembered, readers } = core.commits;
  const isOpen = listed && ((cid: Cid) => listed.has(cid));
  const pace = createPace(core.platform.time, SLICE_MS);
  const read: ReadEvent = async (cid) => {
    if (pace.isDue()) await pace.rest();
    return readers.event(cid);
  };
  const arrivals = (isOpen ? undefined : allArrivals.get(core)) ?? new Arrivals(remembered, read, isOpen);
  if (isOpen === undefined) allArrivals.set(core, arrivals);
  try {
    await arrivals.advance();
  } catch (cause) {
    // The history can be shown without the claims of gateways about it.
    if (!isUnreadable(cause)) throw cause;
    core.platform.report(cause);
  }
  return arrivals;
}

async function versions(core: Core, id: string, options: HistoryOptions): Promise<DocumentVersion[]> {
  checkLimit(options);
  const { limit = LIMIT_DEFAULT, after, signal } = options;
  const key = parseDocKey(id);
  const { arrivals } = await indexed(core, signal);
  const all = key === GENESIS_KEY ? [] : eventsIndexOf(core).writesOf(key);
  const start = after === undefined ? 0 : all.indexOf(parseEvent(after)) + 1 || all.length;
  const listed = all.slice(start, start + limit);
  const apart = await writtenApart(core, listed, all, signal);
  const found: DocumentVersion[] = [];
  for (const cid of listed) {
    signal?.throwIfAborted();
    found.push(await versionOf(core, cid, key, apart.has(cid), arrivals));
  }
  return found;
}

/**
 * Returns those of the listed events that are concurrent with another one.
 * @param all the events that wrote the document, newest first
 */
async function writtenApart(
  core: Core,
  listed: readonly Cid[],
  all: readonly Cid[],
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<Cid>> {
  const apart = new Set<Cid>();
  const index = eventsIndexOf(core);
  if (index.isLinear) return apart;
  const pace = createPace(core.platform.time, SLICE_MS);
  const isListed = new Set(listed);
  const { event: read } = core.commits.readers;
  // Ascending, `edge` has the events without a known child, and descending, those without a known
  // parent. An event that isn't concurrent with them isn't concurrent with those passed before.
  for (const [order, isUp] of [
    [all.toReversed(), true],
    [all, false],
  ] as const) {
    let edge: readonly Cid[] = [];
    for (const [at, cid] of order.entries()) {
      signal?.throwIfAborted();
      if (pace.isDue()) await pace.rest();
      const concurrent: Cid[] = [];
      for (const other of edge) {
        const [parent, child] = isUp ? [other, cid] : [cid, other];
        // If only a walk can tell, comparing with the neighbours must do.
        const walks = other === order[at - 1] && (isListed.has(cid) || isListed.has(other));
        const isAncestor =
          index.isAncestor(parent, child) ?? (walks ? await descendsFrom([child], parent, read) : true);
        if (!isAncestor) concurrent.push(other);
      }
      if (concurrent.length > 0) apart.add(cid);
      for (const other of concurrent) apart.add(other);
      edge = [...concurrent, cid];
    }
  }
  return apart;
}

/** @param marksUnreadable whether content that can't be read is marked; otherwise rejects */
export async function versionOf(
  core: Core,
  cid: Cid,
  key: string,
  concurrent: boolean,
  arrivals: Arrivals,
  marksUnreadable = false,
): Promise<DocumentVersion> {
  const { readers } = core.commits;
  const event = await readers.event(cid);
  const link = event.operations.findLast((operation) => operation.key === key)?.value;
  const isHorizon = cid === core.commits.horizon();
  const version = {
    event: cid,
    parents: event.parents,
    ...(await stampOf(core, cid, event, arrivals)),
    concurrent,
    ...(isHorizon && { isHorizon }),
  };
  try {
    const value = link && (await readLive(readers, link));
    return { ...version, ...(value && { value }) };
  } catch (cause) {
    if (isGone(cause) && core.commits.hasDropped()) return { ...version, isDropped: true };
    if (!marksUnreadable || !isUnreadable(cause)) throw cause;
    return { ...version, isUnreadable: true };
  }
}

/**
 * Returns the newest events, or the events listed after `behind`, if they form a single line.
 * `passed` contains these events and all newer ones; no other events are read. Returns undefined if
 * histories merge among the events, or if too many events would be read.
 */
async function newestInLine(
  { commits, platform }: Core,
  limit: number,
  behind: Cid | undefined,
  signal: AbortSignal | undefined,
): Promise<{ readonly listed: readonly Cid[]; readonly passed: ReadonlySet<Cid> } | undefined> {
  const pace = createPace(platform.time, SLICE_MS);
  const found: Cid[] = [];
  await commits.settle();
  let waiting: readonly Cid[] = commits.snapshot().head;
  let start = behind === undefined ? 0 : undefined;
  while (waiting.length > 0 && (start === undefined || found.length < start + limit)) {
    const [event, ...others] = waiting;
    if (event === undefined || others.length > 0 || found.length === LINE_MAX) return undefined;
    signal?.throwIfAborted();
    if (pace.isDue()) await pace.rest();
    found.push(event);
    if (event === behind) start = found.length;
    waiting = (await commits.readers.event(event)).parents;
  }
  return start === undefined ? undefined : { listed: found.slice(start), passed: new Set(found) };
}

async function eventsOf(core: Core, options: HistoryOptions): Promise<CommitEvent[]> {
  checkLimit(options);
  const { limit = LIMIT_DEFAULT, after, signal } = options;
  const behind = after === undefined ? undefined : parseEvent(after);
  const { commits } = core;
  const line = await newestInLine(core, limit, behind, signal);
  const { arrivals } = line ? { arrivals: await arrivalsOf(core, line.passed) } : await indexed(core, signal);
  const listed = line?.listed ?? eventsIndexOf(core).newest(limit, behind);
  const pending = new Set(await commits.pendingUploads());
  await commits.readIndexes();
  const found: CommitEvent[] = [];
  const isAbsent = (value: Cid | undefined) => value !== undefined && commits.archiveOf(value) === undefined;
  const hasDropped = commits.hasDropped();
  for (const cid of listed) {
    const event = await commits.readers.event(cid);
    const { parents, operations } = event;
    const written = new Map(operations.map(({ key, value }) => [key, value]));
    written.delete(GENESIS_KEY);
    const ids = [...written.keys()];
    const isDeleted = (id: string) => isDeletion(written.get(id) ?? TOMBSTONE.cid);
    const archive = commits.archiveOf(cid);
    const state = archive !== undefined && pending.has(archive) ? 'local' : 'sent';
    const isDropped = hasDropped && cid !== GENESIS_EVENT && operations.some(({ value }) => isAbsent(value));
    const isHorizon = cid === commits.horizon();
    found.push({
      event: cid,
      parents,
      ...(await stampOf(core, cid, event, arrivals)),
      ids: ids.slice(0, IDS_MAX),
      documents: ids.length,
      deletedIds: ids.slice(0, IDS_MAX).filter(isDeleted),
      deletions: ids.filter(isDeleted).length,
      state,
      ...(isDropped && { isDropped }),
      ...(isHorizon && { isHorizon }),
    });
  }
  return found;
}
