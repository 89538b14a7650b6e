/** Takes in what the remote has: the archives that a meta entry names, checked and stored, then its head, merged through the one door. */
import { FixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import type { BackOffPlan } from './back-off.ts';
import { asFailure } from './failures.ts';
import { fetchEntry } from './fetch-entry.ts';
import { type Known, knownEntry, mergeKnown } from './known-entries.ts';
import { createQuarantine } from './quarantine.ts';
import { createRunner } from './runner.ts';
import type { Session } from './session.ts';
import type { Connection, Listing } from './transport/connection.ts';

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
  /** How many archives, or entries whose archives are not known yet, wait. */
  waiting(): number;
  failure(): FixpointError | undefined;
  /** Why something will not come soon; undefined while there is hope. */
  verdict(): FixpointError | undefined;
  /** A key may be new. */
  keysChanged(): void;
  settled(): Promise<void>;
  stop(): void;
}

export function createDownloads(session: Session, changed: () => void): Downloads {
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
  let said: Pick<Listing, 'kind' | 'removed'> = {};
  let archivesLeft = 0;
  let wasTold = false;

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
      quarantine.hold(entry, asFailure(cause));
    } finally {
      archivesLeft = 0;
    }
    entries.delete(entry.cid);
    alone.delete(entry.cid);
  }

  /** The newest first: it mostly names what the older ones hold too. */
  async function takeInNews(): Promise<void> {
    for (let entry = newest(); entry !== undefined; entry = newest()) {
      const known = alone.has(entry.cid) ? undefined : await knownEntry(session, entry);
      if (known === undefined) {
        await takeIn(entry);
        continue;
      }
      entries.delete(entry.cid);
      behind.set(entry.cid, { ...known, entry });
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
    if (await learnKeys()) quarantine.makeDue();
    if (!session.isReady()) throw new FixpointError('DEVICE_NOT_APPROVED');
    for (;;) {
      await takeInNews();
      changed();
      const connection = session.connection();
      if (connection === undefined || behind.size === 0) break;
      await lookBehind(connection);
    }
    for (const entry of quarantine.due()) await takeIn(entry);
    if (session.connection() === undefined) return;
    const failure = quarantine.failure();
    if (failure !== undefined) throw failure;
  }

  const newest = () => (session.connection() === undefined ? undefined : [...entries.values()].at(-1));

  /** Gives whether more can be opened than before. */
  async function learnKeys(): Promise<boolean> {
    return session.settle({ ...said, keys: [...keys], metas: [...entries.values()] });
  }

  const runner = createRunner(platform, LOOK, job, changed);
  return {
    take: (listing) => {
      // What stands behind may be what is newest.
      wasTold = listing.more !== true;
      const isWaiting =
        listing.metas.length === 0 && listing.keys.every((key) => keys.has(key)) && !session.isReady();
      keys = new Set([...keys, ...listing.keys]);
      said = listing;
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
    },
    isCaughtUp: () => wasTold && session.isReady() && entries.size === 0,
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
    settled: runner.settled,
    stop: runner.stop,
  };
}
