/**
 * Counts small archives by size class as they are added and removed. Checking all archives on each
 * write would cost more than the write.
 */
import { LIMITS } from '@fixpoint/protocol';

/** Larger archives are left alone, so that a block is rewritten only a few times. */
export const SMALL_BYTES = LIMITS.archiveBytesThreshold / 2;

/**
 * Small archives are merged with those of similar size once there are more than a reader should
 * have to open (spec §9). Archives of single writes are merged first, then merged ones. So a block
 * is written at most three times.
 */
const TIERS = [
  { bytesMin: 0, archivesMax: LIMITS.archiveGroupsMax },
  { bytesMin: LIMITS.archiveBytesThreshold / 16, archivesMax: 8 },
];

export class ArchiveTiers {
  readonly #tiers = TIERS.map((tier) => ({ ...tier, archives: 0 }));

  /** Adds an archive to the count, or removes it with -1. */
  count(bytes: number, by: 1 | -1): void {
    const tier = this.#tierOf(bytes);
    if (tier !== undefined) tier.archives += by;
  }

  /** Returns whether a tier has too many archives: the tier of this size, or any. */
  isFull(bytes?: number): boolean {
    const tiers = bytes === undefined ? this.#tiers : [this.#tierOf(bytes)];
    return tiers.some((tier) => tier !== undefined && tier.archives > tier.archivesMax);
  }

  /** Returns the tier of an archive of that size; undefined when it is left alone. */
  #tierOf(bytes: number) {
    return bytes < SMALL_BYTES ? this.#tiers.findLast(({ bytesMin }) => bytes >= bytesMin) : undefined;
  }
}
