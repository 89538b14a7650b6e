/**
 * Keeps a database and a ledger in sync from attach to detach: connects, fetches, sends, and
 * restarts after failures.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Commits } from '../commit/commits-interface.ts';
import type { Platform } from '../ports/platform.ts';
import { attachedHandle, type LoadChunk } from './attached-handle.ts';
import { createDownloads } from './down/download.ts';
import { createFileFetches } from './down/fetch-files.ts';
import { createWithheld } from './down/withheld-watch.ts';
import { createLedger, type Ledger, rememberWanted } from './ledger/ledger-kind.ts';
import type { LedgerKind } from './ledger/ledger-sealing.ts';
import { createListed } from './ledger/listed-entries.ts';
import { createRemoteMemory, type RemoteMemory, remoteIdOf } from './ledger/remote-memory.ts';
import type { Attached, WatchListed } from './remote.ts';
import { createStatusView, createWaits, type SyncParts } from './sync-progress.ts';
import type { Session } from './sync-session.ts';
import { createStatus } from './sync-status.ts';
import { connect } from './transport/connect.ts';
import type { Connect, Target } from './transport/connection.ts';
import { keepLink, type LinkEvents } from './transport/reconnecting-link.ts';
import { createRepairs } from './up/repairs.ts';
import { createUploads } from './up/upload.ts';

export interface AttachParts {
  readonly commits: Commits;
  readonly platform: Platform;
  readonly target: Target;
  /** The requested kind of ledger; undefined accepts any kind. */
  readonly kind: LedgerKind | undefined;
  readonly fetchAllFiles: boolean;
  readonly load: LoadChunk;
  readonly watch: WatchListed | undefined;
}

/**
 * Attaches a database to a ledger.
 * @throws FixpointError CORRUPT, FORMAT_NEWER when the rows about the remote can't be read
 */
export async function attach(given: AttachParts): Promise<Attached> {
  const { commits, target, kind } = given;
  const memory = createRemoteMemory(remoteIdOf(target.gateway, target.tenant, target.ledger));
  await commits.prepareForSync();
  await memory.load(() => commits.remembered(memory.prefix));
  await rememberWanted({ commits, memory }, kind);
  return startSync(given, memory);
}

/**
 * Creates and starts the parts of the sync. They refer to each other, so they may call each other
 * only after all of them exist.
 */
function startSync(
  { commits, platform, target, kind: wanted, fetchAllFiles, load, watch }: AttachParts,
  memory: RemoteMemory,
): Attached {
  const place = { commits, platform, target, memory };
  const abort = new AbortController();
  const open: Connect = (known, events) => connect(platform, target, load, known, events);
  const ledger = createLedger({ ...place, wanted, load, sync: () => parts, signal: abort.signal });
  const session = createSession({ ...place, signal: abort.signal }, ledger, () => parts, watch);
  const repairs = createRepairs(session, load, (objects) => link.tellFaulty(objects));
  const show = () => view();
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
    // While other devices keep writing, this device may never be caught up. An upload that
    // `synced()` waits for therefore begins if this device was caught up at any time.
    mayBegin: () => downloads.isCaughtUp() || (uploads.isAwaited() && downloads.wasCaughtUp()),
    mayCompare: downloads.isDone,
    catchUp: () => waits.caughtUp(),
    isHeadLost: async (...given) => (await load()).isHeadLost(parts, ...given),
    changed: show,
  });
  const files = createFileFetches(session, () => waits.readable(), fetchAllFiles, load, show);
  const link = keepLink(
    platform,
    target,
    open,
    linkEvents(() => parts, show),
  );
  const status = createStatus(platform.report);
  const parts: SyncParts = {
    ...{ session, status, ledger, link, downloads, uploads, files, withheld, repairs },
  };
  const view = createStatusView(parts);
  const waits = createWaits(parts);
  const stopFeed = commits.subscribe(({ origin, ids }) => {
    files.documentsChanged(ids);
    // Data that came from a different remote may have to be sent to this one. Settled writes were
    // counted when they were announced.
    if (origin === 'remote' || origin === 'settled') uploads.wake();
    else uploads.committed(origin === 'elsewhere');
  });
  uploads.wake();
  link.start();
  const stop = () => {
    abort.abort();
    stopFeed();
  };
  return attachedHandle(parts, waits, open, load, stop);
}

function createSession(
  place: Pick<Session, 'commits' | 'platform' | 'target' | 'memory' | 'signal'>,
  { sealing, settle, renewKey, isReady }: Ledger,
  parts: () => SyncParts,
  watch: WatchListed = (listed) => listed,
): Session {
  const listed = watch(createListed(), place);
  return {
    ...place,
    ...{ listed, settle, renewKey, isReady },
    searched: new Set(),
    sealing: () => {
      const known = sealing();
      if (known === undefined) throw new FixpointError('CONNECTION_NOT_OPEN');
      return known;
    },
    connection: () => parts().link.connection(),
    told: (entry, content, answer) => {
      listed.told(entry.cid, content, answer);
      parts().link.placed(answer);
    },
    heal: (objects) => parts().repairs.heal(objects),
    faulty: (object) => parts().repairs.faulty(object),
  };
}

/**
 * Returns the handlers of the link. They pass on the remote's listings, and wake the parts that
 * wait for an open link.
 */
function linkEvents(parts: () => SyncParts, show: () => void): LinkEvents {
  let wasOpen = false;
  return {
    metas: (listing) => {
      const { session, withheld, downloads } = parts();
      parts().movedTo = listing.movedTo;
      // The remote may have restored an older copy of its tables, which lacks the names of these
      // files.
      if (listing.anew) session.memory.toldFiles.clear();
      session.listed.take(listing);
      withheld.take(listing);
      downloads.take(listing);
    },
    changed: () => {
      const { link, downloads, files, uploads } = parts();
      const isOpen = link.state().state === 'open';
      if (isOpen && !wasOpen) {
        downloads.linkOpened();
        files.linkOpened();
        uploads.wake('now');
      } else if (!isOpen && wasOpen) downloads.linkLost();
      wasOpen = isOpen;
      show();
    },
  };
}
