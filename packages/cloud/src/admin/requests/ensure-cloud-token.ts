import { FixpointError, foldedName, LIMITS } from '@fixpoint/protocol';
import type { CleanPayload } from '@fixpoint/protocol/admin';
import { authorize } from '../../rights/authorize.ts';
import { countAppBindings, insertAppBinding, listBoundLedgers } from '../../tables/ledgers/app-bindings.ts';
import { listLedgerNames } from '../../tables/ledgers/ledger-rows.ts';
import { newId, timestamp } from '../../tables/new-row.ts';
import type { InviteTicket } from '../../tables/schema.ts';
import { lockTenant } from '../../tables/tenants/tenant-rows.ts';
import { GUEST, listMemberships } from '../../tables/tenants/tenant-users.ts';
import { recordAction } from '../audit.ts';
import type { Handlers, UserContext } from '../handler.ts';
import { claimsFor, narrowed } from '../parts/cloud-claims.ts';
import { readableLedgers } from '../parts/describe-ledger.ts';
import { waitingFor } from '../parts/waiting-invites.ts';
import { isInScope } from '../scope.ts';
import { createLedger } from './ledger-handlers.ts';

interface Place {
  readonly tenant: string;
  readonly ledger: string;
}
type Asked = CleanPayload<'reqEnsureCloudToken'> & { readonly env: string };

export const ensureCloudTokenHandler = {
  /** Creates a token that opens only the ledger of the application. */
  reqEnsureCloudToken: {
    perMinute: 60,
    run: async (context, { env = 'prod', ...payload }) => {
      const { db, tokens, now, caller, person, scope } = context;
      const asked = { ...payload, env };
      const { appId } = asked;
      const place = (await boundPlace(context, asked)) ?? (await newPlace(context, asked));
      const all = await claimsFor(db, { caller, email: person.email, scope }, place);
      const { tenant, ledger } = place;
      const claims = {
        ...narrowed(all, { tenants: [tenant], ledgers: [ledger] }),
        selected: { tenant, ledger, appId },
        ...(person.session !== undefined && { session: person.session }),
      };
      const cloudToken = await tokens.mint(claims);
      const { expiresAtMs } = await tokens.verify(cloudToken);
      return {
        cloudToken,
        appId,
        tenant,
        ledger,
        expiresInSec: Math.floor((expiresAtMs - now) / 1000),
        expiresDate: timestamp(expiresAtMs),
        claims,
      };
    },
  },
} satisfies Partial<Handlers>;

/**
 * Returns the first ledger that is bound to the application and that the caller may read. Never
 * accepts an invite to such a ledger: a stranger may have sent the invite, so only the invited
 * person can accept it.
 * @throws FixpointError INVITE_WAITS when an invite to the specified tenant or ledger is pending
 * for the caller
 */
async function boundPlace(context: UserContext, asked: Asked): Promise<Place | undefined> {
  const bound = await readableBound(context, asked);
  if (bound !== undefined || context.scope !== undefined) return bound;
  const memberships = await listMemberships(context.db, context.caller.userId);
  const isMember = memberships.some(({ tenantId, role }) => tenantId === asked.tenant && role !== GUEST);
  if (!isMember && (await waitingFor(context)).some((ticket) => isNamed(ticket, asked)))
    throw new FixpointError('INVITE_WAITS');
  return undefined;
}

const isNamed = ({ invitedTenantId, invitedLedgerId }: InviteTicket, { tenant, ledger }: Asked): boolean =>
  (ledger !== undefined && invitedLedgerId === ledger) ||
  (tenant !== undefined && invitedTenantId === tenant && (ledger === undefined || invitedLedgerId === null));

/**
 * Returns the first bound ledger that the caller may read. Guests get a ledger that was shared with
 * them only if the application specifies the ledger or its tenant. Otherwise the person who shared
 * the ledger would decide where the application writes.
 */
