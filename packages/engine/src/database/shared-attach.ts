/**
 * Shares one connection between all tabs or processes that attach a database to the same ledger:
 * the holder of a lease syncs, the others mirror its status. If another one needs more than the
 * status, it connects by itself for that call.
 */
import { type ErrorCode, FixpointError } from '@fixpoint/protocol';
import type { Lease, Leases } from '../ports/lease.ts';
import type { Attached, LedgerDevices, Remote, SyncStatus } from '../sync/remote.ts';
import { createStatus } from '../sync/sync-status.ts';
import type { Core } from './core.ts';

/** A connection opened for one call stays open this long, because the next call may use it. */
const LINGER_MS = 2000;
const TELL_MS = 50;

interface Words {
  readonly state: SyncStatus['state'];
  readonly toSend: number;
  readonly toFetch: number;
  readonly rejected?: number;
  readonly error?: ErrorCode;
  readonly kind?: ReturnType<Attached['kind']>;
  readonly isApproved: boolean;
  /** The holder's head: its status says nothing about events that it hasn't seen. */
  readonly head: string;
}

export async function attachShared(
  { name, commits, platform }: Core,
  remote: Remote,
  leases: Leases,
  remoteId: string,
): Promise<Attached> {
  const { time, report } = platform;
  const status = createStatus(report);
  const headNow = () => commits.snapshot().head.join();
  let heard: Words | undefined;
  let own: Attached | undefined;
  let ownFailed: unknown;
  let isHolder = false;
  /**
   * Set when the remote rejected this tab, but may accept another: it retries without the lease.
   */
  let isAlone = false;
  let visits = 0;
  let isDetached = false;
  let lease: Lease;
  let isTelling = false;
  const timers = new Set<() => void>();
  let last: Promise<void> = Promise.resolve();

  const mustConnect = () => !isDetached && (isHolder || isAlone || visits > 0);

  /** Connects or disconnects as needed. */
  function settle(): Promise<void> {
    last = last.then(async () => {
      if (mustConnect() && own === undefined) {
        own = await remote.attach(commits, platform);
        own.onStatus(ownChanged);
      } else if (!mustConnect() && own !== undefined) {
        const former = own;
        own = undefined;
        await former.detach();
      }
      show();
    });
    last = last.catch((cause) => {
      ownFailed = cause;
      report(cause);
    });
    return last;
  }

  function show(): void {
    if (own !== undefined && (isHolder || isAlone)) {
      const { state, error, ...counts } = own.status();
      status.show(state, counts, error);
      tellSoon();
    } else if (heard !== undefined) {
      const { state, toSend, toFetch, rejected, error, head } = heard;
      const isBehind = head !== headNow();
      const shown = state === 'in-sync' && isBehind ? 'catching-up' : state;
      const failure = error === undefined ? undefined : sameFailure(status.get().error, error);
      status.show(shown, { toSend: isBehind ? Math.max(toSend, 1) : toSend, toFetch, rejected }, failure);
    }
  }

  function ownChanged(): void {
    show();
    const { state } = own?.status() ?? {};
    if (isHolder && state === 'refused') {
      isHolder = false;
      isAlone = true;
      void lease.release();
    } else if (isAlone && (state === 'in-sync' || state === 'catching-up')) {
      isAlone = false;
      visits += 1;
      lease = seek();
      void lease.settled.then(leaveSoon);
    }
  }

  function words(): string {
    const { state, toSend, toFetch, rejected, error } = own?.status() ?? status.get();
    const said: Words = {
      state,
      toSend,
      toFetch,
      ...(rejected !== undefined && { rejected }),
      ...(error && { error: error.code }),
      kind: own?.kind(),
      isApproved: own?.devices.isApproved() ?? false,
      head: headNow(),
    };
    return JSON.stringify(said);
  }

  const seek = () =>
    leases.seek(name, `sync-${remoteId}`, {
      taken: () => {
        isHolder = true;
        void settle();
      },
      lost: () => {
        isHolder = false;
        void settle();
      },
      words,
      heard: (text) => {
        heard = wordsOf(text) ?? heard;
        show();
      },
    });

  async function visit<T>(work: (attached: Attached) => Promise<T>): Promise<T> {
    if (isDetached) throw new FixpointError('CONNECTION_NOT_OPEN');
    visits += 1;
    try {
      await settle();
      if (own === undefined) throw ownFailed ?? new FixpointError('CONNECTION_NOT_OPEN');
      return await work(own);
    } finally {
      leaveSoon();
    }
  }

  function leaveSoon(): void {
    const stop = time.after(LINGER_MS, () => {
      timers.delete(stop);
      visits -= 1;
      if (!mustConnect()) void settle();
    });
    timers.add(stop);
  }

  /**
   * Batches notifications: status and head change with each write, and waiting tabs don't need each
   * change.
   */
  function tellSoon(): void {
    if (isTelling) return;
    isTelling = true;
    const stop = time.after(TELL_MS, () => {
      timers.delete(stop);
      isTelling = false;
      lease.tell();
    });
    timers.add(stop);
  }

  // Reading a file without a connection opens one, which fetches the file.
  const stopMissing = commits.files.onMissing(async (car) => {
    if (own !== undefined) throw new FixpointError('CONNECTION_NOT_OPEN');
    await visit(() => commits.files.read(car));
  });
  const stopFeed = commits.subscribe(show);
  lease = seek();
  await lease.settled;
  await last;
  if (ownFailed !== undefined) {
    isDetached = true;
    stopMissing();
    stopFeed();
    await lease.release();
    throw ownFailed;
  }

  return {
    status: status.get,
    onStatus: status.onChange,
    synced: () =>
      visit(async (attached) => {
        await attached.synced();
        const { state, error, ...counts } = attached.status();
        if (!isHolder) status.show(state, counts, error);
      }),
    held: () => visit((attached) => attached.held()),
    withheld: () => visit((attached) => attached.withheld()),
    removeEntries: (cids) => visit((attached) => attached.removeEntries(cids)),
    kind: () => own?.kind() ?? heard?.kind,
    devices: sharedDevices(visit, {
      isApproved: () => own?.devices.isApproved() ?? heard?.isApproved ?? false,
      keyring: async () => own?.devices.keyring(),
    }),
    detach: async () => {
      isDetached = true;
      for (const stop of timers) stop();
      stopMissing();
      stopFeed();
      await settle();
      await lease.release();
    },
  };
}

function sharedDevices(
  visit: <T>(work: (attached: Attached) => Promise<T>) => Promise<T>,
  /** Calls that need no connection. */
  known: Pick<LedgerDevices, 'isApproved' | 'keyring'>,
): LedgerDevices {
  return {
    ...known,
    code: () => visit(({ devices }) => devices.code()),
    list: () => visit(({ devices }) => devices.list()),
    approve: (code) => visit(({ devices }) => devices.approve(code)),
    remove: (ids) => visit(({ devices }) => devices.remove(ids)),
    newRecoveryCode: () => visit(({ devices }) => devices.newRecoveryCode()),
    recover: (code) => visit(({ devices }) => devices.recover(code)),
  };
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
  before?.code === code ? before : new FixpointError(code, 'as the tab or process that syncs says');
