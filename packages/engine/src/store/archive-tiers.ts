/**
 * Counts small archives by size class as they are added and removed. Checking all archives on each
 * write would cost more than the write.
 */
import { LIMITS } from '@fixpoint/protocol';

/** Archives of this size or more aren't merged, so that a block is rewritten only a few times. */
export const SMALL_BYTES = LIMITS.archiveBytesThreshold / 2;

/**
 * Once a tier contains more archives than a reader should have to open (spec §9), these archives
 * are merged. The first tier contains archives of single writes, the second one contains merged
 * archives. So merges usually write a block at most two more times.
 */
const TIERS = [
  { bytesMin: 0, archivesMax: LIMITS.archiveGroupsMax },
  { bytesMin: LIMITS.archiveBytesThreshold / 16, archivesMax: 8 },
];

export class ArchiveTiers {
  readonly #tiers = TIERS.map((tier) => ({ ...tier, archives: 0 }));

  /** Adds an archive of this size to the count, or removes one if `by` is -1. */
  count(bytes: number, by: 1 | -1): void {
    const tier = this.#tierOf(bytes);
    if (tier !== undefined) tier.archives += by;
  }

  /**
   * Returns whether the tier for this size has too many archives. Without a size, checks all tiers.
   */
  isFull(bytes?: number): boolean {
    const tiers = bytes === undefined ? this.#tiers : [this.#tierOf(bytes)];
    return tiers.some((tier) => tier !== undefined && tier.archives > tier.archivesMax);
  }

  /** Returns the tier for archives of this size, or undefined if such archives aren't merged. */
  #tierOf(bytes: number) {
    return bytes < SMALL_BYTES ? this.#tiers.findLast(({ bytesMin }) => bytes >= bytesMin) : undefined;
  }
}
