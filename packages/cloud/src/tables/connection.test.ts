import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import { Kysely, SqliteDialect, sql } from 'kysely';
import SqliteDatabase from 'libsql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openTestDatabase, temporaryFolder } from '../admin/admin.fixture.ts';
import { insertUser, lockUser } from './accounts/user-rows.ts';
import { inTransaction, isDuplicate } from './connection.ts';
import { openTables } from './open-tables.ts';
import { testDatabaseUrl } from './postgres.fixture.ts';
import { openSqlite, SQLITE_FILE } from './sqlite.ts';

const AT = '2026-11-20T12:00:00.000Z';

/** Opens the file that a server would use, without migrating it. */
const sqliteFile = (folder: string) =>
  new Kysely<unknown>({
    dialect: new SqliteDialect({ database: new SqliteDatabase(join(folder, SQLITE_FILE)) }),
  });

describe('the database', () => {
  test('[R14] configures SQLite so that a transaction is on disk when it resolves', async () => {
    const db = await openSqlite(temporaryFolder());
    onTestFinished(() => db.destroy());
    const setting = async (name: string) =>
      Object.values((await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(db)).rows[0] ?? {})[0];
    expect(await setting('journal_mode')).toBe('wal');
    expect(await setting('synchronous')).toBe(2);
    expect(await setting('foreign_keys')).toBe(1);
    expect(await setting('busy_timeout')).toBe(5000);
  });

  test('keeps committed rows when it is opened again, and migrates once', async () => {
    const folder = temporaryFolder();
    const url = await testDatabaseUrl();
    const { db: first } = await openTables(url, folder, () => undefined);
    await insertUser(first, 'z1', 5, AT);
    await first.destroy();
    const { db: second } = await openTables(url, folder, () => undefined);
    expect(await second.selectFrom('Users').select('userId').execute()).toEqual([{ userId: 'z1' }]);
    await second.destroy();
  });

  test('[R14] migrates completely or not at all: a failure in the middle leaves no table behind', async () => {
    const folder = temporaryFolder();
    const early = sqliteFile(folder);
    // The first migration creates other tables before it fails at this table.
    await sql.raw('create table "InviteTickets" (x)').execute(early);
    await expect(openSqlite(folder)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await sql.raw('drop table "InviteTickets"').execute(early);
    await early.destroy();
    const db = await openSqlite(folder);
    onTestFinished(() => db.destroy());
    expect(await db.selectFrom('InviteTickets').selectAll().execute()).toEqual([]);
  });

  test('locks a row for one transaction at a time, which sees the changes of the previous transaction', async () => {
    const db = await openTestDatabase();
    await insertUser(db, 'z1', 0, AT);
    const addOne = () =>
      inTransaction(db, async (tx) => {
        await lockUser(tx, 'z1', AT);
        const { maxTenants } = await tx.selectFrom('Users').select('maxTenants').executeTakeFirstOrThrow();
        await new Promise((done) => setImmediate(done));
        await tx
          .updateTable('Users')
          .set({ maxTenants: maxTenants + 1 })
          .execute();
      });
    await Promise.all(Array.from({ length: 50 }, addOne));
    expect(await db.selectFrom('Users').select('maxTenants').execute()).toEqual([{ maxTenants: 50 }]);
  });

  test('rolls back all writes of a transaction that throws', async () => {
    const db = await openTestDatabase();
    const failing = inTransaction(db, async (tx) => {
      await insertUser(tx, 'z1', 5, AT);
      throw new FixpointError('CONFLICT');
    });
    await expect(failing).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await db.selectFrom('Users').selectAll().execute()).toEqual([]);
  });

  test('distinguishes a duplicate row from other failures', async () => {
    const db = await openTestDatabase();
    await insertUser(db, 'z1', 5, AT);
    const twice = await insertUser(db, 'z1', 5, AT).catch((error: unknown) => error);
    expect(isDuplicate(twice)).toBe(true);
    const orphan = {
      ledgerId: 'none',
      userId: 'z1',
      role: 'member',
      right: 'read',
      createdAt: AT,
      updatedAt: AT,
      name: null,
    };
    const dangling = await db
      .insertInto('LedgerUsers')
      .values(orphan)
      .execute()
      .catch((error: unknown) => error);
    expect(isDuplicate(dangling)).toBe(false);
    expect(dangling).toBeInstanceOf(Error);
  });

  test("rejects a file that isn't a database with CONFIG_INVALID", async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, 'fixpoint.sqlite'), 'this is no database, and was one never. '.repeat(200));
    await expect(openSqlite(folder)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
