/**
 * Merges small archive groups of a remote to keep headers short: the header of each archive that a
 * meta names lists all other groups that a reader needs. A merged archive contains every block of
 * its groups, and the remote keeps their objects. A reader or an upload that uses the old groups
 * therefore loses nothing (docs/decisions/0043). Merging runs concurrently with uploads, and the
 * next header names the result, so no document waits for a merge (0094).
 */

import { isFixpointError, LIMITS } from '@fixpoint/protocol';
import { readCar } from '../../archive/car.ts';
import { isHeader, packArchive } from '../../archive/pack.ts';
import { append } from '../../base/append.ts';
import type { Head } from '../../clock/event.ts';
import type { Block } from '../../codec/block.ts';
import type { Cid } from '../../codec/cid.ts';
import type { ArchiveGroup } from '../ledger/ledger-sealing.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { getObject, inParallel, putArchive } from '../transport/object-transfer.ts';
import { withRetries } from '../transport/transfer-retries.ts';

/**
 * Maximum number of parallel reads. More reads would slow down pending documents, which share
 * bandwidth and CPU. With a single read, a steady writer would add groups faster than they are
 * merged.
 */
const READERS_MAX = 2;
/**
 * Number of groups that are fetched before packing. Each group is at most half as large as the
 * threshold of an archive.
 */
const FETCHED_TOGETHER = 10;
/**
 * Maximum number of groups in one merged archive. An interrupted merge repeats at most this many.
 */
const MERGED_TOGETHER = 50;

export interface Merge {
  /** A head that the remote has. */
  readonly head: Head;
  /** The groups to merge, newest first. */
  readonly small: readonly ArchiveGroup[];
  readonly unread: Set<string>;
  readonly untold: Set<ArchiveGroup>;
  readonly untilSent: () => Promise<unknown>;
}

/**
 * Merges groups into archives and sends them. Records each archive as soon as the remote has it, so
 * that an interrupted merge keeps these archives.
 * @throws FixpointError GATEWAY_PUT, or when the link fails
 */
export async function mergeGroups(session: Session, connection: Connection, merge: Merge): Promise<void> {
  const { commits, memory, platform } = session;
  const { head, small, untold, untilSent } = merge;
  let inside: ArchiveGroup[] = [];
  let blocks = new Map<Cid, Block>();
  let files: Cid[] = [];
  let size = 0;

  async function close(): Promise<void> {
    const header = { cars: [], compact: inside, head };
    const archive = await packArchive(header, [session.sealing().mark([], files), ...blocks.values()]);
    memory.expect([archive.cid]);
    await untilSent();
    await withRetries(session, connection, () => putArchive(session, connection, archive));
    const now = platform.time.now();
    const rows = [
      ...memory.rowsOfGroups([[archive.cid]], 'live', now),
      ...memory.rowsOfReplaced(inside, now),
    ];
    await commits.markUploaded([], rows);
    memory.learned(rows);
    for (const group of inside) untold.add(group);
    inside = [];
    blocks = new Map();
    files = [];
    size = 0;
  }

  // Starts with the oldest groups, so that old groups are merged with each other.
  const waiting = [...small].reverse();
  while (waiting.length > 0) {
    const next = waiting.splice(0, FETCHED_TOGETHER);
    const fetched = await readGroups(session, connection, next, merge);
    for (const group of next) {
      const read = fetched.get(group);
      if (read === undefined) continue;
      for (const block of read.blocks) {
        if (!blocks.has(block.cid)) size += block.bytes.length;
        blocks.set(block.cid, block);
      }
      append(files, read.files);
      inside.push(group);
      if (size >= LIMITS.archiveBytesThreshold || inside.length >= MERGED_TOGETHER) await close();
    }
  }
  if (inside.length > 1) await close();
  await rememberGrown(session, small);
}

/** Remembers groups that turned out to be large, so that later merges don't fetch them again. */
async function rememberGrown({ commits, memory, platform }: Session, groups: readonly ArchiveGroup[]) {
  const grown = groups.filter((group) => !memory.isSmall(group));
  const rows = memory.rowsOfGroups(grown, 'live', platform.time.now());
  if (rows.length > 0) await commits.markUploaded([], rows);
  memory.learned(rows);
}

interface GroupContent {
  readonly blocks: readonly Block[];
  /** File archives that the marks name. */
  readonly files: readonly Cid[];
}

/**
 * Returns the content of groups that are still small; skips unreadable ones.
 * @throws FixpointError GATEWAY_GET, or when the link fails
 */
async function readGroups(
  session: Session,
  connection: Connection,
  groups: readonly ArchiveGroup[],
  { unread, untilSent }: Merge,
): Promise<ReadonlyMap<ArchiveGroup, GroupContent>> {
  const { memory } = session;
  const read = new Map<ArchiveGroup, GroupContent>();
  await inParallel(groups, READERS_MAX, async (group) => {
    await untilSent();
    try {
      const plain = await Promise.all(group.map((cid) => plainOf(session, connection, cid)));
      if (!memory.isSmall(group)) return;
      const files = plain.flatMap((bytes) => session.sealing().readMark(bytes));
      read.set(group, { blocks: plain.flatMap(contentOf), files });
    } catch (cause) {
      if (!isOfOneGroup(cause)) throw cause;
      unread.add(group.join());
    }
  });
  return read;
}

/** Returns whether the failure concerns one group and a retry wouldn't help. */
const isOfOneGroup = (cause: unknown): boolean =>
  isFixpointError(cause, 'MISSING_CARS') ||
  isFixpointError(cause, 'CORRUPT') ||
  isFixpointError(cause, 'KEY_UNKNOWN') ||
  isFixpointError(cause, 'FORMAT_NEWER');

/**
 * Returns the plain bytes of an archive: from this database if it has the archive, otherwise from
 * the remote.
 */
async function plainOf(session: Session, connection: Connection, cid: Cid): Promise<Uint8Array> {
  const { commits, memory } = session;
  const bytes = commits.hasArchive(cid)
    ? await commits.plainArchive(cid)
    : (await withRetries(session, connection, () => getObject(session, connection, 'car', cid))).bytes;
  memory.sized(cid, bytes.length);
  return bytes;
}

/**
 * Returns the blocks of an archive without its header and mark, which describe only the old
 * archive. The caller keeps the files that marks name.
 */
function contentOf(plain: Uint8Array): readonly Block[] {
  const all = readCar(plain).blocks.map(({ cid, offset, length }) => ({
    cid,
    bytes: plain.subarray(offset, offset + length),
  }));
  return all.filter(({ bytes }) => !isHeader(bytes) && !isMark(bytes));
}

const MARK_KEY = 'sealed';
/**
 * Returns whether a block is a mark: a map whose first key starts with `sealed`. No other block of
 * a database has such a key.
 */
const isMark = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xa1 || bytes[0] === 0xa2) &&
  String.fromCharCode(...bytes.subarray(2, 2 + MARK_KEY.length)) === MARK_KEY;
