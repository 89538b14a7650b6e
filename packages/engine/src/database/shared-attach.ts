/**
 * Attaches a handle of a database to a remote.
 *
 * Shares one connection between all tabs or processes that attach a database to the same ledger:
 * the tab that holds a lease syncs, and the other tabs mirror its status. If another tab needs more
 * than the status, that tab opens its own connection for the call.
 */
import { type ErrorCode, FixpointError } from '@fixpoint/protocol';
import type { MovedTo } from '@fixpoint/protocol/storage';
import type { Lease, LeaseEvents, Leases } from '../ports/lease.ts';
import { passedOn } from '../sync/device-calls.ts';
import { watchReceived } from '../sync/down/watch-received.ts';
import type { Attached, Presence, Remote, SyncStatus, WatchListed } from '../sync/remote.ts';
import { createStatus } from '../sync/sync-status.ts';
import type { Core } from './core.ts';
import { followRights, forgetRights, watchRight } from './merge-rights.ts';

const watchOf =
  (remoteId: string): WatchListed =>
  (listed, session) =>
    watchRight(remoteId, watchReceived(listed, session), session);

const idOf = (remote: Remote, { platform }: Core): string => remote.idOn?.(platform) ?? '';

/** The attachments of one handle of a database. */
export interface AttachmentState {
  readonly all: Set<Attached>;
  /** Called when the database is lost. */
  readonly onLost: Set<() => void>;
  isClosed: boolean;
  /** Why the database is lost. */
  lost: FixpointError | undefined;
}

/** @throws FixpointError DATABASE_CLOSED when the handle was closed in the meantime */
export async function attachRemote(state: AttachmentState, core: Core, remote: Remote): Promise<Attached> {
  await core.commits.readIndexes();
  const attached = await attachTo(core, remote);
  if (state.isClosed) {
    await attached.detach();
    throw state.lost ?? new FixpointError('DATABASE_CLOSED');
  }
  const stopRights = followRights(core, attached, idOf(remote, core));
  const own: Attached = {
    ...attached,
    status: () => (state.lost === undefined ? attached.status() : lostStatus(state.lost)),
    onStatus: (fn) => followStatus(state, attached, fn, core.platform.report),
    synced: () => attached.synced().catch((cause) => Promise.reject(state.lost ?? cause)),
    held: () => attached.held().catch((cause) => Promise.reject(state.lost ?? cause)),
    detach: () => {
      state.all.delete(own);
      stopRights();
      // A database that closes keeps the attachment for the next time.
      if (!state.isClosed) forgetRights(core, idOf(remote, core));
      return attached.detach();
    },
  };
  state.all.add(own);
  return own;
}

/** Shares one connection between tabs or processes that may be attached to the same ledger. */
async function attachTo(core: Core, remote: Remote): Promise<Attached> {
  const { commits, platform } = core;
  const remoteId = remote.idOn?.(platform);
  if (platform.leases === undefined || remoteId === undefined)
    return remote.attach(commits, platform, watchOf(remoteId ?? ''));
  return attachShared(core, remote, platform.leases, remoteId);
}

function followStatus(
  state: AttachmentState,
  attached: Attached,
  fn: (status: SyncStatus) => void,
  report: (error: unknown) => void,
): () => void {
  const stop = attached.onStatus((status) => {
    if (state.lost === undefined) fn(status);
  });
  const tellLost = () => {
    try {
      if (state.lost !== undefined) fn(lostStatus(state.lost));
    } catch (cause) {
      report(cause);
    }
  };
  state.onLost.add(tellLost);
  return () => {
    stop();
    state.onLost.delete(tellLost);
  };
}

const lostStatus = (error: FixpointError): SyncStatus => ({
  state: 'store-lost',
  toSend: 0,
  toFetch: 0,
  error,
});

/** A connection opened for one call stays open this long, so that a next call can use it. */
const LINGER_MS = 2000;
const TELL_MS = 50;

interface Words {
  readonly state: SyncStatus['state'];
  readonly toSend: number;
  readonly toFetch: number;
  readonly rejected?: number;
  readonly movedTo?: MovedTo;
  readonly error?: ErrorCode;
  readonly kind?: ReturnType<Attached['kind']>;
  readonly isApproved: boolean;
  /** The holder's head. The holder's status doesn't cover events that the holder hasn't seen. */
  readonly head: string;
}

