import { FixpointError, visibleName } from '@fixpoint/protocol';
import type { ByProvider, Query } from '@fixpoint/protocol/admin';
import type { Person } from '../../identity/identity.ts';
import {
  findUserIdsByEmail,
  getUserByProvider,
  insertProvider,
  insertUser,
  isActiveUser,
  isIdOfOther,
  listProviders,
  type ProviderRow,
  updateProvider,
} from '../../tables/accounts/user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import { newId, timestamp } from '../../tables/new-row.ts';
import { isOperator } from '../../tables/operators/operator-rows.ts';
import type { User, UserByProvider } from '../../tables/schema.ts';
import { countTenantsOwnedBy } from '../../tables/tenants/tenant-rows.ts';
import type { Handlers, PersonContext } from '../handler.ts';
import { describeTenantsOf } from '../parts/describe-tenant.ts';
import { cleanEmail, normalEmail } from '../parts/email-address.ts';
import { joinOrganization } from './join-organization.ts';

export const userHandlers = {
  /**
   * Clients send this request first at each sign-in. Users who aren't active get no tenants.
   * Invites stay pending until the user accepts them (decision 0090).
   */
  reqEnsureUser: {
    run: async (context) => {
      const caller = await knownOrNew(context);
      const isActive = caller.status === 'active';
      if (isActive) await joinOrganization({ ...context, caller });
      const byProviders = (await listProviders(context.db, caller.userId)).map(describeOwn);
      const tenants = isActive ? await describeTenantsOf(context.db, caller) : [];
      const ownedTenants = await countTenantsOwnedBy(context.db, caller.userId);
      const operator = isActive && (await isOperator(context.db, caller.userId));
      return { user: { ...caller, ownedTenants, ...(operator && { operator }), byProviders }, tenants };
    },
  },
  /** Finds users by complete address or id, at a limited rate, so nobody can list users. */
  reqFindUser: {
    perMinute: 30,
    run: async ({ db }, { query }) => {
      const userIds = await findUserIds(db, query);
      const results = await Promise.all(
        userIds.map(async (userId) => {
          const rows = await listProviders(db, userId);
          const wanted = rows.filter((row) => [undefined, row.queryProvider].includes(query.andProvider));
          return { userId, byProviders: wanted.map(describeFound) };
        }),
      );
      return { query, results: results.filter(({ byProviders }) => byProviders.length > 0) };
    },
  },
} satisfies Partial<Handlers>;

/**
 * Returns the user, and creates the user at their first sign-in. A new user has no tenant, because
 * people who join a colleague's tenant don't need their own. See docs/roles.md.
 */
async function knownOrNew({ db, person, signUp, now, newLimits }: PersonContext): Promise<User> {
  const at = timestamp(now);
  const known = await getUserByProvider(db, person.provider, person.providerUserId);
  if (known !== undefined) {
    await updateProvider(db, providerRow(known.userId, person), at);
    return known;
  }
  if (await isIdOfOther(db, person.provider, person.providerUserId))
    throw new FixpointError('CONFLICT', 'this id belongs to a user of another sign-in provider');
  if (signUp === 'closed') throw new FixpointError('FORBIDDEN', 'sign-up is closed');
  const user = await insertUser(db, newId(), newLimits.maxTenants, at, signUp === 'waitlist');
  await insertProvider(db, providerRow(user.userId, person), at);
  return user;
}

function providerRow(userId: string, person: Person): ProviderRow {
  const queryEmail = normalEmail(person.email);
  return {
    userId,
    providerUserId: person.providerUserId,
    queryProvider: person.provider,
    queryEmail,
    cleanEmail: cleanEmail(queryEmail) ?? queryEmail,
    params: JSON.stringify({
      email: person.email,
      email_verified: person.emailVerified,
      name: visibleName(person.name),
      image_url: person.imageUrl,
    }),
  };
}

async function findUserIds(db: Connection, query: Query): Promise<string[]> {
  if (query.existingUserId !== undefined) return idIfActive(db, query.existingUserId);
  const wanted = (query.byString ?? query.byEmail ?? '').trim();
  if (wanted === '') return [];
  if (cleanEmail(wanted) === undefined) return query.byString === undefined ? [] : idIfActive(db, wanted);
  // Searches only by exact address, because a similar address may belong to somebody else.
  return findUserIdsByEmail(db, normalEmail(wanted));
}

async function idIfActive(db: Connection, userId: string): Promise<string[]> {
  return (await isActiveUser(db, userId)) ? [userId] : [];
}

type Params = ByProvider['params'];

/** Returns the fields that users may see of themselves. */
function describeOwn(row: UserByProvider): ByProvider {
  return {
    providerUserId: row.providerUserId,
    queryProvider: row.queryProvider,
    ...(row.queryEmail !== null && { queryEmail: row.queryEmail }),
    ...(row.cleanEmail !== null && { cleanEmail: row.cleanEmail }),
    params: JSON.parse(row.params) as Params,
    used: row.used,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/**
 * Returns the fields of a user that anyone who knows their address or id may see. These are the
 * fields of spec §3, and whether the address was verified.
 */
function describeFound(row: UserByProvider): ByProvider {
  const { email_verified, image_url } = JSON.parse(row.params) as Params;
  return {
    queryProvider: row.queryProvider,
    // Returns the exact address as `cleanEmail`, because another person may have the same cleaned
    // form.
    ...(row.queryEmail !== null && { cleanEmail: row.queryEmail }),
    params: { email_verified: email_verified === true, ...(image_url && { image_url }) },
  };
}
