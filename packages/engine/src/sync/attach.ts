/** Keeps a database and a ledger equal, from attach to detach: connects, fetches, sends, and starts again after whatever went wrong. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Commits } from '../commit/open.ts';
import type { Platform } from '../ports/platform.ts';
import { devicesOnDemand } from './devices-on-demand.ts';
import { createDownloads } from './download.ts';
import { isRefusal } from './failures.ts';
import { createFileFetches } from './fetch-files.ts';
import { createLedger, type Ledger } from './ledger-kind.ts';
import type { LedgerKind, LedgerSealing } from './ledger-sealing.ts';
import { keepLink } from './link.ts';
import { ledgerFields } from './objects.ts';
import type { Attached, SyncState } from './remote.ts';
import { createRemoteMemory, remoteIdOf } from './remote-memory.ts';
import { rollbackOf } from './rollback.ts';
import type { Session } from './session.ts';
import { createStatus } from './status.ts';
import { connect } from './transport/connect.ts';
import type { Connection, Target } from './transport/connection.ts';
import { createUploads } from './upload.ts';

const ASK_MS = 2000;

export interface AttachOptions {
  readonly kind: LedgerKind | undefined;
  readonly fetchAllFiles: boolean;
}

function sealingOf(ledger: Ledger): LedgerSealing {
  const sealing = ledger.sealing();
  if (sealing === undefined) throw new FixpointError('CONNECTION_NOT_OPEN');
  return sealing;
}

/** @throws FixpointError CORRUPT, FORMAT_NEWER when what is remembered of the remote cannot be read */
export async function attach(
  commits: Commits,
  platform: Platform,
  target: Target,
  { kind, fetchAllFiles }: AttachOptions,
): Promise<Attached> {
  const memory = createRemoteMemory(remoteIdOf(target.gateway, target.tenant, target.ledger));
  await commits.prepareForSync();
  await memory.load(() => commits.remembered(memory.prefix));
  const status = createStatus(platform.report);
  const abort = new AbortController();
  let wasOpen = false;
  const publish = async (records: readonly string[]) => {
    const connection = link.connection();
    if (connection === undefined) throw new FixpointError('CONNECTION_NOT_OPEN');
    const meta = { metas: [], keys: [...records] };
    await connection.request('reqPutMeta', 'resPutMeta', {
      ...ledgerFields(target, 'meta', 'PUT', 'main'),
      meta,
    });
  };
  const ledger = createLedger({ commits, platform, memory, target, wanted: kind, publish });
  const session: Session = {
    commits,
    platform,
    target,
    memory,
    searched: new Set(),
    sealing: () => sealingOf(ledger),
    settle: ledger.settle,
    renewKey: ledger.renewKey,
    isReady: ledger.isReady,
    signal: abort.signal,
    connection: () => link.connection(),
  };

  const downloads = createDownloads(session, () => {
    void checkRollback();
    if (downloads.isCaughtUp() && uploads.waiting() > 0) uploads.wake();
    show();
  });
  const uploads = createUploads(session, downloads.isCaughtUp, show);
  const files = createFileFetches(session, readable, fetchAllFiles, show);
  const link = keepLink(platform, target, {
    metas: downloads.take,
    changed: () => {
      const isOpen = link.state().state === 'open';
      if (isOpen && !wasOpen) {
        downloads.linkOpened();
        files.linkOpened();
        uploads.wake('now');
      } else if (!isOpen && wasOpen) downloads.linkLost();
      wasOpen = isOpen;
      show();
    },
  });

  function stateNow(): SyncState {
    const { state } = link.state();
    if (state !== 'open') return state;
    if (isRefusal(uploads.failure()) || downloads.failure()?.code === 'LEDGER_KIND') return 'refused';
    const isEqual =
      downloads.isCaughtUp() && downloads.waiting() === 0 && uploads.waiting() === 0 && files.waiting() === 0;
    return isEqual ? 'in-sync' : 'catching-up';
  }

  function show(): void {
    const error =
      link.state().error ?? rollback ?? uploads.failure() ?? downloads.failure() ?? files.failure();
    const toFetch = downloads.waiting() + files.waiting();
    status.show(stateNow(), { toSend: uploads.waiting(), toFetch }, error);
  }

  /** The connection, once it is made. @throws FixpointError: why there is none and will not be soon */
  async function connected(): Promise<Connection> {
    for (;;) {
      const changed = status.next();
      const connection = link.connection();
      if (connection !== undefined) return connection;
      const { state, error } = link.state();
      if (abort.signal.aborted || state !== 'connecting')
        throw error ?? new FixpointError('CONNECTION_NOT_OPEN');
      await changed;
    }
  }

  /** The same, once it is known too how the ledger seals its objects. */
  async function readable(): Promise<Connection> {
    for (;;) {
      const connection = await connected();
      const changed = status.next();
      if (ledger.sealing() !== undefined) return connection;
      const { state, error } = status.get();
      if (state === 'refused') throw error ?? new FixpointError('FORBIDDEN');
      await changed;
    }
  }

  /** @throws FixpointError: why what is here and what is there will not become equal without somebody doing something */
  async function synced(): Promise<void> {
    for (;;) {
      const changed = status.next();
      if (abort.signal.aborted) throw new FixpointError('CONNECTION_NOT_OPEN');
      const { state, error } = status.get();
      if (state === 'refused') throw error ?? new FixpointError('FORBIDDEN');
      const connection = link.connection();
      const isSeen =
        connection !== undefined &&
        (await link.refresh().then(
          () => true,
          () => false,
        ));
      if (isSeen) {
        uploads.wake();
        await downloads.settled();
        await uploads.settled();
        await files.settled();
        const verdict = downloads.verdict() ?? files.verdict();
        if (verdict !== undefined) throw verdict;
        if (link.connection() === connection && stateNow() === 'in-sync') return;
      }
      await changed;
    }
  }

  /** Resolves when what the remote lists now was looked at. */
  async function listed(): Promise<void> {
    await connected();
    await link.refresh();
    await downloads.settled();
  }

  const seenBefore = memory.seen();
  let rollback: FixpointError | undefined;
  let rollbackCheck: 'due' | 'running' | 'done' = 'due';
  /** Once for each attachment, when all that the remote lists was taken in. What it forgot is told to it again. */
  async function checkRollback(): Promise<void> {
    const isDue = rollbackCheck === 'due' && ledger.sealing()?.kind === 'sealed';
    if (!isDue || !downloads.isCaughtUp() || downloads.waiting() > 0) return;
    rollbackCheck = 'running';
    try {
      await link.refresh();
      await downloads.settled();
      const isWhole = downloads.isCaughtUp() && downloads.waiting() === 0;
      rollback = isWhole ? await rollbackOf(commits, memory, seenBefore) : undefined;
      rollbackCheck = isWhole ? 'done' : 'due';
    } catch (cause) {
      // The line failed: with the next connection there is another listing.
      if (!isFixpointError(cause)) platform.report(cause);
      rollbackCheck = 'due';
    }
    if (rollback === undefined) return;
    platform.report(rollback);
    session.sealing().tellAgain();
    uploads.wake('now');
    show();
  }

  /** A device that is not let in yet asks again and again whether it is. */
  let stopAsking: () => void = () => undefined;
  function askAgain(): void {
    stopAsking = platform.time.after(ASK_MS, () => {
      const isWaiting = link.connection() !== undefined && ledger.keys()?.isApproved() === false;
      if (isWaiting) void link.refresh().catch(() => undefined);
      askAgain();
    });
  }
  askAgain();

  const stopFeed = commits.subscribe(({ origin, ids }) => {
    files.documentsChanged(ids);
    // What came from one remote may have to go to another.
    if (origin === 'remote') uploads.wake();
    else uploads.committed(origin === 'elsewhere');
  });
  uploads.wake();
  link.start();

  return {
    status: status.get,
    onStatus: status.onChange,
    synced,
    held: async () => {
      await readable();
      return (await import('./seldom.ts')).heldAt(session, connect);
    },
    kind: () => ledger.sealing()?.kind,
    devices: devicesOnDemand({ ledger, publish, refresh: listed, changed: downloads.keysChanged }),
    detach: async () => {
      abort.abort();
      stopAsking();
      stopFeed();
      downloads.stop();
      const sent = uploads.stop();
      files.stop();
      link.stop();
      await downloads.settled();
      await sent;
      await files.settled();
    },
  };
}
