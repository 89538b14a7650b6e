/**
 * The versions of a document that a merge must combine (decision 0168). Events that merged versions
 * are transparent: the result depends on writes by people only.
 */
import type { Pace } from '../base/pace.ts';
import type { Cid } from '../codec/cid.ts';
import type { ClockEvent, Head, ReadEvent } from './event.ts';
import type { EventIndex } from './event-index.ts';
import { walkNewestFirst } from './newest-first.ts';
import { isJoinedStamp, isMergeStamp } from './stamp.ts';

/**
 * Maximum number of versions of a document, together with the merges that no write follows. It is
 * the same on all devices, so that they agree which documents to merge.
 */
export const VERSIONS_MAX = 100;

/** Versions of a document, each by the event that wrote it. */
export interface Unmerged {
  /** The newest write that precedes all versions. Undefined if there is none. */
  readonly base: Cid | undefined;
  /**
   * In the same order on every device. For the same field, the last one wins. Empty if no device
   * may merge the versions.
   */
  readonly versions: readonly Cid[];
}

/** Maximum generation of an event whose only ancestor is the genesis. */
const START_MAX = 2;

const UNMERGEABLE: Unmerged = { base: undefined, versions: [] };

/** A write, and the marks that follow it. */
interface Marked {
  readonly cid: Cid;
  readonly later: bigint;
}

interface Search {
  /** The versions, and the merges that no write follows. Bit n stands for the nth of them. */
  readonly marks: Cid[];
  /** The bits of the writes that no other write follows. */
  last: bigint;
  /** The bits of the versions. */
  people: bigint;
  readonly versions: Marked[];
  /** Earlier writes, newest first. */
  readonly former: Marked[];
  /** Whether an event wrote the document whose earlier versions were dropped. */
  hasJoined: boolean;
  /** Whether the first event of a history wrote the document without a stamp. */
  hasUnstampedStart: boolean;
  /** Whether a version has a stamp. */
  hasStamped: boolean;
}

/**
 * Returns the versions of a key to merge. Returns undefined if nothing needs to be written: if
 * there is one maximal write, or if each of them is a merge of all versions.
 * @param index must contain all events of the head
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function unmergedWrites(
  head: Head,
  key: string,
  index: EventIndex,
  read: ReadEvent,
  pace: Pace,
): Promise<Unmerged | undefined> {
  const search =
    (await searchIndex(head, key, index, read, pace)) ?? (await searchEvents(head, key, index, read, pace));
  const { last, people, versions, former } = search;
  if (isFull(search)) return UNMERGEABLE;
  if ((last & (last - 1n)) === 0n) return undefined;
  if ((last & people) === 0n && versions.every(({ later }) => (later & last) === last)) return undefined;
  const base = former.find((write) => precedesAll(write, people))?.cid;
  if (base === undefined && versions.length > 1 && isBaseDropped(search)) return UNMERGEABLE;
  return { base, versions: versions.map(({ cid }) => cid).reverse() };
}

const newSearch = (): Search => ({
  marks: [],
  last: 0n,
  people: 0n,
  versions: [],
  former: [],
  hasJoined: false,
  hasUnstampedStart: false,
  hasStamped: false,
});

/**
 * Whether versions without a base may have one that was dropped. Earlier releases wrote joined
 * histories without a stamp. If other versions have stamps, an unstamped first event may be such a
 * history, so the versions stay as they are.
 */
const isBaseDropped = ({ hasJoined, hasUnstampedStart, hasStamped }: Search): boolean =>
  hasJoined || (hasUnstampedStart && hasStamped);

const isFull = ({ marks }: Search): boolean => marks.length > VERSIONS_MAX;

const precedesAll = ({ later }: Marked, people: bigint): boolean => (later & people) === people;

/** Adds a write, after all writes that follow it. Returns its mark, if it has one. */
function add(
  search: Search,
  cid: Cid,
  later: bigint,
  { by }: Pick<ClockEvent, 'by'>,
  generation: number,
): bigint {
  search.hasJoined ||= isJoinedStamp(by);
  search.hasUnstampedStart ||= generation <= START_MAX && by === undefined;
  const isVersion = (later & search.people) === 0n && !isMergeStamp(by);
  if (later !== 0n && !isVersion) {
    search.former.push({ cid, later });
    return 0n;
  }
  const mark = 1n << BigInt(search.marks.length);
  search.marks.push(cid);
  if (later === 0n) search.last |= mark;
  if (isVersion) {
    search.people |= mark;
    search.hasStamped ||= by !== undefined && !isJoinedStamp(by);
    search.versions.push({ cid, later });
  }
  return mark;
}

/** Searches the index, which reads few events. Returns undefined if only a walk can tell. */
async function searchIndex(
  head: Head,
  key: string,
  index: EventIndex,
  read: ReadEvent,
  pace: Pace,
): Promise<Search | undefined> {
  const search = newSearch();
  const heads = new Set(head);
  for (const cid of index.writesOf(key)) {
    if (isFull(search)) return search;
    if (pace.isDue()) await pace.rest();
    let later = 0n;
    for (const [bit, mark] of search.marks.entries()) {
      const precedes = index.isAncestor(cid, mark);
      if (precedes === undefined) return undefined;
      if (precedes) later |= 1n << BigInt(bit);
    }
    if (later === 0n && !heads.has(cid)) {
      const precedes = head.map((one) => index.isAncestor(cid, one));
      if (precedes.includes(undefined)) return undefined;
      // The index may also contain events that follow the head.
      if (!precedes.includes(true)) continue;
    }
    const generation = index.generationOf(cid);
    const isKnown = (later & search.people) !== 0n && generation > START_MAX;
    add(search, cid, later, isKnown ? {} : await read(cid), generation);
  }
  return search;
}

/** Searches with one walk, which reads the events between the head and the base. */
async function searchEvents(
  head: Head,
  key: string,
  index: EventIndex,
  read: ReadEvent,
  pace: Pace,
): Promise<Search> {
  const search = newSearch();
  let looked = 0;
  await walkNewestFirst(head, index, read, pace, {
    isOpen: (later) => !isFull(search) && (later & search.people) === 0n,
    visit: (cid, event, later) => {
      const isWrite = event.operations.some((operation) => operation.key === key);
      if (!isWrite || isFull(search)) return later;
      return later | add(search, cid, later, event, index.generationOf(cid));
    },
    isOver: () => {
      // All versions are known.
      for (; looked < search.former.length; looked++)
        if (precedesAll(search.former[looked] as Marked, search.people)) return true;
      return isFull(search);
    },
  });
  return search;
}
