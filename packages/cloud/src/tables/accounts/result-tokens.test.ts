import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../admin/admin.fixture.ts';
import { removeResultTokensBefore, takeResultToken, upsertResultToken } from './result-tokens.ts';

const [BEFORE, AT, LATER] = ['2026-11-20T11:00', '2026-11-20T12:00', '2026-11-20T13:00'] as const;

describe('a token that waits for an application', () => {
  test('[S1] is returned once, to one of several parallel callers', async () => {
    const db = await openTestDatabase();
    await upsertResultToken(db, 'secret', 'token', AT);
    const taken = await Promise.all(Array.from({ length: 5 }, () => takeResultToken(db, 'secret', AT)));
    expect(taken.filter((token) => token !== undefined)).toEqual(['token']);
    expect(await takeResultToken(db, 'secret', AT)).toBeUndefined();
  });

  test("[S1] isn't returned for another secret, or for a part of the secret", async () => {
    const db = await openTestDatabase();
    await upsertResultToken(db, 'secret', 'token', AT);
    for (const id of ['secre', 'secret ', 'SECRET', '', '%'])
      expect(await takeResultToken(db, id, BEFORE)).toBeUndefined();
    expect(await takeResultToken(db, 'secret', BEFORE)).toBe('token');
  });

  test("[S1] isn't returned when it is too old, unlike newer tokens", async () => {
    const db = await openTestDatabase();
    await upsertResultToken(db, 'old', 'token', BEFORE);
    await upsertResultToken(db, 'new', 'token', LATER);
    expect(await takeResultToken(db, 'old', AT)).toBeUndefined();
    expect(await takeResultToken(db, 'new', AT)).toBe('token');
  });

  test('is replaced, with its time, when the hand-off is repeated', async () => {
    const db = await openTestDatabase();
    await upsertResultToken(db, 'secret', 'first', BEFORE);
    await upsertResultToken(db, 'secret', 'second', LATER);
    expect(await takeResultToken(db, 'secret', AT)).toBe('second');
  });

  test('is removed if nobody fetched it in time', async () => {
    const db = await openTestDatabase();
    await upsertResultToken(db, 'old', 'token', BEFORE);
    await upsertResultToken(db, 'kept', 'token', AT);
    await removeResultTokensBefore(db, AT);
    const rows = await db.selectFrom('TokenByResultId').select('resultId').execute();
    expect(rows).toEqual([{ resultId: 'kept' }]);
  });
});
