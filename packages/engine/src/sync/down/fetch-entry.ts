import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { type ArchiveHeader, readArchiveHeader } from '../../archive/pack.ts';
import { sortHead } from '../../clock/event.ts';
import type { Cid } from '../../codec/cid.ts';
import type { ArchiveGroup, EntryContent } from '../ledger/ledger-sealing.ts';
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
 * Fetches those archives of meta entries that are missing here, and merges the heads of all entries
 * in one step. Each merge applies all operations since the common ancestor, so merging the heads of
 * many devices one by one would apply them many times.
 * @throws FixpointError MISSING_CARS, MISSING_BLOCK, CORRUPT, KEY_UNKNOWN, GATEWAY_GET; in that
 * case, no head is merged
 */
export async function fetchEntries(
  session: Session,
  connection: Connection,
  entries: readonly MetaEntry[],
  load: LoadDropped,
  onProgress: (archivesLeft: number) => void,
): Promise<void> {
  const { commits, memory } = session;
  const groups: { readonly cid: string; readonly group: EntryContent['group'] }[] = [];
  for (const entry of entries) {
    const content = await session.sealing().readEntry(entry);
    const { group, head } = content;
    session.listed.read(entry.cid, content);
    // A known group may still have an unmerged head, if another header named or replaced the group.
    if (!memory.hasMerged(group, head)) groups.push({ cid: entry.cid, group });
  }
  if (groups.length === 0) return;
  const fetching = createFetching(session, connection, onProgress);
  await fetching.bring(
    groups.flatMap(({ group }) => group),
    commits.hasArchive,
  );
  const failure = fetching.failure();
  if (failure !== undefined) throw failure;
  const named: Named[] = [];
  for (const { cid, group } of groups) {
    const plain = fetching.plain(group[0]) ?? (await commits.plainArchive(group[0]));
    session.sealing().readMark(plain);
    const header = readArchiveHeader(plain);
    session.listed.read(cid, { group, head: sortHead(header.head) });
    const others = header.cars.filter((cids) => cids.length > 0 && !memory.knows(cids));
    named.push({ header, group, others });
  }
  await fetching.bring(othersOf(named).flat(), isHere(session));
  const missing = fetching.failure();
  if (missing !== undefined) {
    await fetching.store();
    throw missing;
  }
  await mergeOrDigDeeper(session, fetching, named, load);
}

const othersOf = (named: readonly Named[]) => named.flatMap(({ others }) => others);
const compactOf = (named: readonly Named[]) => named.flatMap(({ header }) => header.compact);

const isHere =
  ({ commits, memory }: Session) =>
  (cid: Cid): boolean =>
    memory.holds(cid) || commits.hasArchive(cid);

/**
 * Merges the heads. A branch from before a compaction may also need archives that the compaction
 * replaced, or blocks that this device dropped. These are fetched only when needed.
 */
async function mergeOrDigDeeper(
  session: Session,
  fetching: Fetching,
  named: readonly Named[],
  load: LoadDropped,
): Promise<void> {
  const mergeAll = () => merge(session, fetching, named);
  for (;;) {
    try {
      return await mergeAll();
    } catch (cause) {
      if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
      const deeper = [
        ...compactOf(named),
        ...fetching.replaced(),
        ...session.memory.groupsIn('skipped'),
      ].flat();
      if (await fetching.bring(deeper, isHere(session))) continue;
      const cars = named.flatMap(({ header }) => header.cars);
      return (await load()).mergeWithDropped(session, fetching, cars, cause, mergeAll);
    }
  }
}

async function merge(session: Session, fetching: Fetching, named: readonly Named[]): Promise<void> {
  const heads = named.map(({ header }) => header.head);
  if (heads.some(({ length }) => length === 0)) throw new FixpointError('MISSING_HEAD');
  const head = sortHead(heads.flat());
  const { memory, platform } = session;
  const now = platform.time.now();
  const others = othersOf(named);
  const groups = named.map(({ group }) => group);
  const replaced = [...compactOf(named), ...fetching.replaced()];
  const extra = fetching.extra([...groups, ...others]);
  const remember = [
    ...memory.rowsOfGroups(others, 'live', now),
    ...groups.flatMap((group) => memory.rowsOfMerged(group, now)),
    ...memory.rowsOfReplaced(replaced, now),
    ...memory.rowsOfSent(extra),
  ];
  const settled = [...groups.flat(), ...others.flat(), ...extra];
  await session.sealing().merge({ head, archives: fetching.taken(), remember, settled });
  memory.learned(remember);
}
