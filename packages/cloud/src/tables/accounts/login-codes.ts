import type { Insertable } from 'kysely';
import type { Connection } from '../connection.ts';
import type { LoginCodeRow, LoginCodesTable } from '../schema.ts';

/** Adds a login code, after removing expired ones. */
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

/**
 * Approves or denies a pending login code. If several callers decide the code in parallel, only one
 * of them gets the row.
 */
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

/**
 * Removes a login code. Returns whether the code existed. If several callers remove the code in
 * parallel, only one gets true.
 */
export async function takeLoginCode(db: Connection, hash: string): Promise<boolean> {
  const row = await db.deleteFrom('LoginCodes').where('hash', '=', hash).returning('hash').executeTakeFirst();
  return row !== undefined;
}

/**
 * Removes the codes that a user approved or denied and whose device hasn't fetched the result yet.
 */
export async function removeLoginCodes(db: Connection, userId: string): Promise<void> {
  await db.deleteFrom('LoginCodes').where('userId', '=', userId).execute();
}
