/**
 * Handles entries that the remote has but doesn't list. If objects are missing or damaged, this
 * device uploads again the objects that it has, and waits for other devices to upload the rest. An
 * entry that nobody can read is reported once and doesn't block other entries.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry, WithheldEntry } from '@fixpoint/protocol/storage';
import type { Head } from '../../clock/event.ts';
import type { BackOffPlan } from '../back-off.ts';
import { createRunner } from '../job-runner.ts';
import type { Session } from '../sync-session.ts';
import type { Listing } from '../transport/connection.ts';

/** How often to check again: another device that has the objects may be about to send them. */
const LOOK: BackOffPlan = { firstMs: 500, mostMs: 4000, patientAfter: 50, patientMostMs: 60_000 };
const PATIENCE_MS = 10_000;

export interface Withheld {
  take(listing: Listing): void;
  /** Records a listed entry that can't be read. */
  reject(cid: string): void;
  /** Forgets entries that were removed from the remote. */
  forget(cids: readonly string[]): void;
  /** Returns the number of entries that nobody can read. */
  rejected(): number;
  /**
   * Returns the number of entries whose objects are missing and whose head this database doesn't
   * have.
   */
  waiting(): number;
  failure(): FixpointError | undefined;
  /** Returns why missing objects won't arrive soon; undefined while they may still arrive. */
  verdict(): FixpointError | undefined;
  wake(): void;
  settled(): Promise<void>;
  stop(): void;
}

/** @param changed called after each run */
export function createWithheld(session: Session, changed: () => void): Withheld {
  const { platform } = session;
  let listed: readonly WithheldEntry[] = [];
  /** When entries began to wait for missing objects; undefined when none waits. */
  let waitsSince: number | undefined;
  let waiting = 0;
  /** Unreadable entries that the remote reports. `unreadable` has those that this device found. */
  const rejected = new Set<string>();
  const unreadable = new Set<string>();
  const reported = new Set<string>();

  async function job(): Promise<void> {
    if (session.connection() === undefined || !session.isReady()) return;
    const absent = listed.filter(({ why }) => why !== 'malformed');
    await session.heal(absent.flatMap(({ objects = [] }) => objects));
    let count = 0;
    for (const { entry } of absent) if (entry !== undefined && !(await isCovered(session, entry))) count += 1;
    waiting = count;
    waitsSince = count === 0 ? undefined : (waitsSince ?? platform.time.now());
    if (count > 0) throw new FixpointError('MISSING_CARS', `of ${count} entries`);
  }

  const runner = createRunner(platform, LOOK, job, changed);

  function report(cid: string, author?: string): void {
    if (reported.has(cid)) return;
    reported.add(cid);
    const by = author === undefined ? '' : ` of account ${author}`;
    platform.report(new FixpointError('CORRUPT', `meta entry ${cid || '(no CID)'}${by}`));
  }

  return {
    take: ({ withheld }) => {
      if (withheld === undefined) return;
      listed = withheld;
      rejected.clear();
      for (const { cid, why, author } of withheld) {
        if (why !== 'malformed') continue;
        rejected.add(cid);
        report(cid, author);
      }
      const isAbsent = withheld.some(({ why }) => why !== 'malformed');
      if (!isAbsent && waiting === 0 && runner.failure() === undefined) return;
      // Counts one entry as waiting until the job has counted the entries.
      if (isAbsent && waiting === 0) waiting = 1;
      runner.wake('now');
    },
    reject: (cid) => {
      unreadable.add(cid);
      report(cid);
    },
    forget: (cids) => {
      for (const cid of cids) unreadable.delete(cid);
      changed();
    },
    rejected: () => new Set([...rejected, ...unreadable]).size,
    waiting: () => waiting,
    failure: runner.failure,
    verdict: () => {
      const isLong = waitsSince !== undefined && platform.time.now() - waitsSince > PATIENCE_MS;
      return isLong ? runner.failure() : undefined;
    },
    wake: () => {
      if (waiting > 0) runner.wake('now');
    },
    settled: runner.settled,
    stop: runner.stop,
  };
}

/** Returns whether this database already has the head of an entry. */
export async function isCovered(session: Session, entry: MetaEntry): Promise<boolean> {
  try {
    const { group, head } = await session.sealing().readEntry(entry);
    return isHere(session, head) || session.memory.hasMerged(group, head);
  } catch (cause) {
    if (isFixpointError(cause)) return false;
    throw cause;
  }
}

/**
 * Returns whether this database has all events of a head. Returns false for an empty head, as of an
 * entry that omits its head.
 */
export const isHere = ({ commits }: Session, head: Head): boolean =>
  head.length > 0 && head.every((event) => commits.archiveOf(event) !== undefined);
