import type { Query } from '@fixpoint/protocol/admin';
import { findUserIdsByEmail, isActiveUser, listProviders } from '../tables/accounts/user-rows.ts';
import type { Connection } from '../tables/connection.ts';
import { describeFound } from './describe-user.ts';
import { cleanEmail, normalEmail } from './email.ts';
import type { Handler } from './handler.ts';

/** Finds users by whole addresses and ids only, at a limited rate: nobody can list users. */
export const findUser: Handler<'reqFindUser'> = {
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
};

async function findUserIds(db: Connection, query: Query): Promise<string[]> {
  if (query.existingUserId !== undefined) return idIfActive(db, query.existingUserId);
  const wanted = (query.byString ?? query.byEmail ?? '').trim();
  if (wanted === '') return [];
  if (cleanEmail(wanted) === undefined) return query.byString === undefined ? [] : idIfActive(db, wanted);
  // A similar address belongs to somebody else.
  return findUserIdsByEmail(db, normalEmail(wanted));
}

async function idIfActive(db: Connection, userId: string): Promise<string[]> {
  return (await isActiveUser(db, userId)) ? [userId] : [];
}
