/**
 * Reports the content of a ledger. Opens a separate connection, which receives all entries, and
 * adds what this device remembers about their archives.
 */
import { isFixpointError } from '@fixpoint/protocol';
import type { AnswerOf, MetaEntry, WithheldEntry } from '@fixpoint/protocol/storage';
import { readArchiveHeader } from '../../archive/pack.ts';
import { createPace } from '../../base/pace.ts';
import { mergeHeads } from '../../clock/advance.ts';
import { eventsSince } from '../../clock/changes-since.ts';
import { type Head, type ReadEvent, sortHead } from '../../clock/event.ts';
import { GENESIS_EVENT } from '../../clock/genesis.ts';
import type { Cid } from '../../codec/cid.ts';
import type { ArchiveGroup } from '../ledger/ledger-sealing.ts';
import type { RemoteMemory } from '../ledger/remote-memory.ts';
import type { LedgerHoldings } from '../remote.ts';
import type { Waits } from '../sync-progress.ts';
import type { Session } from '../sync-session.ts';
import type { Connect, Connection } from '../transport/connection.ts';
import { newId } from '../transport/message-codec.ts';
import { ledgerFields } from '../transport/object-transfer.ts';
import { createFetching } from './archive-fetches.ts';

/**
 * Maximum number of archives to fetch for their heads. Entries of existing clients don't include
 * heads.
 */
const FETCHED_MAX = 20;
const SLICE_MS = 10;

/**
 * Reports the content of a ledger.
 * @throws FixpointError when the connection fails; MISSING_BLOCK, CORRUPT when the history of this
 * device can't be read
 */
export async function heldAt(
  session: Session,
  connect: Connect,
  { readable }: Pick<Waits, 'readable'>,
): Promise<LedgerHoldings> {
  await readable();
  const { commits, memory } = session;
  const { listed, withheld } = await listedNow(session, connect);
  const notListed = withheld.flatMap(({ entry }) => entry ?? []);
  const { heads, groups, unread } = await readEntries(session, listed);
  const lost = await readEntries(session, notListed, 'as told');
  const isHere = (event: Cid) => commits.archiveOf(event) !== undefined;
  const known = sortHead(heads.flat().filter(isHere));
  const missing = sortHead([...heads, ...lost.heads].flat().filter((event) => !isHere(event)));
  await commits.settle();
  const { head: own } = commits.snapshot();
  const read = pacedReader(session);
  const isEqual = own.length > 0 && own.every((event) => known.includes(event));
  const there = isEqual ? own : await mergeHeads(known, sortHead([]), read);
  const isTold = missing.length === 0 && unread === 0;
  const unsent = isEqual ? 0 : isTold ? await countSince(own, there, read) : undefined;
  const archives = new Map<Cid, ArchiveGroup>();
  for (const group of [...groups, ...memory.groups()])
    for (const cid of group) if (!archives.has(cid)) archives.set(cid, group);
  const replaced = new Set(memory.groupsIn('replaced').concat(memory.groupsIn('skipped')).flat());
  const sizes = sizesOf(session, archives);
  return {
    entries: listed.length,
    unread,
    head: sortHead([...there, ...missing]),
    missing,
    unsent,
    absent: new Set(withheld.flatMap(({ objects = [] }) => objects)).size,
    archives: archives.size,
    ...sizes,
    replaced: [...replaced].filter((cid) => !archives.has(cid)).length,
    knownSince: earliest(memory),
  };
}

/** Lists all entries, as for a new client. */
export async function listedNow(
  { platform, target }: Pick<Session, 'platform' | 'target'>,
  connect: Connect,
): Promise<{ readonly listed: readonly MetaEntry[]; readonly withheld: readonly WithheldEntry[] }> {
  const entries = new Map<string, MetaEntry>();
  let withheld: readonly WithheldEntry[] = [];
  let opened: Connection | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const metas = ({ meta, more, ...event }: AnswerOf<'eventGetMeta'>) => {
        withheld = event.withheld ?? withheld;
        for (const entry of meta.metas) entries.set(entry.cid, entry);
        if (more !== true) resolve();
      };
      const bind = async () => {
        opened = await connect({ reqId: newId(platform.random) }, { metas, closed: reject });
        await opened.bind({ ...ledgerFields(target, 'meta', 'GET', 'main'), cursor: 0 });
      };
      bind().catch(reject);
    });
  } finally {
    opened?.close();
  }
  return { listed: [...entries.values()], withheld };
}

interface ReadEntries {
  readonly heads: readonly Head[];
  readonly groups: readonly ArchiveGroup[];
  readonly unread: number;
}

/** @param how with `as told`, doesn't fetch archives to find heads that entries omit */
async function readEntries(
  session: Session,
  listed: readonly MetaEntry[],
  how?: 'as told',
): Promise<ReadEntries> {
  const heads: Head[] = [];
  const groups: ArchiveGroup[] = [];
  const silent: Cid[] = [];
  let unread = 0;
  for (const entry of listed)
    try {
      const { group, head } = await session.sealing().readEntry(entry);
      groups.push(group);
      if (head.length > 0) heads.push(head);
      else silent.push(group[0]);
    } catch (cause) {
      if (!isFixpointError(cause)) throw cause;
      unread += 1;
    }
  const said = how === undefined ? await headsIn(session, silent) : [];
  return { heads: [...heads, ...said], groups, unread: unread + silent.length - said.length };
}

/**
 * Returns the heads in these archives. If this device lacks many of them, fetches only the newest.
 */
export async function headsIn(session: Session, archives: readonly Cid[]): Promise<readonly Head[]> {
  const { commits } = session;
  const absent = archives.filter((cid) => !commits.hasArchive(cid)).slice(-FETCHED_MAX);
  const connection = session.connection();
  const fetching = connection && createFetching(session, connection, () => undefined);
  await fetching?.bring(absent, () => false);
  const found: Head[] = [];
  for (const cid of archives)
    try {
      const bytes = fetching?.plain(cid) ?? (await commits.plainArchive(cid));
      found.push(sortHead(readArchiveHeader(bytes).head));
    } catch (cause) {
      if (!isFixpointError(cause)) throw cause;
    }
  return found;
}

function sizesOf({ memory }: Session, archives: ReadonlyMap<Cid, ArchiveGroup>) {
  let bytes = 0;
  let unsized = 0;
  for (const group of new Set(archives.values())) {
    const length = memory.bytesOf(group);
    if (length === undefined) unsized += group.length;
    else bytes += length;
  }
  return { bytes, unsized };
}

/** Returns when this device first learned of a group. */
function earliest(memory: RemoteMemory): number | undefined {
  const times = memory.allGroups().map(({ at }) => at);
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
}

async function countSince(head: Head, since: Head, read: ReadEvent): Promise<number> {
  const events = await eventsSince(head, since, read);
  return events.filter((event) => event !== GENESIS_EVENT).length;
}

function pacedReader({ commits, platform }: Session): ReadEvent {
  const pace = createPace(platform.time, SLICE_MS);
  return async (cid) => {
    if (pace.isDue()) await pace.rest();
    return commits.readers.event(cid);
  };
}
