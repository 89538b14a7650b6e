/**
 * Limits the number of events in a window of time, counted in the memory of this process. Only this
 * file uses the library `rate-limiter-flexible`. Its windows follow `Date`, so tests replace
 * `Date`. `token-bucket.ts` limits steady flows.
 */
import { FixpointError } from '@fixpoint/protocol';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { networksOf, SITE_FACTOR } from './network.ts';

/** A refusal that contains the time to retry, which HTTP answers send as `Retry-After`. */
export class RateLimited extends FixpointError {
  readonly retryAfterSeconds: number;

  constructor(ms: number) {
    const seconds = Math.max(1, Math.ceil(ms / 1000));
    super('RATE_LIMITED', `again in ${seconds} s`);
    this.retryAfterSeconds = seconds;
  }
}

/** Returns the header `Retry-After` for a {@link RateLimited}, and no headers for other causes. */
export const retryHeaders = (cause: unknown): Record<string, string> =>
  cause instanceof RateLimited ? { 'retry-after': String(cause.retryAfterSeconds) } : {};

export interface Throttle {
  /**
   * Counts one event.
   * @throws RateLimited above the limit
   */
  count(who: string): Promise<void>;
  /** Subtracts an event that should not count, such as a successful sign-in. */
  forgive(who: string): Promise<void>;
}

/** Creates a throttle that allows `times` events in `seconds`. */
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

/** Takes a point. When none is left, returns the milliseconds until the window ends. */
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
 * Creates a throttle whose `who` is an address. Counts events per network, and also per site, for
 * which the limit is higher.
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
  /** @throws RateLimited when the network recently tried too many other secrets */
  allow(address: string, secret: string): Promise<void>;
}

/**
 * Limits how many different secrets one network can try. Repeating a secret is free: an application
 * that waits for its token polls about once a millisecond, and an answer of 429 would end its wait.
 */
export function createGuesses(times: number, seconds: number): Guesses {
  const networks = new RateLimiterMemory({ points: times, duration: seconds });
  const secrets = new RateLimiterMemory({ points: 1, duration: seconds });
  return {
    allow: async (address, secret) => {
      const { own } = networksOf(address);
      const tried = `${own} ${secret}`;
      const known = await secrets.get(tried);
      // The library may return an expired entry.
      if (known !== null && known.msBeforeNext > 0) return;
      const wait = await consume(networks, own);
      if (wait !== undefined) throw new RateLimited(wait);
      // Remembers the secret only until the network's window ends, when all secrets count again. A
      // secret that was remembered for longer would be forgotten during the next window, and then
      // be rejected if other secrets had used up the limit.
      const left = (await networks.get(own))?.msBeforeNext ?? 0;
      // Records the secret only after counting it. Otherwise a parallel request with the same
      // secret would count as a repetition.
      await secrets.set(tried, 1, Math.max(1, left) / 1000);
    },
  };
}
