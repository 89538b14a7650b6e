/**
 * Receives what the remote has: fetches, checks and stores the archives that a meta entry names,
 * then merges its head.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import type { BackOffPlan } from '../back-off.ts';
import { asFailure } from '../failures.ts';
import { createRequests, createRunner } from '../job-runner.ts';
import type { Session } from '../sync-session.ts';
import type { Connection, Listing } from '../transport/connection.ts';
import { fetchEntry, type LoadDropped } from './fetch-entry.ts';
import { type Known, knownEntry, mergeKnown } from './known-entries.ts';
import { createQuarantine } from './quarantine.ts';
import { isCovered } from './withheld-watch.ts';

/** How often to check for due entries in quarantine. */
const LOOK: BackOffPlan = { firstMs: 250, mostMs: 2000, patientAfter: 150, patientMostMs: 5000 };
/** Failed tries after which an entry counts as more than just late. */
const TRIES_PATIENCE = 3;

export interface Downloads {
  /** Receives metas that the remote lists. */
  take(listing: Listing): void;
  /** Retries everything that waits, as the link is open again. */
  linkOpened(): void;
  linkLost(): void;
  /**
   * Whether all news listed since the link opened was merged or quarantined. Entries that most
   * likely contain no news don't count.
   */
  isCaughtUp(): boolean;
  /** Whether that was true at any time since the link opened. */
  wasCaughtUp(): boolean;
  /** Returns the number of pending archives, or entries whose archives aren't known yet. */
  waiting(): number;
  failure(): FixpointError | undefined;
  /** Returns why something won't arrive soon; undefined while it still may. */
  verdict(): FixpointError | undefined;
  /** Retries quarantined entries, as a key may be new. */
  keysChanged(): void;
  /** Whether the listing is complete and only quarantined entries are pending. */
  isDone(): boolean;
  /**
   * Processes everything pending now. Returns a function that reports what is left; undefined while
   * the remote is still listing.
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
  const { platform } = session;
  /** Entries by CID, the newest last. */
  const entries = new Map<string, MetaEntry>();
  /** Entries that most likely contain no news. */
  const behind = new Map<string, Known & { readonly entry: MetaEntry }>();
  /** Entries to process alone, as processing them in a batch failed. */
  const alone = new Set<string>();
  const quarantine = createQuarantine(platform);
  let keys = new Set<string>();
  /** What the remote last reported about the ledger itself. */
  let said: Pick<Listing, 'kind' | 'removed' | 'devices' | 'keyList'> = {};
  let archivesLeft = 0;
  let wasTold = false;
  /** The remote listed keys that weren't checked yet. */
  let hasNewKeys = false;
  /**
   * Whether all news was merged at any time since the remote listed everything on this connection.
   */
  let hasCaughtUp = false;
  /** Entries that a caller waits for. */
  const awaited = new Set<string>();
  /** Requests to check keys. */
  const checks = createRequests();

  async function takeIn(entry: MetaEntry): Promise<void> {
    const connection = session.connection();
    if (connection === undefined) return;
    try {
      await fetchEntry(session, connection, entry, load, (left) => {
        archivesLeft = left;
        changed();
      });
      quarantine.release(entry.cid);
    } catch (cause) {
      // The link reports itself why it closed; the entry waits for the next one.
      if (session.connection() !== connection) return;
      if (await isReadable(entry)) await holdUnlessCovered(entry, cause);
      else reject(entry.cid);
    } finally {
      archivesLeft = 0;
    }
    entries.delete(entry.cid);
    alone.delete(entry.cid);
    changed();
  }

  /** Returns whether something had to be fetched. */
  async function look(entry: MetaEntry): Promise<boolean> {
    const known = alone.has(entry.cid) ? undefined : await knownEntry(session, entry);
    if (known === undefined) {
      await takeIn(entry);
      return true;
    }
    entries.delete(entry.cid);
    behind.set(entry.cid, { ...known, entry });
    return false;
  }

  /** An entry that is malformed now stays so; objects that it names may still arrive. */
  async function isReadable(entry: MetaEntry): Promise<boolean> {
    try {
      await session.sealing().readEntry(entry);
      return true;
    } catch (cause) {
      return !isFixpointError(cause, 'CORRUPT');
    }
  }

