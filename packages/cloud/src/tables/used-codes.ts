import type { Connection } from './database.ts';

/** Whether this is the first use since `oldest`; codes that are older are forgotten. Of several callers one is told so. */
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
