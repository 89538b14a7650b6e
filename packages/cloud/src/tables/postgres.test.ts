import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { insertUser } from './accounts/user-rows.ts';
import { inTransaction } from './connection.ts';
import { newPostgresDatabase, onServer, POSTGRES } from './postgres.fixture.ts';
import { openPostgres } from './postgres.ts';

const AT = '2026-11-20T12:00:00.000Z';
const ignore = () => undefined;

test('reports an unreachable server in one line without its password', async () => {
  const opening = openPostgres('postgres://user:canary@127.0.0.1:1/none', ignore);
  const refused = await opening.catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(String(refused)).not.toMatch(/canary/);
});

describe.skipIf(POSTGRES === undefined)('PostgreSQL (skipped without FIXPOINT_TEST_POSTGRES)', () => {
  test('lets processes that start in parallel migrate one after another', async () => {
    const url = await newPostgresDatabase();
    const opened = await Promise.all(Array.from({ length: 5 }, () => openPostgres(url, ignore)));
    const dbs = opened.map(({ db }) => db);
    for (const db of dbs) expect(await db.selectFrom('Users').selectAll().execute()).toEqual([]);
    await Promise.all(dbs.map((db) => db.destroy()));
  });

  test('[R14] rejects a server that may lose stored data', async () => {
    const url = await newPostgresDatabase();
    await onServer(url, `alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`);
    await expect(openPostgres(url, ignore)).rejects.toThrow(/synchronous_commit=off/);
  });

  test('retries one of two transactions that wait for each other, and completes both', async () => {
    const { db } = await openPostgres(await newPostgresDatabase(), ignore);
    for (const id of ['z1', 'z2']) await insertUser(db, id, 0, AT);
    let waiting = 0;
    let tries = 0;
    const both = (ids: readonly string[]) =>
      inTransaction(db, async (tx) => {
        tries += 1;
        for (const id of ids) {
          await sql`update "Users" set "maxTenants" = "maxTenants" + 1 where "userId" = ${id}`.execute(tx);
          waiting += 1;
          while (waiting < 2) await new Promise((done) => setImmediate(done));
        }
      });
    await Promise.all([both(['z1', 'z2']), both(['z2', 'z1'])]);
    expect(tries).toBeGreaterThan(2);
    const rows = await db.selectFrom('Users').select('maxTenants').execute();
    expect(rows).toEqual([{ maxTenants: 2 }, { maxTenants: 2 }]);
    await db.destroy();
  });

  test('[R14] fails a transaction whose connection breaks, and keeps the process alive', async () => {
    const url = await newPostgresDatabase();
    const reported: unknown[] = [];
    const { db } = await openPostgres(url, (error) => void reported.push(error));
    const work = inTransaction(db, async (tx) => {
      await insertUser(tx, 'z1', 0, AT);
      await onServer(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'fixpoint' and datname = current_database()`,
      );
      await expect.poll(() => reported.length).toBeGreaterThan(0);
      await insertUser(tx, 'z2', 0, AT);
    });
    await expect(work).rejects.toThrow();
    expect(await db.selectFrom('Users').select('userId').execute()).toEqual([]);
    await db.destroy();
  });

  test('replaces connections that the server closes, and keeps the process alive', async () => {
    const url = await newPostgresDatabase();
    const reported: unknown[] = [];
    const { db } = await openPostgres(url, (error) => void reported.push(error));
    await insertUser(db, 'z1', 0, AT);
    await onServer(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'fixpoint' and datname = current_database()`,
    );
    await expect.poll(() => reported.length).toBeGreaterThan(0);
    // The first query may still get a broken connection.
    await expect.poll(() => db.selectFrom('Users').select('userId').execute()).toEqual([{ userId: 'z1' }]);
    await db.destroy();
  });
});
