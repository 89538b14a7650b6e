/**
 * Limits a steady flow with token buckets. A bucket fills at a constant rate, up to the size of a
 * burst. The library of `rate-limiter.ts` doesn't fit here: it counts whole windows, so it can't
 * compute how long a socket must wait. Also, the library is asynchronous, and can't use our clock.
 * This process keeps its buckets in memory, and drops the least recently used ones.
 */
import { networksOf, SITE_FACTOR } from './network.ts';

export interface Rate {
  readonly perSecond: number;
  /** The number of tokens in a full bucket. */
  readonly burst: number;
}

export interface Bucket {
  /**
   * Takes one token and returns 0. When no token is left, returns the milliseconds until the next
   * one. Takes that future token only if `mayOwe` is true.
   */
  take(who: string, mayOwe?: boolean): number;
  /** Puts back one token, for an event that should not count. */
  giveBack(who: string): void;
}

const KNOWN_MAX = 20_000;
const ROUNDING = 1e-6;

export function createBucket({ perSecond, burst }: Rate, now: () => number): Bucket {
  const known = new Map<string, { left: number; at: number }>();
  return {
    take: (who, mayOwe = false) => {
      const at = now();
      const bucket = known.get(who) ?? { left: burst, at };
      // Adds no tokens if the clock was set back.
      bucket.left = Math.min(burst, bucket.left + (Math.max(0, at - bucket.at) / 1000) * perSecond);
      bucket.at = at;
      known.delete(who);
      known.set(who, bucket);
      // Drops the least recently used key, because its bucket is full by now, or almost full.
      if (known.size > KNOWN_MAX) for (const oldest of known.keys()) if (known.delete(oldest)) break;
      const lacking = 1 - bucket.left;
      const missing = lacking < ROUNDING ? 0 : lacking;
      if (missing === 0 || mayOwe) bucket.left -= 1;
      return missing === 0 ? 0 : Math.ceil((missing / perSecond) * 1000 - ROUNDING);
    },
    giveBack: (who) => {
      const bucket = known.get(who);
      if (bucket !== undefined) bucket.left = Math.min(burst, bucket.left + 1);
    },
  };
}

/**
 * Creates a bucket whose `who` is an address. Takes a token from the bucket of the network, and one
 * from the larger bucket of the site.
 */
export function createAddressBucket({ perSecond, burst }: Rate, now: () => number): Bucket {
  const ofNetwork = createBucket({ perSecond, burst }, now);
  const ofSite = createBucket({ perSecond: perSecond * SITE_FACTOR, burst: burst * SITE_FACTOR }, now);
  return {
    take: (address, mayOwe) => {
      const { own, site } = networksOf(address);
      const wait = ofNetwork.take(own, mayOwe);
      if (site === undefined || (wait > 0 && mayOwe !== true)) return wait;
      return Math.max(wait, ofSite.take(site, mayOwe));
    },
    giveBack: (address) => {
      const { own, site } = networksOf(address);
      ofNetwork.giveBack(own);
      if (site !== undefined) ofSite.giveBack(site);
    },
  };
}
