import type { Connection } from '../connection.ts';

/** Stores a row of `TokenByResultId`: see `tokens/hand-off.ts` for its contents. */
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

/**
 * Removes and returns a row that isn't older than `oldest`. Only one of several parallel callers
 * gets the row. Reads before it deletes, because most calls find no row and reading is cheaper.
 */
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
