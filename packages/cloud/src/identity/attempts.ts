/**
 * Limits requests to the identity provider, mainly attempts to sign in. Attempts are counted before
 * the password is hashed, because hashing costs about 150 ms of CPU time. Correct passwords and
 * codes don't count.
 */

import { networksOf } from '../limits/network.ts';
import { createAddressThrottle, createThrottle, RateLimited } from '../limits/rate-limiter.ts';
import { createBucket } from '../limits/token-bucket.ts';

/** Routes other than signing in that check a password or a code. */
const TRYING: readonly string[] = [
  '/auth/change-password',
  '/auth/confirm',
  '/auth/two-factor/enable',
  '/auth/two-factor/verify-totp',
  '/auth/two-factor/verify-backup-code',
  '/auth/two-factor/generate-backup-codes',
  '/auth/two-factor/disable',
];
/** Routes that hash a password. */
const HASHING: readonly string[] = [
  '/auth/sign-in/email',
  '/auth/sign-up/email',
  '/auth/reset-password',
  '/auth/change-password',
  '/auth/confirm',
  '/auth/two-factor/enable',
  '/auth/two-factor/generate-backup-codes',
  '/auth/two-factor/disable',
];
export const isHashing = (pathname: string): boolean => HASHING.includes(pathname);

/** Failed attempts that an account allows from all networks together: 50, then one per minute. */
const ACCOUNT_BUDGET = { perSecond: 1 / 60, burst: 50 };

export interface AttemptParts {
  /** Returns whether the account of an address is signed in from the network of `ip`. */
  readonly isKnownNetwork: (email: string, ip: string) => Promise<boolean>;
  readonly now: () => number;
}

interface Counting {
  /**
   * Counts the attempt before it runs.
   * @throws RateLimited
   */
  before(): Promise<void>;
  /** Stops counting the attempt, because it was successful. */
  after(): Promise<void>;
}

export function createAttempts(parts: AttemptParts) {
  const anything = createAddressThrottle(600, 60);
  const signUp = createAddressThrottle(60, 60);
  const password = createAddressThrottle(10, 60);
  const mailByAddress = createAddressThrottle(10, 600);
  const mailByAccount = createThrottle(3, 600);
  const signIn = createSignIn(parts);
  return (pathname: string, ip: string, email: string): Counting => {
    if (TRYING.includes(pathname))
      return { before: () => password.count(ip), after: () => password.forgive(ip) };
    switch (pathname) {
      case '/auth/sign-in/email':
        return signIn(ip, email);
      case '/auth/sign-up/email':
        return { before: () => signUp.count(ip), after: nothing };
      case '/auth/sign-in/magic-link':
      case '/auth/request-password-reset':
      case '/auth/send-verification-email':
        return {
          before: async () => {
            await mailByAddress.count(ip);
            await mailByAccount.count(email);
          },
          after: nothing,
        };
      default:
        return { before: () => anything.count(ip), after: nothing };
    }
  };
}

/**
 * Counts password sign-ins by network, by network and account, and by account. The last limit slows
 * down an attacker with many networks. It doesn't lock the owner out: networks where the account is
 * signed in are exempt, and mailed links and passkeys always work.
 */
function createSignIn({ isKnownNetwork, now }: AttemptParts) {
  const byNetwork = createAddressThrottle(20, 60);
  const byNetworkAndAccount = createThrottle(5, 60);
  const byAccount = createBucket(ACCOUNT_BUDGET, now);
  return (ip: string, email: string): Counting => {
    const both = `${networksOf(ip).own} ${email}`;
    let isTaken = false;
    return {
      before: async () => {
        await byNetwork.count(ip);
        await byNetworkAndAccount.count(both);
        const wait = byAccount.take(email);
        isTaken = wait === 0;
        if (wait > 0 && !(await isKnownNetwork(email, ip))) throw new RateLimited(wait);
      },
      after: async () => {
        await byNetwork.forgive(ip);
        await byNetworkAndAccount.forgive(both);
        if (isTaken) byAccount.giveBack(email);
      },
    };
  };
}

const nothing = async () => {};
