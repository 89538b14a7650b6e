import { FixpointError } from '@fixpoint/protocol';
import { isOpenSession } from '../identity/session-rules.ts';
import { getSignOut } from '../tables/accounts/sign-outs.ts';
import { getActiveUser } from '../tables/accounts/user-rows.ts';
import type { Connection } from '../tables/connection.ts';
import { timestamp } from '../tables/new-row.ts';
import { getApiToken } from '../tables/tenants/api-token-rows.ts';
import type { CloudClaims, VerifiedClaims } from '../tokens/cloud-tokens.ts';
import { claimsFor, narrowed } from './cloud-claims.ts';
import type { Handler } from './handler.ts';
import type { Scope } from './scope.ts';

/** How long a token obtained by signing in can be extended. After that the user signs in again. */
export const SIGNED_IN_SECONDS_MAX = 6 * 3600;

/**
 * Extends a token. Never grants more than the token already names, nor more than its user may use
 * now.
 */
export const extendToken: Handler<'reqExtendToken'> = {
  perMinute: 120,
  run: async ({ db, tokens, now }, { token }) => {
    const old = await tokens.verify(token);
    const caller = await getActiveUser(db, old.userId);
    if (caller === undefined) throw new FixpointError('NOT_SIGNED_IN', 'user not found');
    const scope = await scopeOf(db, old, now);
    if (isPast(old.until, now) || (scope === undefined && (await isOver(db, old, now))))
      throw new FixpointError('NOT_SIGNED_IN', 'sign in again');
    const fresh = await claimsFor(db, { caller, email: old.email, scope }, old.selected);
    const claims = narrowed(fresh, {
      tenants: old.tenants.map(({ id }) => id),
      ledgers: old.ledgers.map(({ id }) => id),
    });
    const { selected, since, until, session } = old;
    const next = {
      ...claims,
      selected,
      since,
      ...(until !== undefined && { until }),
      ...(session !== undefined && { session }),
    };
    return { token: await tokens.mint(next) };
  },
};

/**
 * Returns whether the chain of a handed-off token is over: it ends an hour after the user agreed.
 */
const isPast = (until: number | undefined, now: number): boolean =>
  until !== undefined && until <= now / 1000;

async function isOver(
  db: Connection,
  { userId, since, session }: VerifiedClaims,
  now: number,
): Promise<boolean> {
  if (session !== undefined && !(await isOpenSession(db, session))) return true;
  if (since + SIGNED_IN_SECONDS_MAX <= now / 1000) return true;
  const endedAt = await getSignOut(db, userId);
  return endedAt !== undefined && since <= Date.parse(endedAt) / 1000;
}

/** Returns the scope of the API token behind it, which must still exist. */
async function scopeOf(db: Connection, { apiToken }: CloudClaims, now: number): Promise<Scope | undefined> {
  if (apiToken === undefined) return undefined;
  const row = await getApiToken(db, apiToken);
  if (row === undefined || row.expiresAt <= timestamp(now))
    throw new FixpointError('NOT_SIGNED_IN', 'the token behind it was revoked');
  return { tokenId: row.tokenId, tenantId: row.tenantId ?? undefined, right: row.right };
}
