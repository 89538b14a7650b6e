import type { Connection } from './database.ts';

/** Rows of `TokenByResultId`: what is in them says `tokens/hand-off.ts`. */
export async function upsertResultToken(
  db: Connection,
  resultId: string,
  token: string,
  at: string,
): Promise<void> {
  await db
    .insertInto('TokenByResultId')
    .values({ resultId, token, createdAt: at })
    .onConflict((conflict) => conflict.column('resultId').doUpdateSet({ token, createdAt: at }))
    .execute();
}

export async function removeResultTokensBefore(db: Connection, oldest: string): Promise<void> {
  await db.deleteFrom('TokenByResultId').where('createdAt', '<', oldest).execute();
}

/** Removes and gives a row that is not older than `oldest`. Of several callers one gets it. Looks first: most calls find nothing, and reading is cheaper. */
export async function takeResultToken(
  db: Connection,
  resultId: string,
  oldest: string,
): Promise<string | undefined> {
  const found = await db
    .selectFrom('TokenByResultId')
    .select('resultId')
    .where('resultId', '=', resultId)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const row = await db
    .deleteFrom('TokenByResultId')
    .where('resultId', '=', resultId)
    .where('createdAt', '>=', oldest)
    .returning('token')
    .executeTakeFirst();
  return row?.token;
}
