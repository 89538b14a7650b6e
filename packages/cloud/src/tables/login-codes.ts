import type { Insertable } from 'kysely';
import type { Connection } from './database.ts';
import type { LoginCodeRow, LoginCodesTable } from './schema.ts';

/** Takes those that are over out of the way first. */
export async function insertLoginCode(
  db: Connection,
  row: Omit<Insertable<LoginCodesTable>, 'userId' | 'status'>,
): Promise<void> {
  await db.deleteFrom('LoginCodes').where('expiresAt', '<=', row.createdAt).execute();
  await db
    .insertInto('LoginCodes')
    .values({ ...row, userId: null, status: 'pending' })
    .execute();
}

export async function getPendingLogin(
  db: Connection,
  userCode: string,
  at: string,
): Promise<LoginCodeRow | undefined> {
  return db
    .selectFrom('LoginCodes')
    .selectAll()
    .where('userCode', '=', userCode)
    .where('status', '=', 'pending')
    .where('expiresAt', '>', at)
    .executeTakeFirst();
}

/** Of two who decide one did. */
export async function decideLoginCode(
  db: Connection,
  userCode: string,
  { status, userId }: { readonly status: 'approved' | 'denied'; readonly userId: string },
  at: string,
): Promise<LoginCodeRow | undefined> {
  return db
    .updateTable('LoginCodes')
    .set({ status, userId })
    .where('userCode', '=', userCode)
    .where('status', '=', 'pending')
    .where('expiresAt', '>', at)
    .returningAll()
    .executeTakeFirst();
}

export async function getLoginCode(db: Connection, hash: string): Promise<LoginCodeRow | undefined> {
  return db.selectFrom('LoginCodes').selectAll().where('hash', '=', hash).executeTakeFirst();
}

/** Whether it was there: of several who take it one does. */
export async function takeLoginCode(db: Connection, hash: string): Promise<boolean> {
  const row = await db.deleteFrom('LoginCodes').where('hash', '=', hash).returning('hash').executeTakeFirst();
  return row !== undefined;
}

/** That a user decided, and whose device did not fetch its token yet. */
export async function removeLoginCodes(db: Connection, userId: string): Promise<void> {
  await db.deleteFrom('LoginCodes').where('userId', '=', userId).execute();
}
