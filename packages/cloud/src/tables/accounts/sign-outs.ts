import type { Connection } from '../connection.ts';

/** Records a sign-out, after which no existing cloud token of the user can be extended. */
export async function putSignOut(db: Connection, userId: string, endedAt: string): Promise<void> {
  await db
    .insertInto('SignOuts')
    .values({ userId, endedAt })
    .onConflict((oc) => oc.column('userId').doUpdateSet({ endedAt }))
    .execute();
}

export async function getSignOut(db: Connection, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('SignOuts')
    .select('endedAt')
    .where('userId', '=', userId)
    .executeTakeFirst();
  return row?.endedAt;
}
