/** Chooses which archives a compaction rewrites, and together with which others. */
import { LIMITS } from '@fixpoint/protocol';
import type { Cid } from '../../codec/cid.ts';
import { SMALL_BYTES } from '../../store/archive-tiers.ts';
import type { RewriteGroup } from './rewrite-archives.ts';

interface Candidate {
  readonly cid: Cid;
  readonly bytes: number;
  readonly pending: boolean;
}

/** Share of dead bytes from which a big archive is rewritten. */
const DEAD_SHARE_MIN = 0.25;

/**
 * Chooses small archives to merge. Archives pending upload aren't mixed with others, which would
 * then be uploaded again.
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
 * Maximum live bytes in the archives rewritten on a full disk: what fits in the reserve, then less
 * in case part of the reserve is used.
 */
export const LIVE_BYTES_WHEN_FULL = [48_000, 6000, 800] as const;

/**
 * Chooses the archives to rewrite on a full disk: those that free the most for the few bytes that
 * can be written.
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
 * Chooses the archives to rewrite without dead blocks: small ones, and those with a large dead
 * share.
 */
export function planSweep(archives: readonly (Candidate & { readonly deadBytes: number })[]): RewriteGroup[] {
  return [true, false].flatMap((pending) => {
    const own = archives.filter((archive) => archive.pending === pending);
    const isWorn = ({ bytes, deadBytes }: (typeof own)[number]) => deadBytes >= bytes * DEAD_SHARE_MIN;
    const chosen = own.filter((archive) => archive.bytes < SMALL_BYTES || isWorn(archive));
    // Rewriting a single, mostly live archive would repeat forever without a gain.
    if (chosen.length < 2 && !chosen.some(isWorn)) return [];
    return [{ sources: chosen.map(({ cid }) => cid), pending }];
  });
}
