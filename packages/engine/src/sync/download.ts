/** Takes in what the remote has: the archives that a meta entry names, checked and stored, then its head, merged through the one door. */
import { type FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry, Metas } from '@fixpoint/protocol/storage';
import { parseKeyText } from '../crypto/keys.ts';
import type { BackOffPlan } from './back-off.ts';
import { asFailure } from './failures.ts';
import { fetchEntry } from './fetch-entry.ts';
import { createQuarantine } from './quarantine.ts';
import { createRunner } from './runner.ts';
import type { Session } from './session.ts';

/** How often to look whether an entry in quarantine is due. */
const LOOK: BackOffPlan = { firstMs: 250, mostMs: 2000, patientAfter: 150, patientMostMs: 5000 };
/** An entry that failed so often is not only late. */
const TRIES_PATIENCE = 3;

export interface Downloads {
  /** Metas that the remote told of. */
  take(metas: Metas): void;
  /** The link is open: all that waits is to be tried. */
  linkOpened(): void;
  linkLost(): void;
  /** Whether all that the remote told of since the link opened was taken in, or is in quarantine. */
  isCaughtUp(): boolean;
  /** How many archives, or entries whose archives are not known yet, wait. */
  waiting(): number;
  failure(): FixpointError | undefined;
  /** Why something will not come soon; undefined while there is hope. */
  verdict(): FixpointError | undefined;
  settled(): Promise<void>;
  stop(): void;
}

export function createDownloads(session: Session, changed: () => void): Downloads {
  const { commits, platform } = session;
  /** Entries by CID, the newest last. */
  const entries = new Map<string, MetaEntry>();
  const quarantine = createQuarantine(platform);
  let keys = new Set<string>();
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
  }

  async function job(): Promise<void> {
    if (session.connection() === undefined) return;
    if (await learnKeys()) quarantine.makeDue();
    // The newest first: it mostly names what the older ones hold too.
    for (let entry = newest(); entry !== undefined; entry = newest()) await takeIn(entry);
    for (const entry of quarantine.due()) await takeIn(entry);
    if (session.connection() === undefined) return;
    const failure = quarantine.failure();
    if (failure !== undefined) throw failure;
  }

  const newest = () => (session.connection() === undefined ? undefined : [...entries.values()].at(-1));

  /** Keys of other members come with the metas. One that is none is left out: it can open nothing. */
  async function learnKeys(): Promise<boolean> {
    const known = commits.keys.keys().all;
    const texts = keys;
    const parsed = [...texts].flatMap((text) => {
      try {
        return [parseKeyText(text)];
      } catch (cause) {
        if (isFixpointError(cause)) return [];
        throw cause;
      }
    });
    const isNews = parsed.some(({ id }) => !known.has(id));
    if (isNews) await commits.keys.learn(parsed);
    keys = new Set([...keys].filter((text) => !texts.has(text)));
    return isNews;
  }

  const runner = createRunner(platform, LOOK, job, changed);
  return {
    take: (metas) => {
      wasTold = true;
      keys = new Set([...keys, ...metas.keys]);
      for (const entry of metas.metas) {
        entries.delete(entry.cid);
        entries.set(entry.cid, entry);
      }
      runner.wake('now');
    },
    linkOpened: () => {
      quarantine.makeDue();
      runner.wake('now');
    },
    linkLost: () => {
      wasTold = false;
    },
    isCaughtUp: () => wasTold && entries.size === 0,
    waiting: () => entries.size + quarantine.size() + Math.max(archivesLeft - 1, 0),
    failure: runner.failure,
    verdict: () => (quarantine.triesMin() >= TRIES_PATIENCE ? quarantine.failure() : undefined),
    settled: runner.settled,
    stop: runner.stop,
  };
}
