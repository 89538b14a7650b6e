/**
 * Configures accounts: the fields of a user, and the hooks that run when accounts and users change.
 */
import { APIError, getOAuthState } from 'better-auth/api';
import type { Db } from '../tables/connection.ts';
import { timestamp } from '../tables/new-row.ts';
import { takeInviteLink } from '../tables/tenants/invite-links.ts';
import { endForFirstLink } from './answered-mail.ts';
import type { BuiltinParts } from './builtin-parts.ts';
import type { Endpoint } from './session-rules.ts';

const AD_CLICK_CHARS_MAX = 512;
const FIRST_LINK = '/magic-link/verify';
const SIGN_UP = '/sign-up/email';

/** Returns the fields of a user that the library doesn't have. */
export const userFields = ({ oidc, hasOwnWays }: BuiltinParts) => ({
  emailOptIn: { type: 'boolean' as const, required: false, input: true },
  adClickId: { type: 'string' as const, required: false, input: true },
  // Input is allowed only if nobody can sign up here directly. Then the value comes from the
  // provider's answer, never from a request.
  ...(oidc?.hasOrganizations && {
    organization: { type: 'string' as const, required: false, input: !hasOwnWays },
  }),
});

export const userHooks = ({ db, now }: BuiltinParts) => ({
  create: {
    before: async <U extends NewUser>(user: U, endpoint: Endpoint | null) =>
      endpoint?.path === SIGN_UP ? withProof(db, user, endpoint.body, now()) : withSignUpChoice(user),
  },
  update: {
    after: async (user: { id: string }, endpoint: Endpoint | null) => {
      // On this route an account changes only because its address is now verified.
      if (endpoint?.path === FIRST_LINK) await endForFirstLink(db, user.id, now());
    },
  },
});

/** An account that is about to be created. */
export interface NewUser {
  readonly email: string;
}

/**
 * Marks the address of a new account as verified if the sign-up has the secret of a link that was
 * mailed to this address with an invite.
 * @throws APIError for a secret that isn't valid for the address
 */
async function withProof<U extends NewUser>(
  db: Db,
  user: U,
  body: unknown,
  now: number,
): Promise<{ data: U & { emailVerified: true } } | undefined> {
  const secret = (body as { readonly invite?: unknown } | undefined)?.invite;
  if (secret === undefined) return undefined;
  const link = { secret: String(secret), email: user.email };
  if (!(await takeInviteLink(db, link, timestamp(now))))
    throw new APIError('BAD_REQUEST', {
      code: 'INVITE_ENDED',
      message: 'This invitation link has ended. Ask for a new invitation, or sign up without it.',
    });
  return { data: { ...user, emailVerified: true } };
}

/** Drops the provider's tokens, which are needed only during the sign-in. */
const withoutTokens = async <A extends object>(account: A) => ({
  data: { ...account, accessToken: null, refreshToken: null, idToken: null },
});

export const accountHooks = { create: { before: withoutTokens }, update: { before: withoutTokens } };

/**
 * Adds the user's choices from the sign-up page to an account that a provider's sign-in creates.
 * The choices were sent to the provider and returned with its answer. Checks their types, because
 * the page may have sent any value. Returns undefined to leave the account unchanged.
 */
async function withSignUpChoice<U extends object>(user: U): Promise<{ data: U } | undefined> {
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
