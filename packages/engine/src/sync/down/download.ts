/**
 * Receives the data of the remote. Fetches, checks and stores the archives that a meta entry names,
 * then merges the head of the entry.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import type { BackOffPlan } from '../back-off.ts';
import { createRequests, createRunner, type Requests } from '../job-runner.ts';
import type { Session } from '../sync-session.ts';
import type { Listing } from '../transport/connection.ts';
import { createEntryQueue, type EntryQueue } from './entry-queue.ts';
import type { LoadDropped } from './fetch-entry.ts';

/** How often to check for entries in quarantine that are due. */
const LOOK: BackOffPlan = { firstMs: 250, mostMs: 2000, patientAfter: 150, patientMostMs: 5000 };
/** Number of failed tries after which an entry counts as a problem, not just as late. */
const TRIES_PATIENCE = 3;

export interface Downloads {
  /** Receives metas that the remote lists. */
  take(listing: Listing): void;
  /** Retries all waiting entries, because the link is open again. */
  linkOpened(): void;
  linkLost(): void;
  /**
   * Returns whether all entries that were listed since the link opened are merged or quarantined.
   * Entries that most likely contain nothing new don't count.
   */
  isCaughtUp(): boolean;
  /** Returns whether {@link isCaughtUp} was true at any time since the link opened. */
  wasCaughtUp(): boolean;
  /**
   * Returns how much is pending: one for each entry, plus the further archives of the entry that is
   * being fetched.
   */
  waiting(): number;
  failure(): FixpointError | undefined;
  /** Returns why some entry won't arrive soon; undefined while all entries may still arrive. */
  verdict(): FixpointError | undefined;
  /** Retries quarantined entries, because a key may be new. */
  keysChanged(): void;
  /** Returns all texts in lists of keys that the remote sent; a new set with each listing. */
  keys(): ReadonlySet<string>;
  /** Returns whether the listing is complete and only quarantined entries are pending. */
  isDone(): boolean;
  /**
   * Starts to process all entries that are pending now. Returns a function that reports their
   * state: `look` until a run has checked the list of keys, then `wait` while an entry is pending,
   * and `nothing` in the end. Returns undefined while the remote is still listing.
   */
  pending(): (() => 'look' | 'wait' | 'nothing') | undefined;
  settled(): Promise<void>;
  stop(): void;
}

/** @param reject called with an entry that nobody can read */
export function createDownloads(
  session: Session,
  load: LoadDropped,
  reject: (cid: string) => void,
  changed: () => void,
): Downloads {
  const queue = createEntryQueue(session, load, reject, changed);
  const { entries, behind, quarantine } = queue;
  const heard = createHeard(session);
  let wasTold = false;
  /** Whether this device has been caught up since the connection's complete listing. */
  let hasCaughtUp = false;
  /** Entries that a caller waits for. */
  const awaited = new Set<string>();
  /** Requests of callers to check the list of keys. */
  const checks = createRequests();

  const learn = () => learnKeys(session, queue, heard, checks);

  async function job(): Promise<void> {
    if (session.connection() === undefined || !wasTold) return;
    for (;;) {
      await learn();
      if (await takeInNews(session, queue, heard.hasNewKeys, learn, awaited))
        hasCaughtUp = session.connection() !== undefined;
      changed();
      if (await isLastRound(session, queue)) break;
    }
    if (session.connection() === undefined) return;
    const failure = quarantine.failure();
    if (failure !== undefined) throw failure;
  }

  const runner = createRunner(session.platform, LOOK, job, changed);
  function retryAll(): void {
    quarantine.makeDue();
    runner.wake('now');
  }

  return {
    take: (listing) => {
      // If more listings follow, the newest entries may be in one of them.
      wasTold = !listing.more;
      if (listing.anew) hasCaughtUp = false;
      const areNewKeys = heard.take(listing);
      const isWaiting = listing.metas.length === 0 && !areNewKeys && !session.isReady();
      for (const entry of listing.metas) {
        entries.delete(entry.cid);
        entries.set(entry.cid, entry);
      }
      runner.wake(isWaiting ? undefined : 'now');
    },
    linkOpened: retryAll,
    linkLost: () => {
      wasTold = false;
      hasCaughtUp = false;
    },
    isCaughtUp: () => wasTold && session.isReady() && entries.size === 0,
    wasCaughtUp: () => wasTold && session.isReady() && hasCaughtUp,
    waiting: queue.waiting,
    failure: runner.failure,
    verdict: () => {
      if (wasTold && !session.isReady()) return runner.failure();
      return quarantine.triesMin() >= TRIES_PATIENCE ? quarantine.failure() : undefined;
    },
    keysChanged: retryAll,
    keys: heard.keys,
    isDone: () => wasTold && session.isReady() && entries.size === 0 && behind.size === 0,
    pending: () => {
      if (!wasTold) return undefined;
      const isLeft = waitForAll(awaited, queue);
      const isUnchecked = checks.add();
      runner.wake('now');
      return () => (isUnchecked() ? 'look' : isLeft() ? 'wait' : 'nothing');
    },
    settled: runner.settled,
    stop: runner.stop,
  };
}

