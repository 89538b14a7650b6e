import { isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { readArchiveHeader } from '../archive/pack.ts';
import { sortHead } from '../clock/event.ts';
import type { Cid } from '../codec/cid.ts';
import { createFetching } from './fetching.ts';
import type { ArchiveGroup } from './remote-memory.ts';
import type { Session } from './session.ts';
import type { Connection } from './transport/connection.ts';

/**
 * Entries whose archives came along with another one, or are said to be replaced. All their heads are merged at once, since to look for one in the history takes as long
 * as for all. What that fails for is left as it is, to be taken in by itself.
 */
export async function mergeKnown(
  session: Session,
  connection: Connection,
  entries: readonly MetaEntry[],
): Promise<void> {
  const { commits, memory, platform } = session;
  const known: (readonly [Cid, ...Cid[]])[] = [];
  for (const entry of entries)
    await ifReadable(async () => {
      const group = await session.sealing().readEntry(entry);
      if (memory.knows(group) && !memory.hasMerged(group)) known.push(group);
    });
  if (known.length === 0) return;
  await ifReadable(async () => {
    const fetching = createFetching(session, connection, () => undefined);
    await fetching.bring(known.flat(), commits.hasArchive);
    const groups: ArchiveGroup[] = [];
    const head: Cid[] = [];
    for (const group of known)
      await ifReadable(async () => {
        const [first] = group;
        head.push(...readArchiveHeader(fetching.plain(first) ?? (await commits.plainArchive(first))).head);
        groups.push(group);
      });
    const now = platform.time.now();
    const remember = groups.flatMap((group) => memory.rowsOfMerged(group, now));
    const archives = fetching.taken();
    await commits.mergeRemote({ head: sortHead(head), archives, remember, settled: groups.flat() });
    memory.learned(remember);
  });
}

async function ifReadable(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!isFixpointError(cause)) throw cause;
  }
}
