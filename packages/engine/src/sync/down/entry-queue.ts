/** Fetches and merges the entries that a remote has listed and this database hasn't merged. */
import { isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { asFailure } from '../failures.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { fetchEntry, type LoadDropped } from './fetch-entry.ts';
import { type Known, knownEntry, mergeKnown } from './known-entries.ts';
import { createQuarantine, type Quarantine } from './quarantine.ts';
import { isCovered } from './withheld-watch.ts';

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

  async function take(entry: MetaEntry): Promise<void> {
    const connection = session.connection();
    if (connection === undefined) return;
    try {
      await fetchEntry(session, connection, entry, load, (left) => {
        archivesLeft = left;
        changed();
      });
      quarantine.release(entry.cid);
    } catch (cause) {
      // The connection was lost. The link reports the reason, and the entry waits for the next
      // connection.
      if (session.connection() !== connection) return;
      if (!(await isReadable(session, entry))) reject(entry.cid);
      // The entry's objects are lost, but another device sent their content with another entry.
      else if (isLoss(cause) && (await isCovered(session, entry))) quarantine.release(entry.cid);
      else quarantine.hold(entry, asFailure(cause));
    } finally {
      archivesLeft = 0;
    }
    entries.delete(entry.cid);
    alone.delete(entry.cid);
    changed();
  }

  return {
    entries,
    behind,
    quarantine,
    take,
    look: async (entry) => {
      const known = alone.has(entry.cid) ? undefined : await knownEntry(session, entry);
      if (known === undefined) {
        await take(entry);
        return true;
      }
      entries.delete(entry.cid);
      behind.set(entry.cid, { ...known, entry });
      return false;
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
