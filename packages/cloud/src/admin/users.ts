import { FixpointError, LIMITS } from '@fixpoint/protocol';
import type { User } from '@fixpoint/protocol/admin';
import type { Person } from '../identity/identity.ts';
import type { Connection } from '../tables/database.ts';
import { newId, timestamp } from '../tables/new-row.ts';
import type { Users } from '../tables/schema.ts';
import type { Context, Handler } from './handler.ts';
import { redeemInvites } from './invites.ts';
import { cleanEmail, matchingUsers } from './matching-users.ts';
import { tenantsOf } from './tenants.ts';

/** The active user behind a person. A banned or unknown one is nobody. */
export async function findCaller(db: Connection, { providerUserId }: Person): Promise<Users | undefined> {
  return db
    .selectFrom('Users')
    .innerJoin('UserByProviders', 'UserByProviders.userId', 'Users.userId')
    .selectAll('Users')
    .where('UserByProviders.providerUserId', '=', providerUserId)
    .executeTakeFirst();
}

async function createUser({ db, person, now }: Context): Promise<Users> {
  const at = timestamp(now);
  const user: Users = {
    userId: newId(),
    maxTenants: LIMITS.tenantsPerUserMax,
    status: 'active',
    statusReason: 'just created',
    createdAt: at,
    updatedAt: at,
  };
  await db.insertInto('Users').values(user).execute();
  await db
    .insertInto('UserByProviders')
    .values({
      userId: user.userId,
      providerUserId: person.providerUserId,
      queryProvider: 'fixpoint',
      queryEmail: person.email,
      cleanEmail: cleanEmail(person.email) ?? null,
      queryNick: null,
      cleanNick: null,
      params: JSON.stringify({ name: person.name }),
      used: at,
      createdAt: at,
      updatedAt: at,
    })
    .execute();
  return user;
}

async function describeUser(db: Connection, user: Users): Promise<User> {
  const rows = await db.selectFrom('UserByProviders').selectAll().where('userId', '=', user.userId).execute();
  return { ...user, byProviders: rows.map(providerOf) };
}

const providerOf = ({
  queryProvider,
  queryEmail,
  params,
}: {
  queryProvider: string;
  queryEmail: string | null;
  params: string;
}) => ({
  queryProvider,
  ...(queryEmail === null ? {} : { cleanEmail: queryEmail }),
  params: JSON.parse(params) as Record<string, unknown>,
});

export const ensureUser: Handler<'reqEnsureUser'> = {
  user: 'new',
  run: async (context) => {
    const caller = (await findCaller(context.db, context.person)) ?? (await createUser(context));
    if (caller.status === 'active') await redeemInvites({ ...context, caller });
    const tenants = await tenantsOf(context.db, caller.userId);
    return { user: await describeUser(context.db, caller), tenants };
  },
};

/** Whole addresses and ids only: nobody can list users. */
export const findUser: Handler<'reqFindUser'> = {
  user: 'known',
  run: async ({ db }, { query }) => {
    const userIds = await matchingUsers(db, query);
    const results = await Promise.all(
      userIds.map(async (userId) => {
        const rows = await db
          .selectFrom('UserByProviders')
          .selectAll()
          .where('userId', '=', userId)
          .execute();
        return { userId, byProviders: rows.map(providerOf) };
      }),
    );
    return { results };
  },
};

/** @throws FixpointError NOT_SIGNED_IN */
export function requireActive(user: Users | undefined): Users {
  if (user === undefined || user.status !== 'active')
    throw new FixpointError('NOT_SIGNED_IN', 'user not found');
  return user;
}