interface SharedState {
  readonly core: Core;
  readonly remote: Remote;
  readonly status: ReturnType<typeof createStatus>;
  readonly seek: () => Lease;
  readonly timers: Set<() => void>;
  /** The holder's latest status. */
  heard: Words | undefined;
  own: Attached | undefined;
  ownFailed: unknown;
  isHolder: boolean;
  /**
   * Set when the remote rejected this tab, but may accept another tab. This tab then retries
   * without the lease.
   */
  isAlone: boolean;
  /**
   * Number of calls that need a connection of this tab, including calls that ended a moment ago.
   */
  visits: number;
  isDetached: boolean;
  lease: Lease | undefined;
  isTelling: boolean;
  last: Promise<void>;
}

async function attachShared(core: Core, remote: Remote, leases: Leases, remoteId: string): Promise<Attached> {
  const { name, commits, platform } = core;
  const state: SharedState = {
    core,
    remote,
    status: createStatus(platform.report),
    seek: () => leases.seek(name, `sync-${remoteId}`, eventsOf(state)),
    timers: new Set(),
    heard: undefined,
    own: undefined,
    ownFailed: undefined,
    isHolder: false,
    isAlone: false,
    visits: 0,
    isDetached: false,
    lease: undefined,
    isTelling: false,
    last: Promise.resolve(),
  };
  // Reading a file without a connection opens one, which fetches the file.
  const stopMissing = commits.files.onMissing(async (car) => {
    if (state.own !== undefined) throw new FixpointError('CONNECTION_NOT_OPEN');
    await visit(state, () => commits.files.read(car));
  });
  const stopFeed = commits.subscribe(() => show(state));
  const stop = () => {
    state.isDetached = true;
    stopMissing();
    stopFeed();
  };
  state.lease = state.seek();
  await state.lease.settled;
  await state.last;
  if (state.ownFailed !== undefined) {
    stop();
    await state.lease.release();
    throw state.ownFailed;
  }
  return handleOf(state, stop);
}

function handleOf(state: SharedState, stop: () => void): Attached {
  const { status } = state;
  return {
    status: status.get,
    onStatus: status.onChange,
    synced: () =>
      visit(state, async (attached) => {
        await attached.synced();
        const { state: shown, error, ...counts } = attached.status();
        if (!state.isHolder) status.show(shown, counts, error);
      }),
    held: () => visit(state, (attached) => attached.held()),
    withheld: () => visit(state, (attached) => attached.withheld()),
    removeEntries: (cids) => visit(state, (attached) => attached.removeEntries(cids)),
    kind: () => state.own?.kind() ?? state.heard?.kind,
    devices: {
      ...passedOn((work) => visit(state, ({ devices }) => work(devices))),
      isApproved: () => state.own?.devices.isApproved() ?? state.heard?.isApproved ?? false,
      keyring: async () => state.own?.devices.keyring(),
    },
    presence: { enter: (me) => enterHere(state, me) },
    detach: async () => {
      for (const stopTimer of state.timers) stopTimer();
      stop();
      await settle(state);
      await state.lease?.release();
    },
  };
}

const eventsOf = (state: SharedState): LeaseEvents => ({
  taken: () => {
    state.isHolder = true;
    void settle(state);
  },
  lost: () => {
    state.isHolder = false;
    void settle(state);
  },
  words: () => wordsFor(state),
  heard: (text) => {
    state.heard = wordsOf(text) ?? state.heard;
    show(state);
  },
});

const headOf = ({ core }: SharedState): string => core.commits.snapshot().head.join();

const mustConnect = ({ isDetached, isHolder, isAlone, visits }: SharedState): boolean =>
  !isDetached && (isHolder || isAlone || visits > 0);

/** Connects or disconnects as needed, after an earlier call has finished. */
function settle(state: SharedState): Promise<void> {
  const { commits, platform } = state.core;
  state.last = state.last
    .then(async () => {
      if (mustConnect(state) && state.own === undefined) {
        state.own = await state.remote.attach(commits, platform, watchOf(idOf(state.remote, state.core)));
        state.own.onStatus(() => ownChanged(state));
      } else if (!mustConnect(state) && state.own !== undefined) {
        const former = state.own;
        state.own = undefined;
        await former.detach();
      }
      show(state);
    })
    .catch((cause) => {
      state.ownFailed = cause;
      platform.report(cause);
    });
  return state.last;
}

