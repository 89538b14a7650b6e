import { FixpointError } from '@fixpoint/protocol';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { networksOf } from './network.ts';

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

/** Allows `times` in `seconds`, counted in the memory of this process. */
export function createThrottle(times: number, seconds: number): Throttle {
  const limiter = new RateLimiterMemory({ points: times, duration: seconds });
  return {
    count: async (who) => {
      try {
        await limiter.consume(who);
      } catch (cause) {
        if (!(cause instanceof RateLimiterRes)) throw cause;
        throw new RateLimited(cause.msBeforeNext);
      }
    },
    forgive: async (who) => void (await limiter.reward(who)),
  };
}

/** How many networks of one site may use up their limits at once. */
const SITE_FACTOR = 8;

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
