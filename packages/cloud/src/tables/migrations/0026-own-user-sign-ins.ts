import type { Kysely } from 'kysely';

/** Stores when users of applications last signed in, and finds the newest of them. */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function ownUserSignIns(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('ApplicationUsers').addColumn('lastSignInAt', 'text').execute();
  await db.schema
    .createIndex('ApplicationUsers_newest')
    .on('ApplicationUsers')
    .columns(['tenantId', 'createdAt', 'userId'])
    .execute();
}
