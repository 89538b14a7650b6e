import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { testDatabaseKind } from '../tables/postgres.fixture.ts';
import { familyOf, newRefreshToken, openApplication } from './applications.fixture.ts';

type Opened = Awaited<ReturnType<typeof openApplication>>;

/** Holds the rows of a table until the requests have read them and wait to write them. */
async function inParallel<T>(
  { db }: Opened,
  table: 'ApplicationCodes' | 'ApplicationSessions',
  requests: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const waiting = sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const answers = await db.transaction().execute(async (tx) => {
    await sql`update ${sql.table(table)} set "userId" = "userId"`.execute(tx);
    const all = Promise.all(requests.map((request) => request()));
    await expect.poll(async () => (await waiting.execute(db)).rows[0]?.count).toBe(requests.length);
    return { all };
  });
  return answers.all;
}

// SQLite runs one transaction at a time, so two requests can't read the same row before a write.
describe.skipIf(testDatabaseKind === 'sqlite')('parallel requests on PostgreSQL (skipped on SQLite)', () => {
  test('begins no lasting session when two requests use one code', async () => {
    const opened = await openApplication();
    const { ada, db, codeOf, begin } = opened;
    const given = await codeOf(ada);
    const thief = { ...given, refreshToken: newRefreshToken() };
    const answers = await inParallel(opened, 'ApplicationCodes', [() => begin(given), () => begin(thief)]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['ended', 'open']);
    expect(await db.selectFrom('ApplicationSessions').selectAll().execute()).toEqual([]);
  });

  test('ends the session when two pages replace one refresh token by different ones', async () => {
    const opened = await openApplication();
    const { ada, db, signIn, refresh } = opened;
    const { refreshToken } = await signIn(ada);
    const answers = await inParallel(opened, 'ApplicationSessions', [
      () => refresh(refreshToken),
      () => refresh(refreshToken),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['ended', 'open']);
    expect(await db.selectFrom('ApplicationSessions').selectAll().execute()).toEqual([]);
  });

  test('keeps the session when one refresh is sent twice at once', async () => {
    const opened = await openApplication();
    const { ada, signIn, refresh } = opened;
    const { refreshToken } = await signIn(ada);
    const next = newRefreshToken(familyOf(refreshToken));
    const repeat = () => refresh(refreshToken, next);
    const answers = await inParallel(opened, 'ApplicationSessions', [repeat, repeat]);
    expect(answers.map(({ status }) => status)).toEqual(['open', 'open']);
    expect(await refresh(next)).toMatchObject({ status: 'open' });
  });
});