async function readableBound(
  { db, caller, scope }: UserContext,
  { appId, env, tenant, ledger }: Asked,
): Promise<Place | undefined> {
  const bound = await listBoundLedgers(db, appId, env);
  const found = (await readableLedgers(db, caller.userId)).find(
    ({ row, isGuest }) =>
      bound.includes(row.ledgerId) &&
      isInScope(scope, row.tenantId) &&
      (!isGuest || tenant !== undefined || ledger !== undefined) &&
      (tenant === undefined || row.tenantId === tenant) &&
      (ledger === undefined || row.ledgerId === ledger),
  );
  return found && { tenant: found.row.tenantId, ledger: found.row.ledgerId };
}

/**
 * Returns the specified ledger, or a new ledger. Binds the ledger to the application if the caller
 * is an admin of its tenant.
 * @throws FixpointError NOT_FOUND, LIMIT_REACHED
 */
async function newPlace(context: UserContext, asked: Asked): Promise<Place> {
  const { db, caller, scope, now } = context;
  const { appId, env } = asked;
  const named = await namedPlace(context, asked);
  if (named !== undefined && named.role !== 'admin') return named;
  const at = timestamp(now);
  const tenant = named?.tenant ?? asked.tenant ?? (await defaultTenant(context));
  await authorize(db, { userId: caller.userId, scope }, 'ledger:create', { tenantId: tenant });
  await lockTenant(db, tenant, at);
  // A parallel request of the same application may have created the ledger first.
  const meanwhile = await readableBound(context, asked);
  if (meanwhile !== undefined) return meanwhile;
  if ((await countAppBindings(db, appId, tenant)) >= LIMITS.bindingsPerAppMax)
    throw new FixpointError('LIMIT_REACHED', `${LIMITS.bindingsPerAppMax} databases of ${appId}`);
  const name = [appId, ...(env === 'prod' ? [] : [env]), caller.userId].join('-');
  const ledgerId = named?.ledger ?? (await makeLedger(context, tenant, name));
  await insertAppBinding(db, { appId, env, tenantId: tenant, ledgerId }, at);
  await recordAction(context, 'reqEnsureCloudToken', { tenantId: tenant, ledgerId }, { appId, env });
  return { tenant, ledger: ledgerId };
}

/**
 * Returns the tenant and id of the ledger that the request specifies; undefined if it specifies
 * none.
 * @throws FixpointError NOT_FOUND
 */
async function namedPlace(
  { db, caller, scope }: UserContext,
  { tenant, ledger }: Asked,
): Promise<(Place & { readonly role: string }) | undefined> {
  if (ledger === undefined) return undefined;
  const found = (await readableLedgers(db, caller.userId)).find(
    ({ row }) =>
      row.ledgerId === ledger &&
      isInScope(scope, row.tenantId) &&
      (tenant === undefined || row.tenantId === tenant),
  );
  if (found === undefined) throw new FixpointError('NOT_FOUND');
  return { tenant: found.row.tenantId, ledger, role: found.role };
}

async function defaultTenant({ db, caller, scope }: UserContext): Promise<string> {
  const own = (await listMemberships(db, caller.userId)).filter(
    ({ role, tenantId }) => role === 'admin' && isInScope(scope, tenantId),
  );
  const chosen = own.find((one) => Number(one.default) === 1) ?? own[0];
  if (chosen === undefined) throw new FixpointError('NOT_FOUND', 'a tenant');
  return chosen.tenantId;
}

async function makeLedger(context: UserContext, tenantId: string, name: string): Promise<string> {
  // Two application ids may differ only in case, but two ledger names in a tenant may not.
  const taken = (await listLedgerNames(context.db, tenantId)).some(
    (one) => one.name !== name && foldedName(one.name) === foldedName(name),
  );
  const free = taken ? `${name}-${newId()}` : name;
  return (await createLedger(context, { tenantId, name: free })).ledgerId;
}
