import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { type ArchiveHeader, readArchiveHeader } from '../../archive/pack.ts';
import { sortHead } from '../../clock/event.ts';
import type { Cid } from '../../codec/cid.ts';
import type { ArchiveGroup } from '../ledger/ledger-sealing.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { createFetching, type Fetching } from './archive-fetches.ts';
import type { mergeWithDropped } from './fetch-dropped.ts';

/** Loads the code that fetches blocks that compaction dropped here. */
export type LoadDropped = () => Promise<{ readonly mergeWithDropped: typeof mergeWithDropped }>;

/** The group of an entry, and the groups that the header of its first archive names. */
interface Named {
  readonly header: ArchiveHeader;
  readonly group: ArchiveGroup;
  /** Groups in the header that this device hasn't recorded. */
  readonly others: readonly ArchiveGroup[];
}

/**
 * Fetches those archives of a meta entry that are missing here, and merges the head of the entry.
 * @throws FixpointError MISSING_CARS, MISSING_BLOCK, CORRUPT, KEY_UNKNOWN, GATEWAY_GET; the head
 * isn't merged then
 */
export async function fetchEntry(
  session: Session,
  connection: Connection,
  entry: MetaEntry,
  load: LoadDropped,
  onProgress: (archivesLeft: number) => void,
): Promise<void> {
  const { commits, memory } = session;
  const content = await session.sealing().readEntry(entry);
  const { group, head } = content;
  session.listed.read(entry.cid, content);
  // A known group may still have an unmerged head, if another header named or replaced the group.
  if (memory.hasMerged(group, head)) return;
  const fetching = createFetching(session, connection, onProgress);
  await fetching.bring(group, commits.hasArchive);
  const failure = fetching.failure();
  if (failure !== undefined) throw failure;
  const named = fetching.plain(group[0]) ?? (await commits.plainArchive(group[0]));
  session.sealing().readMark(named);
  const header = readArchiveHeader(named);
  session.listed.read(entry.cid, { group, head: sortHead(header.head) });
  const others = header.cars.filter((cids) => cids.length > 0 && !memory.knows(cids));
  await fetching.bring(others.flat(), isHere(session));
  const missing = fetching.failure();
  if (missing !== undefined) {
    await fetching.store();
    throw missing;
  }
  await mergeOrDigDeeper(session, fetching, { header, group, others }, load);
}

const isHere =
  ({ commits, memory }: Session) =>
  (cid: Cid): boolean =>
    memory.holds(cid) || commits.hasArchive(cid);

/**
 * Merges the head. A branch from before a compaction may also need archives that the compaction
 * replaced, or blocks that this device dropped. These are fetched only when needed.
 */
async function mergeOrDigDeeper(
  session: Session,
  fetching: Fetching,
  named: Named,
  load: LoadDropped,
): Promise<void> {
  const { header } = named;
  const mergeAll = () => merge(session, fetching, named);
  for (;;) {
    try {
      return await mergeAll();
    } catch (cause) {
      if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
      const deeper = [
        ...header.compact,
        ...fetching.replaced(),
        ...session.memory.groupsIn('skipped'),
      ].flat();
      if (await fetching.bring(deeper, isHere(session))) continue;
      return (await load()).mergeWithDropped(session, fetching, header.cars, cause, mergeAll);
    }
  }
}

async function merge(
  session: Session,
  fetching: Fetching,
  { header: { head, compact }, group, others }: Named,
): Promise<void> {
  if (head.length === 0) throw new FixpointError('MISSING_HEAD');
  const { commits, memory, platform } = session;
  const now = platform.time.now();
  const replaced = [...compact, ...fetching.replaced()];
  const extra = fetching.extra([group, ...others]);
  const remember = [
    ...memory.rowsOfGroups(others, 'live', now),
    ...memory.rowsOfMerged(group, now),
    ...memory.rowsOfReplaced(replaced, now),
    ...memory.rowsOfSent(extra),
  ];
  const settled = [...group, ...others.flat(), ...extra];
  await commits.mergeRemote({ head: sortHead(head), archives: fetching.taken(), remember, settled });
  memory.learned(remember);
  await session.sealing().merged(sortHead(head));
}
