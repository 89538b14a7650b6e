import { FixpointError } from '@fixpoint/protocol';
import { CLOUD_TOKEN_SECONDS, CLOUD_TOKEN_SECONDS_MAX, type CleanPayload } from '@fixpoint/protocol/admin';
import { isOpenSession } from '../../identity/session-rules.ts';
import { isTenantAdmin } from '../../rights/standing.ts';
import { getSignOut } from '../../tables/accounts/sign-outs.ts';
import { getActiveUser } from '../../tables/accounts/user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import { timestamp } from '../../tables/new-row.ts';
import { getApiToken } from '../../tables/tenants/api-token-rows.ts';
import type { CloudClaims, VerifiedClaims } from '../../tokens/cloud-tokens.ts';
import { fetchToken, leaveToken } from '../../tokens/hand-off.ts';
import type { Handlers, UserContext } from '../handler.ts';
import { claimsFor, narrowed, narrowedToTenant } from '../parts/cloud-claims.ts';
import type { Scope } from '../scope.ts';

type Asked = CleanPayload<'reqCloudSessionToken'>;
type Opens = NonNullable<Asked['opens']>;

/**
 * Seconds for which a user who signed in can extend a cloud token. Afterwards they must sign in
 * again.
 */
const SIGNED_IN_SECONDS_MAX = 6 * 3600;

export const cloudTokenHandlers = {
  /**
   * Creates a token for one ledger, one tenant, or all tenants of the caller. The gateway reads the
   * token's claims, and also looks up the rights in the tables at each use.
   */
  reqCloudSessionToken: {
    perMinute: 120,
    run: async (context, asked) => {
      const { db, tokens, now } = context;
      const { resultId } = asked;
      const opens = widthOf(asked);
      const claims = { ...(await claimsOf(context, asked, opens)), ...endOf(asked, now) };
      const token = await tokens.mint(claims, lifeOf(asked));
      if (resultId !== undefined) await leaveToken(db, resultId, token, now);
      const { expiresAtMs, since } = await tokens.verify(token);
      const until =
        claims.until ?? (claims.apiToken === undefined ? since + SIGNED_IN_SECONDS_MAX : undefined);
      return {
        token,
        opens,
        expiresDate: timestamp(expiresAtMs),
        ...(until !== undefined && { extendableUntil: timestamp(until * 1000) }),
      };
    },
  },
  /**
   * Extends a token. The new token never grants more than the old token, or more than its user may
   * currently use.
   */
  reqExtendToken: {
    perMinute: 120,
    run: async ({ db, tokens, now }, { token }) => {
      const old = await tokens.verify(token);
      const caller = await getActiveUser(db, old.userId);
      if (caller === undefined) throw new FixpointError('NOT_SIGNED_IN', 'user not found');
      const scope = await scopeOf(db, old, now);
      await requireAdminOf(db, old);
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
  },
  reqTokenByResultId: {
    run: async ({ db, now, from, guesses }, { resultId }) => {
      await guesses.allow(from ?? 'unknown', resultId);
      const token = await fetchToken(db, resultId, now);
      return token === undefined ? { resultId, status: 'not-found' } : { resultId, status: 'found', token };
    },
  },
} satisfies Partial<Handlers>;

const isHandedOver = ({ handOff, resultId }: Asked): boolean => handOff === true || resultId !== undefined;

/**
 * Returns what the token opens: one ledger, one tenant, or all tenants of the caller.
 * @throws FixpointError REQUEST_INVALID for a hand-off of a token for more than one ledger
 */
function widthOf(asked: Asked): Opens {
  const { opens, selected } = asked;
  if (isHandedOver(asked)) {
    if (opens !== undefined && opens !== 'ledger')
      throw new FixpointError('REQUEST_INVALID', 'opens: a token for another application opens one ledger');
    return 'ledger';
  }
  if (opens !== undefined) return opens;
  if (selected?.ledger !== undefined) return 'ledger';
  return selected?.tenant === undefined ? 'all' : 'tenant';
}

async function claimsOf(
  { db, caller, person, scope }: UserContext,
  { selected }: Asked,
  opens: Opens,
): Promise<CloudClaims> {
  const all = await claimsFor(db, { caller, email: person.email, scope }, selected ?? {});
  const claims = { ...all, ...(person.session !== undefined && { session: person.session }) };
  const { tenant, ledger } = claims.selected;
  if (opens === 'all') return claims;
  const ofTenant = await narrowedToTenant(db, claims, tenant);
  if (opens === 'tenant') return ofTenant;
  return narrowed(ofTenant, {
    tenants: tenant === undefined ? [] : [tenant],
    ledgers: ledger === undefined ? [] : [ledger],
  });
}

/**
 * Returns the lifetime in seconds. Existing clients reopen their sign-in window when a token
 * expires, so tokens that they fetch by a result id get the maximum.
 */
function lifeOf({ resultId, handOff, lifeSeconds }: Asked): number {
  if (resultId !== undefined) return CLOUD_TOKEN_SECONDS_MAX;
  return handOff === true ? CLOUD_TOKEN_SECONDS : (lifeSeconds ?? CLOUD_TOKEN_SECONDS);
}

/**
 * Returns when a handed-off token ends. The page promises the user that the app has access for one
 * hour.
 */
const endOf = (asked: Asked, now: number): Pick<CloudClaims, 'until'> =>
  isHandedOver(asked) ? { until: Math.floor(now / 1000) + CLOUD_TOKEN_SECONDS_MAX } : {};

/**
 * Returns whether a handed-off token can no longer be extended, because the user agreed at least
 * one hour ago.
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

/**
 * Returns the scope of the API token that requested this cloud token. Requires that the API token
 * is still valid.
 */
async function scopeOf(db: Connection, { apiToken }: CloudClaims, now: number): Promise<Scope | undefined> {
  if (apiToken === undefined) return undefined;
  const row = await getApiToken(db, apiToken);
  if (row === undefined || row.expiresAt <= timestamp(now))
    throw new FixpointError('NOT_SIGNED_IN', 'the API token that requested this token was revoked');
  return { tokenId: row.tokenId, tenantId: row.tenantId ?? undefined, right: row.right };
}

/**
 * Requires that the owner of the API token that requested a token for somebody else is still an
 * admin of the tenant.
 */
async function requireAdminOf(db: Connection, { apiToken, userId, tenants }: CloudClaims): Promise<void> {
  const row = apiToken === undefined ? undefined : await getApiToken(db, apiToken);
  if (row === undefined || row.userId === userId) return;
  const [tenant] = tenants;
  if (tenant === undefined || !(await isTenantAdmin(db, row.userId, tenant.id)))
    throw new FixpointError('NOT_SIGNED_IN', 'the owner of the API token is not an admin any more');
}
