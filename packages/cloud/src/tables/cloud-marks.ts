import type { Connection } from './database.ts';

/** The value that the first process left under this name, which is the given one for the first process itself. */
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
