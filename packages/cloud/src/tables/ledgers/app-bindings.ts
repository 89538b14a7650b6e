import type { Insertable } from 'kysely';
import type { Connection } from '../connection.ts';
import type { AppBindingsTable } from '../schema.ts';

/** Returns all ledgers bound to an application, oldest binding first. Doesn't check rights. */
export async function listBoundLedgers(db: Connection, appId: string, env: string): Promise<string[]> {
  const rows = await db
    .selectFrom('AppBindings')
    .select('ledgerId')
    .where('appId', '=', appId)
    .where('env', '=', env)
    .orderBy('createdAt')
    .execute();
  return rows.map(({ ledgerId }) => ledgerId);
}

/**
 * Counts an application's bindings in one tenant. Bindings of the same application name in other
 * tenants don't count.
 */
export async function countAppBindings(db: Connection, appId: string, tenantId: string): Promise<number> {
  const { count } = await db
    .selectFrom('AppBindings')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('appId', '=', appId)
    .where('tenantId', '=', tenantId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Adds a binding. An existing binding stays unchanged. */
export async function insertAppBinding(
  db: Connection,
  row: Omit<Insertable<AppBindingsTable>, 'createdAt'>,
  at: string,
): Promise<void> {
  await db
    .insertInto('AppBindings')
    .values({ ...row, createdAt: at })
    .onConflict((conflict) => conflict.columns(['appId', 'env', 'ledgerId']).doNothing())
    .execute();
}
