import { LIMITS } from '@fixpoint/protocol';
import type { Cid } from '../codec/cid.ts';

interface Candidate {
  readonly cid: Cid;
  readonly bytes: number;
  readonly pending: boolean;
}

export interface MergeGroup {
  readonly cids: readonly Cid[];
  readonly pending: boolean;
}

/** Archives of at least half the threshold are left alone, so that a block is rewritten only a few times. */
const SMALL_BYTES = LIMITS.archiveBytesThreshold / 2;

/** Whether there are more small archives than a reader should have to open (spec §9); big ones are left alone and do not count. */
export function isWorthMerging(archives: Iterable<{ readonly bytes: number }>): boolean {
  let small = 0;
  for (const { bytes } of archives) if (bytes < SMALL_BYTES) small++;
  return small > LIMITS.archiveGroupsMax;
}

/** Which small archives to merge into one. What waits for upload stays apart from what does not, or it would be uploaded again. */
export function planMerge(archives: readonly Candidate[]): MergeGroup[] {
  return [true, false].flatMap((pending) => {
    const groups: MergeGroup[] = [];
    let cids: Cid[] = [];
    let size = 0;
    for (const archive of archives) {
      if (archive.pending !== pending || archive.bytes >= SMALL_BYTES) continue;
      if (size + archive.bytes > LIMITS.archiveBytesThreshold) {
        groups.push({ cids, pending });
        cids = [];
        size = 0;
      }
      cids.push(archive.cid);
      size += archive.bytes;
    }
    return [...groups, { cids, pending }].filter((group) => group.cids.length > 1);
  });
}
