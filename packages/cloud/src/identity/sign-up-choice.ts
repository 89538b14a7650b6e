/**
 * Keeps what a user chose on the sign-up page before a provider signed them in. The choice travels
 * with the provider's answer, and is stored when that creates an account.
 */
import { getOAuthState } from 'better-auth/api';

const AD_CLICK_CHARS_MAX = 512;

/**
 * Returns the account's data for the hook before an account is created; undefined leaves the
 * account unchanged. The page may have sent anything.
 */
export async function withSignUpChoice<U extends object>(user: U): Promise<{ data: U } | undefined> {
  const state = (await getOAuthState()) as Readonly<Record<string, unknown>> | null;
  if (state === null) return undefined;
  const { emailOptIn, adClickId } = state;
  return {
    data: {
      ...user,
      ...(typeof emailOptIn === 'boolean' && { emailOptIn }),
      ...(typeof adClickId === 'string' && { adClickId: adClickId.slice(0, AD_CLICK_CHARS_MAX) }),
    },
  };
}
