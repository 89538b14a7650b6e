/** Lists the tenants of this server, for its operators. */
import { type ExpressionBuilder, sql } from 'kysely';
import type { Connection } from '../connection.ts';
import type { Schema } from '../schema.ts';
import { GUEST } from '../tenants/tenant-users.ts';

/** Which part of a list to return. */
export interface ListPart {
  /** A part of a name or an address, or a whole id. */
  readonly search?: string | undefined;
  /** The id of the last item of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

type OfTenants = ExpressionBuilder<Schema, 'Tenants' | 'TenantStorage'>;

/** Returns tenants, newest first, with their limits and what they use of them. */
export async function listTenants(db: Connection, { search, after, limit }: ListPart) {
  let query = db
    .selectFrom('Tenants')
    .leftJoin('TenantStorage', 'TenantStorage.tenantId', 'Tenants.tenantId')
    .selectAll('Tenants')
    .select(['TenantStorage.bytes', 'TenantStorage.maxBytes'])
    .select((eb) => [
      membersOf(eb, '=', 'admin').as('admins'),
      membersOf(eb, 'not in', ['admin', GUEST]).as('members'),
      countOf(eb, 'Ledgers').as('ledgers'),
      addressOf(eb).as('ownerEmail'),
    ]);
  if (search) query = query.where((eb) => matches(eb, search));
  if (after !== undefined) {
    const last = await createdAtOf(db, after);
    if (last === undefined) return [];
    query = query.where((eb) =>
      eb.or([
        eb('Tenants.createdAt', '<', last),
        eb.and([eb('Tenants.createdAt', '=', last), eb('Tenants.tenantId', '<', after)]),
      ]),
    );
  }
  const rows = await query
    .orderBy('Tenants.createdAt', 'desc')
    .orderBy('Tenants.tenantId', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ bytes, maxBytes, admins, members, ledgers, ...row }) => ({
    ...row,
    admins: Number(admins),
    members: Number(members),
    ledgers: Number(ledgers),
    bytes: Number(bytes ?? 0),
    maxBytes: maxBytes === null ? undefined : Number(maxBytes),
  }));
}

const membersOf = (eb: OfTenants, operator: '=' | 'not in', role: string | string[]) =>
  eb
    .selectFrom('TenantUsers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .whereRef('TenantUsers.tenantId', '=', 'Tenants.tenantId')
    .where('TenantUsers.status', '=', 'active')
    .where('TenantUsers.role', operator, role);

const countOf = (eb: OfTenants, table: 'Ledgers') =>
  eb
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .whereRef('Ledgers.tenantId', '=', 'Tenants.tenantId');

const addressOf = (eb: OfTenants) =>
  eb
    .selectFrom('UserByProviders')
    .select(({ fn }) => fn.min('UserByProviders.queryEmail').as('email'))
    .whereRef('UserByProviders.userId', '=', 'Tenants.ownerUserId');

const matches = (eb: OfTenants, search: string) =>
  eb.or([
    eb('Tenants.tenantId', '=', search),
    contains(eb.ref('Tenants.name'), search),
    eb.exists(
      eb
        .selectFrom('UserByProviders')
        .select('UserByProviders.userId')
        .whereRef('UserByProviders.userId', '=', 'Tenants.ownerUserId')
        .where(({ ref }) => contains(ref('UserByProviders.queryEmail'), search)),
    ),
  ]);

/** Returns whether a text contains the searched text, in upper or lower case. */
export function contains(column: unknown, search: string) {
  const pattern = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`lower(${column}) like ${pattern} escape '\\'`;
}

async function createdAtOf(db: Connection, tenantId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('Tenants')
    .select('createdAt')
    .where('tenantId', '=', tenantId)
    .executeTakeFirst();
  return row?.createdAt;
}

/** The limits of a tenant that an operator can change; undefined limits stay. */
export interface TenantLimits {
  readonly maxAdminUsers?: number | undefined;
  readonly maxMemberUsers?: number | undefined;
  readonly maxInvites?: number | undefined;
  readonly maxLedgers?: number | undefined;
  /** Shares of each ledger. */
  readonly maxShares?: number | undefined;
}

/** Changes limits of a tenant and of its ledgers. Returns whether the tenant exists. */
export async function setTenantLimits(
  db: Connection,
  tenantId: string,
  limits: TenantLimits,
  at: string,
): Promise<boolean> {
  const set = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  const row = await db
    .updateTable('Tenants')
    .set({ ...set, updatedAt: at })
    .where('tenantId', '=', tenantId)
    .returning('tenantId')
    .executeTakeFirst();
  if (row === undefined) return false;
  // The row of the tenant is locked now, so no ledger can be created with the previous limit.
  const { maxShares } = limits;
  if (maxShares !== undefined)
    await db.updateTable('Ledgers').set({ maxShares }).where('tenantId', '=', tenantId).execute();
  return true;
}
