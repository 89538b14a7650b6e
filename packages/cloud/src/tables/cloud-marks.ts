import type { Connection } from './database.ts';

/**
 * Returns the value that the first process stored under this name; the first process stores the
 * given one.
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
