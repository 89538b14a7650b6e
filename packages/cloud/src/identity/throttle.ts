import { FixpointError } from '@fixpoint/protocol';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

export interface Throttle {
  /** Counts one more. @throws FixpointError RATE_LIMITED above the rate */
  count(who: string): Promise<void>;
  /** Takes one back that should not count, such as a sign-in that succeeded. */
  forgive(who: string): Promise<void>;
}

/** At most `times` in `seconds`, kept in the memory of this process. */
export function createThrottle(times: number, seconds: number): Throttle {
  const limiter = new RateLimiterMemory({ points: times, duration: seconds });
  return {
    count: async (who) => {
      try {
        await limiter.consume(who);
      } catch (cause) {
        if (!(cause instanceof RateLimiterRes)) throw cause;
        throw new FixpointError('RATE_LIMITED', `again in ${Math.ceil(cause.msBeforeNext / 1000)} s`);
      }
    },
    forgive: async (who) => void (await limiter.reward(who)),
  };
}
