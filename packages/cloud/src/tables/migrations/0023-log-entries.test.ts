import { Kysely, Migrator, PostgresDialect, SqliteDialect } from 'kysely';
import SqliteDatabase from 'libsql';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { migrations } from '../migrations.ts';
import { newPostgresDatabase, testDatabaseKind } from '../postgres.fixture.ts';
import type { Schema } from '../schema.ts';

async function emptyDatabase(): Promise<Kysely<Schema>> {
  const dialect =
    testDatabaseKind === 'sqlite'
      ? new SqliteDialect({ database: new SqliteDatabase(':memory:') })
      : new PostgresDialect({ pool: new pg.Pool({ connectionString: await newPostgresDatabase() }) });
  const db = new Kysely<Schema>({ dialect });
  onTestFinished(() => db.destroy());
  return db;
}

test('[G1] deletes texts with the mark of entries, which nobody checked, and no other keys', async () => {
  const db = await emptyDatabase();
  const migrator = new Migrator({ db, provider: migrations });
  expect((await migrator.migrateTo('0019-withdrawn-records')).error).toBeUndefined();
  const at = '2026-11-28';
  const standing = { status: 'active', statusReason: '', createdAt: at, updatedAt: at };
  await db
    .insertInto('Users')
    .values({ userId: 'u', maxTenants: 5, ...standing })
    .execute();
  const limits = { maxAdminUsers: 5, maxMemberUsers: 5, maxInvites: 10, maxLedgers: 5 };
  await db
    .insertInto('Tenants')
    .values({ tenantId: 't', name: 't', ownerUserId: 'u', ...limits, ...standing })
    .execute();
  const ledger = { ledgerId: 'l', tenantId: 't', ownerId: 'u', name: 'l', maxShares: 5, metaSeq: 0 };
  await db
    .insertInto('Ledgers')
    .values({ ...ledger, ...standing })
    .execute();
  const kept = ['S1.abc', 'Srecord', 'zKey', 's2.abc', 'zS2.'];
  for (const keyText of [...kept, 'S2.abc', 'S3.abc', 'S10.abc'])
    await db
      .insertInto('LedgerKeys')
      .values({ ledgerId: 'l', keyHash: keyText, keyText, userId: 'u', createdAt: at })
      .execute();
  expect((await migrator.migrateToLatest()).error).toBeUndefined();
  const rows = await db.selectFrom('LedgerKeys').select(['keyText', 'entryId', 'entryKind']).execute();
  expect(rows.map(({ keyText }) => keyText).sort()).toEqual(kept.toSorted());
  expect(rows.every(({ entryId, entryKind }) => entryId === null && entryKind === null)).toBe(true);
});
