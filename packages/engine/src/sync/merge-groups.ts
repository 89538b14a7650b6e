/**
 * Merges small archive groups of a remote, so that headers stay short however often somebody uploads: each archive that a meta names lists all groups a
 * reader needs besides it. Every block of the groups goes into what replaces them, and the replaced objects stay: a reader or an upload that knows only
 * them loses nothing (docs/decisions/0043). It goes on beside uploads, and the next header names what it made: no document waits for it (0094).
 */
import { isFixpointError, LIMITS } from '@fixpoint/protocol';
import { readCar } from '../archive/car.ts';
import { packArchive } from '../archive/pack.ts';
import type { Head } from '../clock/event.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import type { BackOffPlan } from './back-off.ts';
import { getObject, inParallel, putArchive } from './objects.ts';
import { withoutHeaders } from './pack-upload.ts';
import type { ArchiveGroup } from './remote-memory.ts';
import { withRetries } from './retries.ts';
import { createRunner } from './runner.ts';
import type { Session } from './session.ts';
import type { Connection } from './transport/connection.ts';

/** Nobody waits for it. */
const RETRY: BackOffPlan = { firstMs: 2000, mostMs: 60_000, patientAfter: 100, patientMostMs: 600_000 };
/** Documents on their way share line and processor with it. More than one for each upload, or a steady writer would outrun it. */
const READERS_MAX = 2;
/** Groups that are fetched before what they hold is packed: at most half the threshold each. */
const FETCHED_TOGETHER = 10;
/** What is interrupted goes on after these. */
const MERGED_TOGETHER = 50;

export interface Merging {
  /** The remote has all that this head needs, and its headers may have grown long. */
  sent(head: Head): void;
  /** Groups that no header has to name any more, since something else holds their blocks; for the next header to tell. */
  replaced(): readonly ArchiveGroup[];
  /** A meta has told of these. */
  told(groups: readonly ArchiveGroup[]): void;
  /** Resolves when nothing runs. */
  settled(): Promise<void>;
  stop(): void;
}

/** @param untilSent resolves when what is being sent now has gone out: whatever else uses the line lets it pass */
export function createMerging(session: Session, untilSent: () => Promise<void>): Merging {
  /** Groups that could not be read, by their archives; they stay listed as they are. */
  const unread = new Set<string>();
  /** Only told of by whoever made it: readers find the same in the archive that replaces them. */
  const untold = new Set<ArchiveGroup>();
  let head: Head | undefined;

  async function job(): Promise<void> {
    const connection = session.connection();
    if (connection === undefined || head === undefined) return;
    try {
      const found = { head, unread, untold, untilSent };
      await mergeGroups(session, connection, found);
    } catch (cause) {
      // With the next connection something is sent again, and then this goes on.
      if (session.connection() !== connection) return;
      if (!isFixpointError(cause)) session.platform.report(cause);
      throw cause;
    }
  }

  const runner = createRunner(session.platform, RETRY, job, () => undefined);
  return {
    sent: (now) => {
      head = now;
      runner.wake();
    },
    replaced: () => [...untold],
    told: (groups) => {
      for (const group of groups) untold.delete(group);
    },
    settled: runner.settled,
    stop: runner.stop,
  };
}

interface Merge {
  /** One that the remote has. */
  readonly head: Head;
  readonly unread: Set<string>;
  readonly untold: Set<ArchiveGroup>;
  readonly untilSent: () => Promise<void>;
}

/**
 * Does nothing while headers are short. Sends archives with all blocks of many groups each; every one of them counts from the moment at which the remote has it.
 * @throws FixpointError GATEWAY_PUT, or when the link fails
 */
async function mergeGroups(session: Session, connection: Connection, merge: Merge): Promise<void> {
  const { commits, memory, platform } = session;
  const { head, unread, untold, untilSent } = merge;
  const small = memory.smallGroups().filter((group) => !unread.has(group.join()));
  if (small.length <= LIMITS.archiveGroupsMax) return;
  let inside: ArchiveGroup[] = [];
  let blocks = new Map<Cid, Block>();
  let size = 0;

  async function close(): Promise<void> {
    const header = { cars: [], compact: inside, head };
    const archive = await packArchive(header, [session.sealing().mark([]), ...blocks.values()]);
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
    size = 0;
  }

  // What is old goes together.
  const waiting = [...small].reverse();
  while (waiting.length > 0) {
    const next = waiting.splice(0, FETCHED_TOGETHER);
    const fetched = await readGroups(session, connection, next, merge);
    for (const group of next) {
      const read = fetched.get(group);
      if (read === undefined) continue;
      for (const block of read) {
        if (!blocks.has(block.cid)) size += block.bytes.length;
        blocks.set(block.cid, block);
      }
      inside.push(group);
      if (size >= LIMITS.archiveBytesThreshold || inside.length >= MERGED_TOGETHER) await close();
    }
  }
  if (inside.length > 1) await close();
  await rememberGrown(session, small);
}

/** Groups that were found to be large need not be fetched again to learn it. */
async function rememberGrown({ commits, memory, platform }: Session, groups: readonly ArchiveGroup[]) {
  const grown = groups.filter((group) => !memory.isSmall(group));
  const rows = memory.rowsOfGroups(grown, 'live', platform.time.now());
  if (rows.length > 0) await commits.markUploaded([], rows);
  memory.learned(rows);
}

/** The blocks of the groups that are still small; of those that can't be read nothing. @throws FixpointError GATEWAY_GET, or when the link fails */
async function readGroups(
  session: Session,
  connection: Connection,
  groups: readonly ArchiveGroup[],
  { unread, untilSent }: Merge,
): Promise<ReadonlyMap<ArchiveGroup, readonly Block[]>> {
  const { memory } = session;
  const read = new Map<ArchiveGroup, readonly Block[]>();
  await inParallel(groups, READERS_MAX, async (group) => {
    await untilSent();
    try {
      const plain = await Promise.all(
        group.map((cid) => withRetries(session, connection, () => plainOf(session, connection, cid))),
      );
      if (memory.isSmall(group)) read.set(group, plain.flatMap(contentOf));
    } catch (cause) {
      if (!isOfOneGroup(cause)) throw cause;
      unread.add(group.join());
    }
  });
  return read;
}

/** Asking again would not help. */
const isOfOneGroup = (cause: unknown): boolean =>
  isFixpointError(cause, 'MISSING_CARS') ||
  isFixpointError(cause, 'CORRUPT') ||
  isFixpointError(cause, 'KEY_UNKNOWN') ||
  isFixpointError(cause, 'FORMAT_NEWER');

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
