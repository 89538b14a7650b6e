/** Fetches and merges the entries that a remote has listed and this database hasn't merged. */
import { isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { asFailure } from '../failures.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { fetchEntries, type LoadDropped } from './fetch-entry.ts';
import { type Known, knownEntry, mergeKnown } from './known-entries.ts';
import { createQuarantine, type Quarantine } from './quarantine.ts';
import { isCovered } from './withheld-watch.ts';

/** Maximum number of entries that are fetched together. */
const TOGETHER_MAX = 64;

export interface EntryQueue {
  /** Pending entries by CID, the newest last. */
  readonly entries: Map<string, MetaEntry>;
  /**
   * Entries by CID that most likely contain nothing new: this database seems to have their content.
   */
  readonly behind: ReadonlyMap<string, unknown>;
  readonly quarantine: Quarantine;
  /**
   * Fetches an entry and merges its head. If the fetch or merge fails, quarantines or rejects the
   * entry.
   */
  take(entry: MetaEntry): Promise<void>;
  /**
   * Fetches the pending entries that contain something new, and merges their heads in one step. If
   * that fails, the entries remain, and {@link look} processes them one by one.
   */
  takeTogether(): Promise<void>;
  /**
   * Fetches an entry, or moves it to {@link behind} if it most likely contains nothing new. Returns
   * whether the entry was fetched.
   */
  look(entry: MetaEntry): Promise<boolean>;
  /** Merges the next batch of the entries in {@link behind}. */
  lookBehind(connection: Connection): Promise<void>;
  /**
   * Returns the number of pending entries, plus the number of archives that the current fetch still
   * needs beyond the first.
   */
  waiting(): number;
}

/** Creates the queue of entries. @param reject receives the CID of an entry that nobody can read */
export function createEntryQueue(
  session: Session,
  load: LoadDropped,
  reject: (cid: string) => void,
  changed: () => void,
): EntryQueue {
  const entries = new Map<string, MetaEntry>();
  const behind = new Map<string, Known & { readonly entry: MetaEntry }>();
  /** CIDs of entries to process one by one, because processing them in a batch failed. */
  const alone = new Set<string>();
  const quarantine = createQuarantine(session.platform);
  let archivesLeft = 0;

  async function take(batch: readonly MetaEntry[]): Promise<void> {
    const connection = session.connection();
    if (connection === undefined) return;
    try {
      await fetchEntries(session, connection, batch, load, (left) => {
        archivesLeft = left;
        changed();
      });
      for (const { cid } of batch) quarantine.release(cid);
    } catch (cause) {
      // The connection was lost. The link reports the reason, and the entries wait for the next
      // connection.
      if (session.connection() !== connection) return;
      if (batch.length > 1) return batch.forEach(({ cid }) => void alone.add(cid));
      for (const entry of batch) await putAside(session, quarantine, reject, entry, cause);
    } finally {
      archivesLeft = 0;
    }
    for (const { cid } of batch) {
      entries.delete(cid);
      alone.delete(cid);
    }
    changed();
  }

  /** Moves an entry to `behind` if it most likely contains nothing new. Returns whether it did. */
  async function isBehind(entry: MetaEntry): Promise<boolean> {
    const known = alone.has(entry.cid) ? undefined : await knownEntry(session, entry);
    if (known === undefined) return false;
    entries.delete(entry.cid);
    behind.set(entry.cid, { ...known, entry });
    return true;
  }

  return {
    entries,
    behind,
    quarantine,
    take: (entry) => take([entry]),
    takeTogether: async () => {
      const batch: MetaEntry[] = [];
      for (const entry of [...entries.values()].slice(-TOGETHER_MAX))
        if (!alone.has(entry.cid) && !(await isBehind(entry))) batch.push(entry);
      if (batch.length > 0) await take(batch);
    },
    look: async (entry) => {
      if (await isBehind(entry)) return false;
      await take([entry]);
      return true;
    },
    lookBehind: async (connection) => {
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
    },
    waiting: () => entries.size + behind.size + quarantine.size() + Math.max(archivesLeft - 1, 0),
  };
}

/** Quarantines or rejects an entry that couldn't be merged, unless this device has its content. */
async function putAside(
  session: Session,
  quarantine: Quarantine,
  reject: (cid: string) => void,
  entry: MetaEntry,
  cause: unknown,
): Promise<void> {
  if (!(await isReadable(session, entry))) reject(entry.cid);
  // The entry's objects are lost, but another device sent their content with another entry.
  else if (isLoss(cause) && (await isCovered(session, entry))) quarantine.release(entry.cid);
  else quarantine.hold(entry, asFailure(cause));
}

const isLoss = (cause: unknown): boolean =>
  isFixpointError(cause, 'MISSING_CARS') || isFixpointError(cause, 'CORRUPT');

/**
 * Returns false if the entry is malformed, and so nobody can ever read it. Other failures may end:
 * for example, this device may still receive the key.
 */
async function isReadable(session: Session, entry: MetaEntry): Promise<boolean> {
  try {
    await session.sealing().readEntry(entry);
    return true;
  } catch (cause) {
    return !isFixpointError(cause, 'CORRUPT');
  }
}
