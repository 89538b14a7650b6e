/**
 * Keeps a database and a ledger in sync from attach to detach: connects, fetches, sends, and
 * restarts after failures.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import type { Commits } from '../commit/open.ts';
import type { Platform } from '../ports/platform.ts';
import { createDownloads } from './down/download.ts';
import { createFileFetches } from './down/fetch-files.ts';
import { createWithheld } from './down/withheld-watch.ts';
import { isRefusal } from './failures.ts';
import { devicesOnDemand } from './ledger/devices-on-demand.ts';
import { createLedger, type Ledger, rememberWanted } from './ledger/ledger-kind.ts';
import type { LedgerKind, LedgerSealing } from './ledger/ledger-sealing.ts';
import { createListed } from './ledger/listed-entries.ts';
import { createRemoteMemory, remoteIdOf } from './ledger/remote-memory.ts';
import type { Attached, SyncState } from './remote.ts';
import type { Session } from './sync-session.ts';
import { createStatus } from './sync-status.ts';
import { connect } from './transport/connect.ts';
import type { Connect, Connection, Target } from './transport/connection.ts';
import { ledgerFields } from './transport/object-transfer.ts';
import { keepLink } from './transport/reconnecting-link.ts';
import { createRepairs } from './up/repairs.ts';
import { createUploads } from './up/upload.ts';

const ASK_MS = 2000;

export interface AttachOptions {
  readonly kind: LedgerKind | undefined;
  readonly fetchAllFiles: boolean;
  /** Loads rarely used features. */
  readonly load: () => Promise<typeof import('./lazy-chunk.ts')>;
}

function sealingOf(ledger: Ledger): LedgerSealing {
  const sealing = ledger.sealing();
  if (sealing === undefined) throw new FixpointError('CONNECTION_NOT_OPEN');
  return sealing;
}

/**
 * Attaches a database to a ledger.
 * @throws FixpointError CORRUPT, FORMAT_NEWER when the rows about the remote can't be read
 */
