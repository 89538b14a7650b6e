/**
 * Merges small archive groups of a remote, so that headers stay short however often somebody uploads: each archive that a meta names lists all groups a
 * reader needs besides it. Every block of the groups goes into what replaces them, and the replaced objects stay: a reader or an upload that knows only
 * them loses nothing (docs/decisions/0043).
 */
import { isFixpointError, LIMITS } from '@fixpoint/protocol';
import { readCar } from '../archive/car.ts';
import { packArchive } from '../archive/pack.ts';
import type { Head } from '../clock/event.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { DOWNLOADS_PARALLEL_MAX, getObject, inParallel, putArchive, putMeta } from './objects.ts';
import { withoutHeaders } from './pack-upload.ts';
import type { ArchiveGroup } from './remote-memory.ts';
import { withRetries } from './retries.ts';
import type { Session } from './session.ts';
import type { Connection } from './transport/connection.ts';

/** Groups that are fetched before what they hold is packed: at most half the threshold each. */
const FETCHED_TOGETHER = 10;

/** Groups that could not be read, by their archives; they stay listed as they are. */
export type UnreadGroups = Set<string>;

/**
 * To be called when the remote has all that the head needs. Does nothing while headers are short.
 * @throws FixpointError GATEWAY_PUT, or when the link fails; what the remote lists is as before then
 */
export async function mergeGroups(
  session: Session,
  connection: Connection,
  head: Head,
  unread: UnreadGroups,
): Promise<void> {
  const { commits, memory, platform } = session;
  const small = memory.smallGroups().filter((group) => !unread.has(group.join()));
  if (small.length <= LIMITS.archiveGroupsMax) return;
  const { made, replaced } = await packGroups(session, connection, head, small, unread);
  const now = platform.time.now();
  const grown = memory.rowsOfGroups(
    small.filter((group) => !memory.isSmall(group)),
    'live',
    now,
  );
  if (grown.length > 0) await commits.markUploaded([], grown);
  memory.learned(grown);
  if (replaced.length === 0) return;
  const gone = new Set(replaced.map((group) => group.join()));
  const cars = [...made, ...memory.groupsIn('live').filter((group) => !gone.has(group.join()))];
  const last = await packArchive({ cars, compact: replaced, head }, [session.sealing().mark(cars)]);
  memory.expect([last.cid]);
  await withRetries(session, connection, () => putArchive(session, connection, last));
  await putMeta(session, connection, last.cid, head);
  session.sealing().told();
  const rows = [
    ...memory.rowsOfGroups(made, 'live', now),
    ...memory.rowsOfGroups([[last.cid]], 'live', now + 1),
    ...memory.rowsOfReplaced(replaced, now),
    ...memory.rowsOfSeen(head),
  ];
  await commits.markUploaded([], rows);
  memory.learned(rows);
}

interface Packed {
  readonly made: readonly ArchiveGroup[];
  readonly replaced: readonly ArchiveGroup[];
}

/** Sends archives with all blocks of the groups. */
async function packGroups(
  session: Session,
  connection: Connection,
  head: Head,
  groups: readonly ArchiveGroup[],
  unread: UnreadGroups,
): Promise<Packed> {
  const made: ArchiveGroup[] = [];
  const replaced: ArchiveGroup[] = [];
  let inside: ArchiveGroup[] = [];
  let blocks = new Map<Cid, Block>();
  let size = 0;

  async function close(): Promise<void> {
    const header = { cars: [], compact: inside, head };
    const archive = await packArchive(header, [session.sealing().mark([]), ...blocks.values()]);
    session.memory.expect([archive.cid]);
    await withRetries(session, connection, () => putArchive(session, connection, archive));
    made.unshift([archive.cid]);
    replaced.push(...inside);
    inside = [];
    blocks = new Map();
    size = 0;
  }

  // What is old goes together, and newest archives come first in a header.
  const waiting = [...groups].reverse();
  while (waiting.length > 0) {
    const next = waiting.splice(0, FETCHED_TOGETHER);
    const fetched = await readGroups(session, connection, next, unread);
    for (const group of next) {
      const read = fetched.get(group);
      if (read === undefined) continue;
      for (const block of read) {
        if (!blocks.has(block.cid)) size += block.bytes.length;
        blocks.set(block.cid, block);
      }
      inside.push(group);
      if (size >= LIMITS.archiveBytesThreshold) await close();
    }
  }
  if (inside.length > 1) await close();
  return { made, replaced };
}

/** The blocks of the groups that are still small; of those that can't be read nothing. @throws FixpointError when the link fails */
async function readGroups(
  session: Session,
  connection: Connection,
  groups: readonly ArchiveGroup[],
  unread: UnreadGroups,
): Promise<ReadonlyMap<ArchiveGroup, readonly Block[]>> {
  const { memory } = session;
  const read = new Map<ArchiveGroup, readonly Block[]>();
  await inParallel(groups, DOWNLOADS_PARALLEL_MAX, async (group) => {
    try {
      const plain = await Promise.all(group.map((cid) => plainOf(session, connection, cid)));
      if (memory.isSmall(group)) read.set(group, plain.flatMap(contentOf));
    } catch (cause) {
      if (!isFixpointError(cause) || session.connection() !== connection) throw cause;
      unread.add(group.join());
    }
  });
  return read;
}

/** From here, when it came from the remote and is still as it came. */
async function plainOf(session: Session, connection: Connection, cid: Cid): Promise<Uint8Array> {
  const { commits, memory } = session;
  const bytes = commits.hasArchive(cid)
    ? await commits.plainArchive(cid)
    : (await getObject(session, connection, 'car', cid)).bytes;
  memory.sized(cid, bytes.length);
  return bytes;
}

/** Neither headers nor marks: they spoke of the archive they stood in. */
function contentOf(plain: Uint8Array): readonly Block[] {
  const all = readCar(plain).blocks.map(({ cid, offset, length }) => ({
    cid,
    bytes: plain.subarray(offset, offset + length),
  }));
  return withoutHeaders(all).filter(({ bytes }) => !isMark(bytes));
}

const MARK_KEY = 'sealed';
/** A mark is a map whose first key begins so: no other block of a database does. */
const isMark = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xa1 || bytes[0] === 0xa2) &&
  String.fromCharCode(...bytes.subarray(2, 2 + MARK_KEY.length)) === MARK_KEY;
