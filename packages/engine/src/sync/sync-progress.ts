/** Tracks the progress of a sync: combines the status of its parts, and waits for progress. */
import { FixpointError } from '@fixpoint/protocol';
import type { MovedTo } from '@fixpoint/protocol/storage';
import type { Downloads } from './down/download.ts';
import type { FileFetches } from './down/fetch-files.ts';
import type { Withheld } from './down/withheld-watch.ts';
import { isRefusal } from './failures.ts';
import type { Ledger } from './ledger/ledger-kind.ts';
import type { SyncState } from './remote.ts';
import type { Session } from './sync-session.ts';
import type { StatusHolder } from './sync-status.ts';
import type { Connection } from './transport/connection.ts';
import type { Link } from './transport/reconnecting-link.ts';
import type { Repairs } from './up/repairs.ts';
import type { Uploads } from './up/upload.ts';

/** The parts of one attachment. */
export interface SyncParts {
  readonly session: Session;
  readonly status: StatusHolder;
  readonly ledger: Ledger;
  readonly link: Link;
  readonly downloads: Downloads;
  readonly uploads: Uploads;
  readonly files: FileFetches;
  readonly withheld: Withheld;
  readonly repairs: Repairs;
  /** The ledger that this one moved to, as the remote says. */
  movedTo?: MovedTo | undefined;
  /** Set when a sealed ledger showed an older state than this device has seen before. */
  rollback?: FixpointError;
}

/** Returns a function that updates the status from the state of all parts. */
export function createStatusView(parts: SyncParts): () => void {
  const { session, status, ledger, link, downloads, uploads, files, withheld } = parts;

  function stateOf(waiting: number): SyncState {
    const { state } = link.state();
    if (state !== 'open') return state;
    if (isRefusal(uploads.failure()) || downloads.failure()?.code === 'LEDGER_KIND') return 'refused';
    const isCompared = downloads.isDone() && session.listed.doubt() === undefined;
    return isCompared && waiting === 0 ? 'in-sync' : 'catching-up';
  }

  return () => {
    const error =
      link.state().error ??
      parts.rollback ??
      uploads.failure() ??
      downloads.failure() ??
      files.failure() ??
      withheld.failure();
    const toSend = uploads.waiting();
    const toFetch = downloads.waiting() + files.waiting() + withheld.waiting();
    const counts = {
      toSend,
      toFetch,
      rejected: withheld.rejected() || undefined,
      keys: ledger.keys()?.changes() || undefined,
      movedTo: parts.movedTo,
    };
    status.show(stateOf(toSend + toFetch), counts, error);
  };
}

/** Calls that wait for progress. */
export interface Waits {
  /**
   * Resolves to the connection once it is open.
   * @throws FixpointError with the reason when no connection will open soon
   */
  connected(): Promise<Connection>;
  /** Resolves to the connection once it is open and the sealing of the ledger is known. */
  readable(): Promise<Connection>;
  /**
   * Resolves when everything that the remote lists now was merged, including what another tab sent
   * since the last listing. Doesn't wait for quarantined entries: they may never become readable,
   * and an upload waits for this call.
   */
  caughtUp(): Promise<void>;
  /**
   * Resolves when everything that is durable here now was sent, and everything that the remote
   * lists now was merged. Doesn't wait for later writes.
   * @throws FixpointError with the reason when syncing needs somebody's action
   */
  synced(): Promise<void>;
}

export function createWaits(parts: SyncParts): Waits {
  const { session, status, ledger, link, downloads, uploads, files, withheld } = parts;
  const { signal } = session;

  function throwIfRefused(): void {
    const { state, error } = status.get();
    if (state === 'refused') throw error ?? new FixpointError('FORBIDDEN');
  }

  async function connected(): Promise<Connection> {
    for (;;) {
      const changed = status.next();
      const connection = link.connection();
      if (connection !== undefined) return connection;
      const { state, error } = link.state();
      if (signal.aborted || state !== 'connecting') throw error ?? new FixpointError('CONNECTION_NOT_OPEN');
      await changed;
    }
  }

  /** Asks the remote to list everything that it has now. Returns whether this succeeded. */
  const isListed = () =>
    link.connection() === undefined
      ? false
      : link.refresh().then(
          () => true,
          () => false,
        );

  return {
    connected,
    readable: async () => {
      for (;;) {
        const connection = await connected();
        const changed = status.next();
        if (ledger.sealing() !== undefined) return connection;
        throwIfRefused();
        await changed;
      }
    },
    caughtUp: async () => {
      await link.refresh();
      const left = downloads.pending();
      const isLeft = () => left?.() === 'look' || (left?.() === 'wait' && !downloads.isDone());
      for (let next = status.next(); isLeft() && !signal.aborted; next = status.next()) await next;
    },
    synced: async () => {
      const isSending = uploads.pending();
      let toFetch: ReturnType<typeof downloads.pending>;
      let isFetchingFiles: (() => boolean) | undefined;
      for (;;) {
        const changed = status.next();
        if (signal.aborted) throw new FixpointError('CONNECTION_NOT_OPEN');
        throwIfRefused();
        if (toFetch === undefined && (await isListed())) toFetch = downloads.pending();
        const left = toFetch?.() ?? 'look';
        const verdict =
          left === 'look' ? undefined : (downloads.verdict() ?? files.verdict() ?? withheld.verdict());
        if (verdict !== undefined) throw verdict;
        if (left === 'nothing') isFetchingFiles ??= files.pending();
        if (isFetchingFiles?.() === false && !isSending() && withheld.waiting() === 0) return;
        await changed;
      }
    },
  };
}