/**
 * Learns the keys that the remote listed, so that the entries that need them can be opened.
 * @throws FixpointError LEDGER_KIND; DEVICE_NOT_APPROVED
 */
async function learnKeys(
  session: Session,
  { entries, quarantine }: EntryQueue,
  heard: ReturnType<typeof createHeard>,
  checks: Requests,
): Promise<void> {
  const checked = checks.begin();
  if (await heard.learn([...entries.values()])) quarantine.makeDue();
  checked();
  if (!session.isReady()) throw new FixpointError('DEVICE_NOT_APPROVED');
}

/**
 * Returns a function that reports whether any of the entries that are pending at this call is still
 * pending.
 */
function waitForAll(awaited: Set<string>, { entries, behind, quarantine }: EntryQueue): () => boolean {
  const waiting = [...entries.keys(), ...behind.keys(), ...quarantine.cids()];
  for (const cid of waiting) awaited.add(cid);
  const isLeft = (cid: string) => entries.has(cid) || behind.has(cid) || quarantine.has(cid);
  return () => waiting.some(isLeft);
}

/**
 * Processes the newest entry first, because it usually names the content of older entries, too.
 * Other devices may write faster than this device fetches, so awaited entries take turns with new
 * ones. When the remote lists new keys, learns them before it processes the entries that they open:
 * a single entry that can't be opened would keep all entries of a batch from being merged in one
 * step. Returns whether no new entry is left.
 */
async function takeInNews(
  session: Session,
  queue: EntryQueue,
  hasNewKeys: () => boolean,
  learn: () => Promise<void>,
  awaited: Set<string>,
): Promise<boolean> {
  const newest = () => (session.connection() === undefined ? undefined : [...queue.entries.values()].at(-1));
  for (let entry = newest(); entry !== undefined; entry = newest()) {
    if (hasNewKeys()) return false;
    // If the newest entry contained something new, other entries probably do, too: their devices
    // wrote at the same time.
    if (await queue.look(entry)) {
      // Entries of new devices, with their keys, may have arrived in the meantime.
      while (hasNewKeys()) await learn();
      await queue.takeTogether();
    }
    if (awaited.size > 0) {
      await lookAtAwaited(awaited, queue);
      return false;
    }
  }
  return true;
}

async function lookAtAwaited(awaited: Set<string>, { entries, behind, look }: EntryQueue): Promise<void> {
  for (const cid of awaited) {
    const entry = entries.get(cid);
    if (entry === undefined && !behind.has(cid)) awaited.delete(cid);
    if (entry !== undefined && (await look(entry))) return;
  }
}

/**
 * Processes entries that most likely contain nothing new, and due entries of the quarantine.
 * Returns whether no entry outside the quarantine was pending before that.
 */
async function isLastRound(session: Session, queue: EntryQueue): Promise<boolean> {
  const connection = session.connection();
  if (connection === undefined) return true;
  const isLast = queue.behind.size === 0 && queue.entries.size === 0;
  if (queue.behind.size > 0) await queue.lookBehind(connection);
  for (const entry of queue.quarantine.due()) await queue.take(entry);
  return isLast;
}

/** Collects what the remote reports about the kind, keys and devices of the ledger. */
function createHeard(session: Session) {
  let keys = new Set<string>();
  let said: Pick<Listing, 'kind' | 'removed' | 'rejected' | 'devices' | 'keyList'> = {};
  let hasNewKeys = false;
  return {
    /** Adds a listing. Returns whether the listing has new keys. */
    take: (listing: Listing): boolean => {
      const areNew = listing.keys.some((key) => !keys.has(key));
      hasNewKeys ||= areNew;
      keys = new Set([...keys, ...listing.keys]);
      said = {
        ...listing,
        devices: listing.devices ?? said.devices,
        // The gateway sends the whole list, or nothing when the client already has it.
        keyList: listing.anew || listing.keys.length > 0 ? listing.keys : said.keyList,
      };
      return areNew;
    },
    keys: () => keys,
    /** Returns whether the remote listed keys that weren't learned yet. */
    hasNewKeys: () => hasNewKeys,
    /**
     * Learns what the remote reported. Returns whether a key is new, so that more entries can be
     * opened.
     */
    learn: async (metas: readonly MetaEntry[]): Promise<boolean> => {
      hasNewKeys = false;
      return session.settle({ ...said, keys: [...keys], metas });
    },
  };
}
