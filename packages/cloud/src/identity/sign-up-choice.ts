/** What somebody chose on the sign-up page before a provider signed him in: it went along with the provider's answer, and is kept when that makes an account. */
import { getOAuthState } from 'better-auth/api';

const AD_CLICK_CHARS_MAX = 512;

/** For the hook before an account is made; undefined leaves the account as it is. What the page sent may be anything. */
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
