import { LIMITS } from '@fixpoint/protocol';
import type { Cid } from '../codec/cid.ts';
import { SMALL_BYTES } from '../store/archive-tiers.ts';
import type { RewriteGroup } from './rewrite.ts';

interface Candidate {
  readonly cid: Cid;
  readonly bytes: number;
  readonly pending: boolean;
}

/** A big archive is written anew when so much of it is dead. */
const DEAD_SHARE_MIN = 0.25;

/** Whether a full compaction is worth its time: there is half as much again as it left the last time. */
export const isWorthCompacting = (bytes: number, bytesLeft: number): boolean =>
  bytes > 1.5 * bytesLeft + LIMITS.archiveBytesThreshold / 2;

/** A database that compaction left smaller than this is compacted beside writers as soon as it is worth it: that takes a moment. */
const SMALL_LEFT_BYTES = 2 * LIMITS.archiveBytesThreshold;

/** Whether it can't wait for writers to pause: a big database may grow to four times what the last compaction left. */
export const isCompactingOverdue = (bytes: number, bytesLeft: number): boolean =>
  isWorthCompacting(bytes - 2.5 * Math.max(0, bytesLeft - SMALL_LEFT_BYTES), bytesLeft);

/** Which small archives to merge into one. What waits for upload stays apart from what does not, or it would be uploaded again. */
export function planMerge(
  archives: readonly Candidate[],
  isChosen: (archive: Candidate) => boolean,
): RewriteGroup[] {
  const chosen = archives.filter((archive) => archive.bytes < SMALL_BYTES && isChosen(archive));
  return [true, false].flatMap((pending) => {
    const groups: RewriteGroup[] = [];
    let sources: Cid[] = [];
    let size = 0;
    for (const archive of chosen) {
      if (archive.pending !== pending) continue;
      if (size + archive.bytes > LIMITS.archiveBytesThreshold) {
        groups.push({ sources, pending });
        sources = [];
        size = 0;
      }
      sources.push(archive.cid);
      size += archive.bytes;
    }
    return [...groups, { sources, pending }].filter((group) => group.sources.length > 1);
  });
}

/** How many bytes may live in the archives that are rewritten on a full disk: what fits in the reserve, or less when part of it is used already. */
export const LIVE_BYTES_WHEN_FULL = [48_000, 6000, 800] as const;

/** Chooses the archives to rewrite on a full disk: those that free the most for the little that can be written. */
export function planSmallSweep(
  archives: readonly (Candidate & { readonly liveBytes: number })[],
  liveBytesMax: number,
): RewriteGroup[] {
  const chosen: (typeof archives)[number][] = [];
  let live = 0;
  for (const archive of archives.toSorted((a, b) => a.liveBytes - b.liveBytes)) {
    live += archive.liveBytes;
    if (live > liveBytesMax) break;
    if (archive.liveBytes < archive.bytes * (1 - DEAD_SHARE_MIN)) chosen.push(archive);
  }
  return [true, false].flatMap((pending) => {
    const sources = chosen.filter((one) => one.pending === pending).map(({ cid }) => cid);
    return sources.length === 0 ? [] : [{ sources, pending }];
  });
}

/** Which archives to write anew without what is dead: those that are small, and those of which much is dead. */
export function planSweep(archives: readonly (Candidate & { readonly deadBytes: number })[]): RewriteGroup[] {
  return [true, false].flatMap((pending) => {
    const own = archives.filter((archive) => archive.pending === pending);
    const isWorn = ({ bytes, deadBytes }: (typeof own)[number]) => deadBytes >= bytes * DEAD_SHARE_MIN;
    const chosen = own.filter((archive) => archive.bytes < SMALL_BYTES || isWorn(archive));
    // A single archive that holds little but what lives would only be written again and again.
    if (chosen.length < 2 && !chosen.some(isWorn)) return [];
    return [{ sources: chosen.map(({ cid }) => cid), pending }];
  });
}
