/**
 * Limits how often something may happen in a window of time, counted in the memory of this process.
 * The only place that uses the library. Its windows follow `Date`, which tests replace: it takes no
 * other clock. `token-bucket.ts` limits what must flow at a steady rate.
 */
import { FixpointError } from '@fixpoint/protocol';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { networksOf, SITE_FACTOR } from './network.ts';

/** A refusal that says when to retry: the HTTP answer sends it as `Retry-After`. */
export class RateLimited extends FixpointError {
  readonly retryAfterSeconds: number;

  constructor(ms: number) {
    const seconds = Math.max(1, Math.ceil(ms / 1000));
    super('RATE_LIMITED', `again in ${seconds} s`);
    this.retryAfterSeconds = seconds;
  }
}

/** Returns the header of a refusal; empty for every refusal that isn't {@link RateLimited}. */
export const retryHeaders = (cause: unknown): Record<string, string> =>
  cause instanceof RateLimited ? { 'retry-after': String(cause.retryAfterSeconds) } : {};

export interface Throttle {
  /**
   * Counts one event.
   * @throws RateLimited above the rate
   */
  count(who: string): Promise<void>;
  /** Subtracts an event that should not count, such as a successful sign-in. */
  forgive(who: string): Promise<void>;
}

/** Allows `times` in `seconds`. */
export function createThrottle(times: number, seconds: number): Throttle {
  const limiter = new RateLimiterMemory({ points: times, duration: seconds });
  return {
    count: async (who) => {
      const wait = await consume(limiter, who);
      if (wait !== undefined) throw new RateLimited(wait);
    },
    forgive: async (who) => void (await limiter.reward(who)),
  };
}

/** Takes a point. Returns the milliseconds until the window ends when there is none. */
async function consume(limiter: RateLimiterMemory, key: string): Promise<number | undefined> {
  try {
    await limiter.consume(key);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof RateLimiterRes)) throw cause;
    return cause.msBeforeNext;
  }
}

/**
 * Returns a throttle whose `who` is an address: it counts the address's network, and its site with
 * a higher limit.
 */
export function createAddressThrottle(times: number, seconds: number): Throttle {
  const ofNetwork = createThrottle(times, seconds);
  const ofSite = createThrottle(times * SITE_FACTOR, seconds);
  return {
    count: async (address) => {
      const { own, site } = networksOf(address);
      await ofNetwork.count(own);
      if (site !== undefined) await ofSite.count(site);
    },
    forgive: async (address) => {
      const { own, site } = networksOf(address);
      await ofNetwork.forgive(own);
      if (site !== undefined) await ofSite.forgive(site);
    },
  };
}

export interface Guesses {
  /** @throws RateLimited when the network recently tried too many others */
  allow(address: string, secret: string): Promise<void>;
}

/**
 * Limits how many different secrets one network can try. Repeating the same one is free: an
 * application that waits for its token polls about once a millisecond, and an answer of 429 would
 * end its wait.
 */
export function createGuesses(times: number, seconds: number): Guesses {
  const networks = new RateLimiterMemory({ points: times, duration: seconds });
  const secrets = new RateLimiterMemory({ points: 1, duration: seconds });
  return {
    allow: async (address, secret) => {
      const { own } = networksOf(address);
      const tried = `${own} ${secret}`;
      const known = await secrets.get(tried);
      // The library may still return an entry whose time is over.
      if (known !== null && known.msBeforeNext > 0) return;
      const wait = await consume(networks, own);
      if (wait !== undefined) throw new RateLimited(wait);
      // Until the network's window ends: then all secrets count again together, and nobody's
      // wait ends because others filled the next window first.
      const left = (await networks.get(own))?.msBeforeNext ?? 0;
      // Recorded only now: else a second request at the same time would pass as a repetition.
      await secrets.set(tried, 1, Math.max(1, left) / 1000);
    },
  };
}
