/** Takes in what the remote has: the archives that a meta entry names, checked and stored, then its head, merged through the one door. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import type { BackOffPlan } from './back-off.ts';
import { asFailure } from './failures.ts';
import { fetchEntry } from './fetch-entry.ts';
import { type Known, knownEntry, mergeKnown } from './known-entries.ts';
import { createQuarantine } from './quarantine.ts';
import { createRunner } from './runner.ts';
import type { Session } from './session.ts';
import type { Connection, Listing } from './transport/connection.ts';
import { isCovered } from './withheld.ts';

/** How often to look whether an entry in quarantine is due. */
const LOOK: BackOffPlan = { firstMs: 250, mostMs: 2000, patientAfter: 150, patientMostMs: 5000 };
/** An entry that failed so often is not only late. */
const TRIES_PATIENCE = 3;

export interface Downloads {
  /** Metas that the remote told of. */
  take(listing: Listing): void;
  /** The link is open: all that waits is to be tried. */
  linkOpened(): void;
  linkLost(): void;
  /** Whether all news that the remote told of since the link opened was taken in, or is in quarantine. What waits besides says most likely nothing new. */
  isCaughtUp(): boolean;
  /** Whether that was so at some time since the link opened. */
  wasCaughtUp(): boolean;
  /** How many archives, or entries whose archives are not known yet, wait. */
  waiting(): number;
  failure(): FixpointError | undefined;
  /** Why something will not come soon; undefined while there is hope. */
  verdict(): FixpointError | undefined;
  /** A key may be new. */
  keysChanged(): void;
  /** Whether the listing is whole, and nothing of it waits but what is in quarantine. */
  isDone(): boolean;
  /** Has everything looked at that waits now. Returns what of it is left to do; undefined while the remote is listing. */
  pending(): (() => 'look' | 'wait' | 'nothing') | undefined;
  settled(): Promise<void>;
  stop(): void;
}

/** @param reject is told of an entry that nobody can read */
export function createDownloads(
  session: Session,
  reject: (cid: string) => void,
  changed: () => void,
): Downloads {
  const { platform } = session;
  /** Entries by CID, the newest last. */
  const entries = new Map<string, MetaEntry>();
  /** Those that most likely say nothing new. */
  const behind = new Map<string, Known & { readonly entry: MetaEntry }>();
  /** Those with which looking at many together failed. */
  const alone = new Set<string>();
  const quarantine = createQuarantine(platform);
  let keys = new Set<string>();
  /** What the remote said last of the ledger itself. */
  let said: Pick<Listing, 'kind' | 'removed' | 'devices' | 'keyList'> = {};
  let archivesLeft = 0;
  let wasTold = false;
  /** The remote told of keys that weren't looked at yet. */
  let hasNewKeys = false;
  /** Whether all news was taken in at some time since the remote listed everything to this connection. */
  let hasCaughtUp = false;
  /** Entries that somebody waits for. */
  const awaited = new Set<string>();
  /** Looks at the keys that somebody waits for, and those that were taken. */
  let [looksAsked, looks] = [0, 0];

  async function takeIn(entry: MetaEntry): Promise<void> {
    const connection = session.connection();
    if (connection === undefined) return;
    try {
      await fetchEntry(session, connection, entry, (left) => {
        archivesLeft = left;
        changed();
      });
      quarantine.release(entry.cid);
    } catch (cause) {
      // The link says itself why it ended; the entry waits for the next one.
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

  /** An entry that says nothing here now never will; what it names may come yet. */
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
    // Somebody else sent again what its objects held.
    if (isLost && (await isCovered(session, entry))) quarantine.release(entry.cid);
    else quarantine.hold(entry, asFailure(cause));
  }

  /**
   * The newest first: it mostly names what the older ones hold too. Others may write faster than this device fetches, so what somebody waits for takes turns with
   * it, and new keys are learned before the entries that they open.
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
      const asked = looksAsked;
      if (await learnKeys()) quarantine.makeDue();
      looks = asked;
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

  /** Gives whether more can be opened than before. */
  async function learnKeys(): Promise<boolean> {
    hasNewKeys = false;
    return session.settle({ ...said, keys: [...keys], metas: [...entries.values()] });
  }

  const runner = createRunner(platform, LOOK, job, changed);
  return {
    take: (listing) => {
      // What stands behind may be what is newest.
      wasTold = !listing.more;
      if (listing.anew) hasCaughtUp = false;
      const areNewKeys = listing.keys.some((key) => !keys.has(key));
      const isWaiting = listing.metas.length === 0 && !areNewKeys && !session.isReady();
      hasNewKeys ||= areNewKeys;
      keys = new Set([...keys, ...listing.keys]);
      said = {
        ...listing,
        devices: listing.devices ?? said.devices,
        // The gateway sends the list whole, or not at all to those who have it.
        keyList: listing.anew || listing.keys.length > 0 ? listing.keys : said.keyList,
      };
      for (const entry of listing.metas) {
        entries.delete(entry.cid);
        entries.set(entry.cid, entry);
      }
      runner.wake(isWaiting ? undefined : 'now');
    },
    linkOpened: () => {
      quarantine.makeDue();
      runner.wake('now');
    },
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
    keysChanged: () => {
      quarantine.makeDue();
      runner.wake('now');
    },
    isDone: () => wasTold && session.isReady() && entries.size === 0 && behind.size === 0,
    pending: () => {
      if (!wasTold) return undefined;
      const waiting = [...entries.keys(), ...behind.keys(), ...quarantine.cids()];
      for (const cid of waiting) awaited.add(cid);
      looksAsked += 1;
      const mine = looksAsked;
      runner.wake('now');
      const isLeft = (cid: string) => entries.has(cid) || behind.has(cid) || quarantine.has(cid);
      return () => (looks < mine ? 'look' : waiting.some(isLeft) ? 'wait' : 'nothing');
    },
    settled: runner.settled,
    stop: runner.stop,
  };
}
