/** Rows that only the first writer can set: values shared by this cloud, and used codes. */
import type { Connection } from './connection.ts';

/**
 * Returns the value that the first process stored under this name. If there is none, stores the
 * given value.
 */
export async function markOf(db: Connection, name: string, value: string): Promise<string> {
  await db
    .insertInto('CloudMarks')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const row = await db
    .selectFrom('CloudMarks')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.value;
}

export async function hasMark(db: Connection, name: string): Promise<boolean> {
  const found = db.selectFrom('CloudMarks').select('name').where('name', '=', name);
  return (await found.executeTakeFirst()) !== undefined;
}

/**
 * Records the use of a code, and deletes uses before `oldest`. Returns whether this is the first
 * use since then. Only one of several parallel callers gets true.
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
