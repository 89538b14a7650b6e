/**
 * The versions of a document that a merge must combine (decision 0168). Events that merged versions
 * are transparent: the result depends on writes by people only.
 */
import type { Cid } from '../codec/cid.ts';
import type { Head, ReadEvent } from './event.ts';
import type { EventIndex } from './event-index.ts';
import { isMergeStamp } from './stamp.ts';

/** Versions of a document, each by the event that wrote it. */
export interface Unmerged {
  /** The newest write that precedes all versions. Undefined if there is none. */
  readonly base: Cid | undefined;
  /** In the same order on every device. For the same field, the last one wins. */
  readonly versions: readonly Cid[];
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
): Promise<Unmerged | undefined> {
  const precedesSome = async (cid: Cid, all: readonly Cid[]) => {
    for (const one of all) if (await index.isAncestor(cid, one)) return true;
    return false;
  };
  const precedesAll = async (cid: Cid, all: readonly Cid[]) => {
    for (const one of all) if (!(await index.isAncestor(cid, one))) return false;
    return true;
  };
  /** The writes that no other write follows. */
  const last: Cid[] = [];
  const merges: Cid[] = [];
  const versions: Cid[] = [];
  const former: Cid[] = [];
  for (const cid of index.writesOf(key)) {
    if (await precedesSome(cid, versions)) former.push(cid);
    // The index may also contain events that follow the head.
    else if (head.includes(cid) || (await precedesSome(cid, head))) {
      const isMerge = isMergeStamp((await read(cid)).by);
      if (!(await precedesSome(cid, last))) last.push(cid);
      (isMerge ? merges : versions).push(cid);
    }
  }
  if (last.length < 2) return undefined;
  let isCovered = true;
  for (const cid of last) {
    isCovered &&= merges.includes(cid);
    for (const version of versions) isCovered &&= await index.isAncestor(version, cid);
  }
  if (isCovered) return undefined;
  let base: Cid | undefined;
  for (const cid of former) if (base === undefined && (await precedesAll(cid, versions))) base = cid;
  return { base, versions: versions.reverse() };
}
