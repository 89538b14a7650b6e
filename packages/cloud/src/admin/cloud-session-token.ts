import { FixpointError } from '@fixpoint/protocol';
import type { CleanPayload } from '@fixpoint/protocol/admin';
import { listMemberships } from '../tables/tenant-users.ts';
import type { CloudClaims } from '../tokens/cloud-tokens.ts';
import { leaveToken } from '../tokens/hand-off.ts';
import { readableLedgers } from './describe-ledger.ts';
import { roleOf } from './describe-tenant.ts';
import { isEmail } from './email.ts';
import type { Handler, UserContext } from './handler.ts';
import { isInScope } from './scope.ts';

/** A token that names what the caller may use now. */
export const cloudSessionToken: Handler<'reqCloudSessionToken'> = {
  requires: 'user:active',
  perMinute: 120,
  run: async (context, { selected, resultId }) => {
    const { db, tokens, now } = context;
    const token = await tokens.mint(await claimsFor(context, selected ?? {}));
    if (resultId !== undefined) await leaveToken(db, resultId, token, now);
    return { token };
  },
};

type Selected = NonNullable<CleanPayload<'reqCloudSessionToken'>['selected']>;

/** @throws FixpointError NOT_FOUND when what is selected is not the caller's */
async function claimsFor({ db, caller, person, scope }: UserContext, wanted: Selected): Promise<CloudClaims> {
  const all = await listMemberships(db, caller.userId);
  const memberships = all.filter(({ tenantId }) => isInScope(scope, tenantId));
  const tenants = memberships.map(({ tenantId, role }) => ({ id: tenantId, role: roleOf(role) }));
  const readable = (await readableLedgers(db, caller.userId))
    .filter(({ row }) => isInScope(scope, row.tenantId))
    .map((one) => (scope?.right === 'read' ? { ...one, right: 'read' as const } : one));
  const ofWanted = wanted.ledger && readable.find(({ row }) => row.ledgerId === wanted.ledger)?.row.tenantId;
  const tenant = wanted.tenant ?? ofWanted ?? tenants[0]?.id;
  const ledger = wanted.ledger ?? readable.find(({ row }) => row.tenantId === tenant)?.row.ledgerId;
  const isKnown = (id: string) => tenants.some((one) => one.id === id);
  const isReadable = (id: string) =>
    readable.some(({ row }) => row.ledgerId === id && row.tenantId === tenant);
  if (tenant !== undefined && !isKnown(tenant)) throw new FixpointError('NOT_FOUND');
  if (ledger !== undefined && !isReadable(ledger)) throw new FixpointError('NOT_FOUND');
  return {
    userId: caller.userId,
    // Existing clients throw the whole token away when this is no address.
    email: isEmail(person.email) ? person.email : `${caller.userId}@unknown.email`,
    created: caller.createdAt,
    tenants,
    ledgers: readable.map(({ row, role, right }) => ({ id: row.ledgerId, role, right })),
    ...(scope !== undefined && { apiToken: scope.tokenId }),
    selected: { ...(tenant !== undefined && { tenant }), ...(ledger !== undefined && { ledger }) },
  };
}
