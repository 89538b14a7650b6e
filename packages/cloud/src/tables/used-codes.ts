import type { Connection } from './database.ts';

/**
 * Returns whether this is the first use since `oldest`, and forgets older codes. Returns true to
 * one of several parallel callers.
 */
export async function useCode(db: Connection, hash: string, at: string, oldest: string): Promise<boolean> {
  await db.deleteFrom('UsedCodes').where('usedAt', '<', oldest).execute();
  const row = await db
    .insertInto('UsedCodes')
    .values({ hash, usedAt: at })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst();
  return row !== undefined;
}
