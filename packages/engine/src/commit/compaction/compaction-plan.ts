/** Chooses the archives that a compaction rewrites, and groups them. */
import { LIMITS } from '@fixpoint/protocol';
import type { Cid } from '../../codec/cid.ts';
import { SMALL_BYTES } from '../../store/archive-tiers.ts';
import type { RewriteGroup } from './rewrite-archives.ts';

interface Candidate {
  readonly cid: Cid;
  readonly bytes: number;
  readonly pending: boolean;
}

/** Minimum share of dead bytes at which a big archive is rewritten. */
const DEAD_SHARE_MIN = 0.25;

/**
 * Chooses small archives to merge. Doesn't mix archives that are pending upload with others,
 * because then the blocks of the others would be uploaded again.
 */
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

/**
 * Maximum live bytes that one sweep rewrites on a full disk. The first limit fits in the reserve.
 * The smaller limits apply if part of the reserve is already used.
 */
export const LIVE_BYTES_WHEN_FULL = [48_000, 6000, 800] as const;

/**
 * Chooses the archives to rewrite on a full disk: those with the fewest live bytes, because only
 * few bytes can be written.
 */
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

/**
 * Chooses the archives to rewrite without their dead blocks: small archives, and archives with a
 * large share of dead bytes.
 */
export function planSweep(archives: readonly (Candidate & { readonly deadBytes: number })[]): RewriteGroup[] {
  return [true, false].flatMap((pending) => {
    const own = archives.filter((archive) => archive.pending === pending);
    const isWorn = ({ bytes, deadBytes }: (typeof own)[number]) => deadBytes >= bytes * DEAD_SHARE_MIN;
    const chosen = own.filter((archive) => archive.bytes < SMALL_BYTES || isWorn(archive));
    // Don't rewrite a single archive that is mostly live. Otherwise, every sweep would rewrite it
    // again and free almost nothing.
    if (chosen.length < 2 && !chosen.some(isWorn)) return [];
    return [{ sources: chosen.map(({ cid }) => cid), pending }];
  });
}