/** Shows the status of this tab's connection, or else the status that the holder reports. */
function show(state: SharedState): void {
  const { status, own, heard } = state;
  if (own !== undefined && (state.isHolder || state.isAlone)) {
    const { state: shown, error, ...counts } = own.status();
    status.show(shown, counts, error);
    tellSoon(state);
  } else if (heard !== undefined) {
    const { toSend, toFetch, rejected, movedTo, error, head } = heard;
    const isBehind = head !== headOf(state) || !state.core.commits.isSettled();
    const shown = heard.state === 'in-sync' && isBehind ? 'catching-up' : heard.state;
    const failure = error === undefined ? undefined : sameFailure(status.get().error, error);
    const left = isBehind ? Math.max(toSend, 1) : toSend;
    status.show(shown, { toSend: left, toFetch, rejected, movedTo }, failure);
  }
}

function ownChanged(state: SharedState): void {
  show(state);
  const { state: shown } = state.own?.status() ?? {};
  if (state.isHolder && shown === 'refused') {
    state.isHolder = false;
    state.isAlone = true;
    void state.lease?.release();
  } else if (state.isAlone && (shown === 'in-sync' || shown === 'catching-up')) {
    state.isAlone = false;
    state.visits += 1;
    state.lease = state.seek();
    void state.lease.settled.then(() => leaveSoon(state));
  }
}

/** Returns this tab's status as text for the tabs that wait for the lease. */
function wordsFor(state: SharedState): string {
  const { own, status } = state;
  const { state: shown, toSend, toFetch, rejected, movedTo, error } = own?.status() ?? status.get();
  const said: Words = {
    state: shown,
    toSend,
    toFetch,
    ...(rejected !== undefined && { rejected }),
    ...(movedTo && { movedTo }),
    ...(error && { error: error.code }),
    kind: own?.kind(),
    isApproved: own?.devices.isApproved() ?? false,
    head: headOf(state),
  };
  return JSON.stringify(said);
}

/** Connects for one call if this tab has no connection. */
async function visit<T>(state: SharedState, work: (attached: Attached) => Promise<T>): Promise<T> {
  if (state.isDetached) throw new FixpointError('CONNECTION_NOT_OPEN');
  state.visits += 1;
  try {
    await settle(state);
    if (state.own === undefined) throw state.ownFailed ?? new FixpointError('CONNECTION_NOT_OPEN');
    return await work(state.own);
  } finally {
    leaveSoon(state);
  }
}

/**
 * Enters the presence of the ledger. Each tab is a client of its own, so a tab that is present
 * keeps a connection of its own.
 */
async function enterHere<T extends object>(state: SharedState, me: T | undefined): Promise<Presence<T>> {
  const present = await visit(state, ({ presence }) => presence.enter(me));
  state.visits += 1;
  void present.ended.then(() => leaveSoon(state));
  return present;
}

function leaveSoon(state: SharedState): void {
  const stop = state.core.platform.time.after(LINGER_MS, () => {
    state.timers.delete(stop);
    state.visits -= 1;
    if (!mustConnect(state)) void settle(state);
  });
  state.timers.add(stop);
}

/**
 * Batches notifications. Status and head change with each write, and waiting tabs don't need every
 * change.
 */
function tellSoon(state: SharedState): void {
  if (state.isTelling) return;
  state.isTelling = true;
  const stop = state.core.platform.time.after(TELL_MS, () => {
    state.timers.delete(stop);
    state.isTelling = false;
    state.lease?.tell();
  });
  state.timers.add(stop);
}

/** Returns undefined when the text was read while it was being written. */
function wordsOf(text: string): Words | undefined {
  try {
    return JSON.parse(text) as Words;
  } catch {
    return undefined;
  }
}

const sameFailure = (before: FixpointError | undefined, code: ErrorCode): FixpointError =>
  before?.code === code ? before : new FixpointError(code, 'as the tab or process that syncs reports');