export async function attach(
  commits: Commits,
  platform: Platform,
  target: Target,
  { kind, fetchAllFiles, load }: AttachOptions,
): Promise<Attached> {
  const memory = createRemoteMemory(remoteIdOf(target.gateway, target.tenant, target.ledger));
  await commits.prepareForSync();
  await memory.load(() => commits.remembered(memory.prefix));
  await rememberWanted({ commits, memory }, kind);
  const status = createStatus(platform.report);
  const abort = new AbortController();
  let wasOpen = false;
  const putRecords =
    <T extends 'Put' | 'Del'>(type: T, method: string) =>
    async (keys: readonly string[]) => {
      const connection = link.connection();
      if (connection === undefined) throw new FixpointError('CONNECTION_NOT_OPEN');
      const fields = {
        ...ledgerFields(target, 'meta', method, 'main'),
        meta: { metas: [], keys: [...keys] },
      };
      await connection.request(`req${type}Meta`, `res${type}Meta`, fields);
    };
  const records = { publish: putRecords('Put', 'PUT'), withdraw: putRecords('Del', 'DELETE') };
  const ledger = createLedger({ commits, platform, memory, target, wanted: kind, load, ...records });
  const listed = createListed();
  const session: Session = {
    commits,
    platform,
    target,
    memory,
    listed,
    searched: new Set(),
    sealing: () => sealingOf(ledger),
    settle: ledger.settle,
    renewKey: ledger.renewKey,
    isReady: ledger.isReady,
    signal: abort.signal,
    connection: () => link.connection(),
    told: (entry, content, answer) => {
      listed.told(entry.cid, content);
      link.placed(answer);
    },
    heal: (objects) => repairs.heal(objects),
    faulty: (object) => repairs.faulty(object),
  };
  const repairs = createRepairs(
    platform,
    () => session,
    load,
    (objects) => link.tellFaulty(objects),
  );
  const withheld = createWithheld(session, () => {
    uploads.wake();
    show();
  });

  const downloads = createDownloads(session, load, withheld.reject, () => {
    withheld.wake();
    const isAwaited = uploads.isAwaited() && downloads.wasCaughtUp();
    if (isAwaited || (downloads.isCaughtUp() && uploads.hasWork())) uploads.wake();
    show();
  });
  const uploads = createUploads(session, {
    load,
    // Others may never stop writing, so `synced()` doesn't wait for their later writes.
    mayBegin: () => downloads.isCaughtUp() || (uploads.isAwaited() && downloads.wasCaughtUp()),
    mayCompare: downloads.isDone,
    // Another tab may have sent something since the listing.
    catchUp: async () => {
      await link.refresh();
      const left = downloads.pending();
      // Quarantined entries may never become readable, and documents are waiting to be sent.
      const isLeft = () => left?.() === 'look' || (left?.() === 'wait' && !downloads.isDone());
      for (let next = status.next(); isLeft() && !abort.signal.aborted; next = status.next()) await next;
    },
    isLost,
    changed: show,
  });
  const files = createFileFetches(session, readable, fetchAllFiles, show);
  const open: Connect = (known, events) => connect(platform, target, load, known, events);
  const link = keepLink(platform, target, open, {
    metas: (listing) => {
      // The remote may have restored an older copy of its tables, without these names.
      if (listing.anew) memory.toldFiles.clear();
      listed.take(listing);
      withheld.take(listing);
      downloads.take(listing);
    },
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
    const isCompared = downloads.isDone() && listed.doubt() === undefined;
    const isEqual =
      isCompared &&
      downloads.waiting() === 0 &&
      uploads.waiting() === 0 &&
      files.waiting() === 0 &&
      withheld.waiting() === 0;
    return isEqual ? 'in-sync' : 'catching-up';
  }

  function show(): void {
    const error =
      link.state().error ??
      rollback ??
      uploads.failure() ??
      downloads.failure() ??
      files.failure() ??
      withheld.failure();
    const toFetch = downloads.waiting() + files.waiting() + withheld.waiting();
    status.show(stateNow(), { toSend: uploads.waiting(), toFetch, rejected: withheld.rejected() }, error);
  }

  /**
   * Resolves to the connection once it is open.
   * @throws FixpointError with the reason when there is none and won't be soon
   */
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

  /** Resolves to the connection once the ledger's sealing is known too. */
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

  /**
   * Waits for what is durable here and listed there at the call, not for later writes.
   * @throws FixpointError with the reason when syncing needs somebody's action
   */
  async function synced(): Promise<void> {
    const isSending = uploads.pending();
    let toFetch: ReturnType<typeof downloads.pending>;
    let isFetchingFiles: (() => boolean) | undefined;
    for (;;) {
      const changed = status.next();
      if (abort.signal.aborted) throw new FixpointError('CONNECTION_NOT_OPEN');
      const { state, error } = status.get();
      if (state === 'refused') throw error ?? new FixpointError('FORBIDDEN');
      if (toFetch === undefined && (await isListed())) toFetch = downloads.pending();
      const left = toFetch?.() ?? 'look';
      const verdict =
        left === 'look' ? undefined : (downloads.verdict() ?? files.verdict() ?? withheld.verdict());
      if (verdict !== undefined) throw verdict;
      if (left === 'nothing') isFetchingFiles ??= files.pending();
      if (isFetchingFiles?.() === false && !isSending() && withheld.waiting() === 0) return;
      await changed;
    }
  }

  /** Whether the remote has listed everything it has now. */
  const isListed = () =>
    link.connection() === undefined
      ? false
      : link.refresh().then(
          () => true,
          () => false,
        );

  /** Resolves when everything that the remote lists now was processed. */
  async function refresh(): Promise<void> {
    await connected();
    await link.refresh();
    await downloads.settled();
  }

  let rollback: FixpointError | undefined;
  /** Returns whether the remote's complete listing shows that it lost what this database sent. */
  async function isLost(head: Head): Promise<boolean> {
    const compared = await (await load()).compareListed(session, head);
    if (compared.rollback !== undefined) {
      rollback = compared.rollback;
      platform.report(rollback);
    }
    return compared.isLost;
  }

  /** A device that isn't approved yet polls for its approval. */
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
    // Data from one remote may have to be sent to another.
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
      return (await load()).heldAt(session, open);
    },
    withheld: async () => (await load()).withheldAt(session, open),
    removeEntries: async (cids) => {
      await (await load()).removeEntries(session, open, await connected(), cids);
      withheld.forget(cids);
    },
    kind: () => ledger.sealing()?.kind,
    devices: devicesOnDemand({
      ...{ ledger, ...records, platform, refresh, load },
      changed: downloads.keysChanged,
    }),
    detach: async () => {
      abort.abort();
      stopAsking();
      stopFeed();
      downloads.stop();
      const sent = uploads.stop();
      files.stop();
      withheld.stop();
      repairs.stop();
      link.stop();
      await withheld.settled();
      await downloads.settled();
      await sent;
      await files.settled();
    },
  };
}
