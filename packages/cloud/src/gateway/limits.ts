/** How often somebody may ask. Buckets are filled at a steady rate and hold a burst; they are kept in the memory of this process. */

export interface Rate {
  readonly perSecond: number;
  /** What may come at once. */
  readonly burst: number;
}

export interface Bucket {
  /** Takes one; 0, or how many milliseconds are missing. What is not there is not taken, unless it may be owed. */
  take(who: string, mayOwe?: boolean): number;
}

const KNOWN_MAX = 20_000;
const ROUNDING = 1e-6;

export function createBucket({ perSecond, burst }: Rate, now: () => number): Bucket {
  const known = new Map<string, { left: number; at: number }>();
  return {
    take: (who, mayOwe = false) => {
      const at = now();
      const bucket = known.get(who) ?? { left: burst, at };
      // A clock that goes back fills nothing.
      bucket.left = Math.min(burst, bucket.left + (Math.max(0, at - bucket.at) / 1000) * perSecond);
      bucket.at = at;
      known.delete(who);
      known.set(who, bucket);
      // Who was not seen for longest is forgotten: he has a full bucket by now, or nearly so.
      if (known.size > KNOWN_MAX) for (const oldest of known.keys()) if (known.delete(oldest)) break;
      const lacking = 1 - bucket.left;
      const missing = lacking < ROUNDING ? 0 : lacking;
      if (missing === 0 || mayOwe) bucket.left -= 1;
      return missing === 0 ? 0 : Math.ceil((missing / perSecond) * 1000 - ROUNDING);
    },
  };
}

export interface GatewayLimits {
  readonly ofUser: Bucket;
  readonly ofAddress: Bucket;
  /** Sockets that an address opens. */
  readonly connects: Bucket;
}
