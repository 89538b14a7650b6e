/** Fetches and merges the entries that a remote listed and that aren't merged yet. */
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
  /** Entries by CID, the newest last. */
  readonly entries: Map<string, MetaEntry>;
  /** Entries that most likely contain no news. */
  readonly behind: ReadonlyMap<string, unknown>;
  readonly quarantine: Quarantine;
  /** Fetches an entry and merges its head; quarantines or rejects it if that fails. */
  take(entry: MetaEntry): Promise<void>;
  /** Fetches an entry unless it most likely contains no news. Returns whether it was fetched. */
  look(entry: MetaEntry): Promise<boolean>;
  /** Merges entries that most likely contain no news, or some of them. */
  lookBehind(connection: Connection): Promise<void>;
  /** Returns the number of pending archives, or entries whose archives aren't known yet. */
  waiting(): number;
}

/** @param reject called with an entry that nobody can read */
export function createEntryQueue(
  session: Session,
  load: LoadDropped,
  reject: (cid: string) => void,
  changed: () => void,
): EntryQueue {
  const entries = new Map<string, MetaEntry>();
  const behind = new Map<string, Known & { readonly entry: MetaEntry }>();
  /** Entries to process alone, because processing them in a batch failed. */
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
      // The link itself reports why it closed; the entry waits for the next link.
      if (session.connection() !== connection) return;
      if (!(await isReadable(session, entry))) reject(entry.cid);
      // Another device may have sent the content of its objects again.
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
 * Returns whether an entry can be read. A malformed entry stays malformed, while objects that it
 * names may still arrive.
 */
async function isReadable(session: Session, entry: MetaEntry): Promise<boolean> {
  try {
    await session.sealing().readEntry(entry);
    return true;
  } catch (cause) {
    return !isFixpointError(cause, 'CORRUPT');
  }
}
