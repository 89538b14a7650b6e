import { FixpointError } from '@fixpoint/protocol';
import { CLOUD_TOKEN_SECONDS, CLOUD_TOKEN_SECONDS_MAX, type CleanPayload } from '@fixpoint/protocol/admin';
import { timestamp } from '../tables/new-row.ts';
import type { CloudClaims } from '../tokens/cloud-tokens.ts';
import { leaveToken } from '../tokens/hand-off.ts';
import { claimsFor, narrowed, narrowedToTenant } from './cloud-claims.ts';
import { SIGNED_IN_SECONDS_MAX } from './extend-token.ts';
import type { Handler, UserContext } from './handler.ts';

type Asked = CleanPayload<'reqCloudSessionToken'>;
type Opens = NonNullable<Asked['opens']>;

/**
 * Creates a token for what is selected. The gateway reads its claims, and checks the rights in the
 * tables with each use.
 */
export const cloudSessionToken: Handler<'reqCloudSessionToken'> = {
  perMinute: 120,
  run: async (context, asked) => {
    const { db, tokens, now } = context;
    const { resultId } = asked;
    const opens = widthOf(asked);
    const claims = { ...(await claimsOf(context, asked, opens)), ...endOf(asked, now) };
    const token = await tokens.mint(claims, lifeOf(asked));
    if (resultId !== undefined) await leaveToken(db, resultId, token, now);
    const { expiresAtMs, since } = await tokens.verify(token);
    const until = claims.until ?? (claims.apiToken === undefined ? since + SIGNED_IN_SECONDS_MAX : undefined);
    return {
      token,
      opens,
      expiresDate: timestamp(expiresAtMs),
      ...(until !== undefined && { extendableUntil: timestamp(until * 1000) }),
    };
  },
};

const isHandedOver = ({ handOff, resultId }: Asked): boolean => handOff === true || resultId !== undefined;

/**
 * Returns how much the token opens.
 * @throws FixpointError REQUEST_INVALID for a hand-off that would open more than one ledger
 */
function widthOf(asked: Asked): Opens {
  const { opens, selected } = asked;
  if (isHandedOver(asked)) {
    if (opens !== undefined && opens !== 'ledger')
      throw new FixpointError('REQUEST_INVALID', 'opens: a token that is handed over opens one ledger');
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
 * Returns the lifetime in seconds. Existing clients open their window again when a token expires,
 * so tokens that they fetch live as long as allowed.
 */
function lifeOf({ resultId, handOff, lifeSeconds }: Asked): number {
  if (resultId !== undefined) return CLOUD_TOKEN_SECONDS_MAX;
  return handOff === true ? CLOUD_TOKEN_SECONDS : (lifeSeconds ?? CLOUD_TOKEN_SECONDS);
}

/**
 * Returns the end of a handed-off token: the page tells the user that the app has access for an
 * hour.
 */
const endOf = (asked: Asked, now: number): Pick<CloudClaims, 'until'> =>
  isHandedOver(asked) ? { until: Math.floor(now / 1000) + CLOUD_TOKEN_SECONDS_MAX } : {};
