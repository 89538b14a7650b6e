/**
 * Handles entries whose heads this database most likely has. Each start of a device may leave such
 * an entry in the ledger, because an entry supersedes only older entries of the same connection.
 * They are processed after all other entries, because nobody waits for them, and in batches,
 * because a search of the history takes as long for one head as for many.
 */

import { isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { readArchiveHeader } from '../../archive/pack.ts';
import { append } from '../../base/append.ts';
import { sortHead } from '../../clock/event.ts';
import type { Cid } from '../../codec/cid.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import type { EntryContent } from '../ledger/ledger-sealing.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { createFetching } from './archive-fetches.ts';
import { isHere } from './withheld-watch.ts';

/** Number of entries in a batch. New entries are processed between batches. */
const FETCHED_TOGETHER = 100;

export type Known = EntryContent & { readonly isClaimed: boolean };

/**
 * Returns the content of an entry that needs no fetch: another entry brought its archives, the
 * archives were replaced, or this database has the claimed head. Returns undefined when the entry
 * must be fetched.
 */
export async function knownEntry(session: Session, entry: MetaEntry): Promise<Known | undefined> {
  const { memory } = session;
  let known: Known | undefined;
  await ifReadable(async () => {
    const content = await session.sealing().readEntry(entry);
    const { group, head } = content;
    session.listed.read(entry.cid, content);
    const isHeadHere = isHere(session, head);
    // In a sealed ledger, the archive also names files, so it must be read.
    const isClaimed = isHeadHere && session.sealing().kind === 'open-key';
    const isOld = isHeadHere || memory.knows(group) || memory.hasMerged(group, head);
    if (isOld) known = { ...content, isClaimed };
  });
  return known;
}

/**
 * Processes one batch of these entries, and merges their heads if possible. Returns the processed
 * entries, including those that couldn't be merged.
 */
export async function mergeKnown<T extends Known & { readonly entry: MetaEntry }>(
  session: Session,
  connection: Connection,
  entries: readonly T[],
): Promise<readonly T[]> {
  const { commits, memory, listed, platform } = session;
  const claimed = entries.filter(({ isClaimed }) => isClaimed);
  const looked = claimed.length > 0 ? claimed : entries.slice(0, FETCHED_TOGETHER);
  const unmerged = looked.filter(({ group, head }) => !memory.hasMerged(group, head));
  if (unmerged.length === 0) return looked;
  await ifReadable(async () => {
    const fetching = createFetching(session, connection, () => undefined);
    const headers = unmerged.flatMap(({ group, isClaimed }) => (isClaimed ? [] : group));
    await fetching.bring(headers, commits.hasArchive);
    const now = platform.time.now();
    const heads: Cid[] = [];
    const settled: Cid[] = [];
    const remember: StoreChange[] = [];
    for (const { entry, group, head, isClaimed } of unmerged)
      await ifReadable(async () => {
        if (isClaimed) {
          append(heads, head);
          append(remember, memory.rowsOfClaim(group, head));
          return;
        }
        const [first] = group;
        const plain = fetching.plain(first) ?? (await commits.plainArchive(first));
        const said = readArchiveHeader(plain).head;
        listed.read(entry.cid, { group, head: sortHead(said) });
        append(heads, said);
        append(remember, memory.rowsOfMerged(group, now));
        append(settled, group);
      });
    await session.sealing().merge({ head: sortHead(heads), archives: fetching.taken(), remember, settled });
    memory.learned(remember);
  });
  return looked;
}

async function ifReadable(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!isFixpointError(cause)) throw cause;
  }
}