  async function holdUnlessCovered(entry: MetaEntry, cause: unknown): Promise<void> {
    const isLost = isFixpointError(cause, 'MISSING_CARS') || isFixpointError(cause, 'CORRUPT');
    // Another device re-sent what its objects held.
    if (isLost && (await isCovered(session, entry))) quarantine.release(entry.cid);
    else quarantine.hold(entry, asFailure(cause));
  }

  /**
   * Processes the newest entry first: it mostly names what older ones hold too. Others may write
   * faster than this device fetches, so awaited entries take turns with new ones. New keys are
   * learned before the entries that they open.
   */
  async function takeInNews(): Promise<void> {
    for (let entry = newest(); entry !== undefined; entry = newest()) {
      if (hasNewKeys) return;
      await look(entry);
      if (awaited.size > 0) return lookAtAwaited();
    }
    hasCaughtUp = session.connection() !== undefined;
  }

  async function lookAtAwaited(): Promise<void> {
    for (const cid of awaited) {
      const entry = entries.get(cid);
      if (entry === undefined && !behind.has(cid)) awaited.delete(cid);
      if (entry !== undefined && (await look(entry))) return;
    }
  }

  async function lookBehind(connection: Connection): Promise<void> {
    const looked = await mergeKnown(session, connection, [...behind.values()]);
    if (session.connection() !== connection) return;
    for (const known of looked) {
      const { entry, group, head, isClaimed } = known;
      behind.delete(entry.cid);
      if (session.memory.hasMerged(group, head)) continue;
      if (isClaimed) behind.set(entry.cid, { ...known, isClaimed: false });
      else {
        alone.add(entry.cid);
        entries.set(entry.cid, entry);
      }
    }
  }

  async function job(): Promise<void> {
    if (session.connection() === undefined || !wasTold) return;
    for (;;) {
      const checked = checks.begin();
      if (await learnKeys()) quarantine.makeDue();
      checked();
      if (!session.isReady()) throw new FixpointError('DEVICE_NOT_APPROVED');
      await takeInNews();
      changed();
      const connection = session.connection();
      if (connection === undefined) break;
      const isLast = behind.size === 0 && entries.size === 0;
      if (behind.size > 0) await lookBehind(connection);
      for (const entry of quarantine.due()) await takeIn(entry);
      if (isLast) break;
    }
    if (session.connection() === undefined) return;
    const failure = quarantine.failure();
    if (failure !== undefined) throw failure;
  }

  const newest = () => (session.connection() === undefined ? undefined : [...entries.values()].at(-1));

  /** Returns whether more can be opened than before. */
  async function learnKeys(): Promise<boolean> {
    hasNewKeys = false;
    return session.settle({ ...said, keys: [...keys], metas: [...entries.values()] });
  }

  const runner = createRunner(platform, LOOK, job, changed);
  function retryAll(): void {
    quarantine.makeDue();
    runner.wake('now');
  }

  return {
    take: (listing) => {
      // The newest entries may be in the next listing.
      wasTold = !listing.more;
      if (listing.anew) hasCaughtUp = false;
      const areNewKeys = listing.keys.some((key) => !keys.has(key));
      const isWaiting = listing.metas.length === 0 && !areNewKeys && !session.isReady();
      hasNewKeys ||= areNewKeys;
      keys = new Set([...keys, ...listing.keys]);
      said = {
        ...listing,
        devices: listing.devices ?? said.devices,
        // The gateway sends the whole list, or nothing when the client already has it.
        keyList: listing.anew || listing.keys.length > 0 ? listing.keys : said.keyList,
      };
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
    waiting: () => entries.size + behind.size + quarantine.size() + Math.max(archivesLeft - 1, 0),
    failure: runner.failure,
    verdict: () => {
      if (wasTold && !session.isReady()) return runner.failure();
      return quarantine.triesMin() >= TRIES_PATIENCE ? quarantine.failure() : undefined;
    },
    keysChanged: retryAll,
    isDone: () => wasTold && session.isReady() && entries.size === 0 && behind.size === 0,
    pending: () => {
      if (!wasTold) return undefined;
      const waiting = [...entries.keys(), ...behind.keys(), ...quarantine.cids()];
      for (const cid of waiting) awaited.add(cid);
      const isUnchecked = checks.add();
      runner.wake('now');
      const isLeft = (cid: string) => entries.has(cid) || behind.has(cid) || quarantine.has(cid);
      return () => (isUnchecked() ? 'look' : waiting.some(isLeft) ? 'wait' : 'nothing');
    },
    settled: runner.settled,
    stop: runner.stop,
  };
}
