import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../admin/admin.fixture.ts';
import { type MailCount, removeMailCountsBefore, takeMail } from './mail-counts.ts';

const count = (subject: string, max: number, period = '2026-11-20'): MailCount => ({ subject, period, max });
const countsIn = async (db: Awaited<ReturnType<typeof openTestDatabase>>) => {
  const rows = await db.selectFrom('MailCounts').selectAll().orderBy('subject').orderBy('period').execute();
  return rows.map((row) => `${row.subject} ${row.period} ${Number(row.count)}`);
};

describe('counting mails', () => {
  test('[S6] counts up to the maximum, and then returns the count that is at its maximum', async () => {
    const db = await openTestDatabase();
    for (let n = 0; n < 3; n++) expect(await takeMail(db, [count('ada', 3)])).toBeUndefined();
    expect(await takeMail(db, [count('ada', 3)])).toEqual(count('ada', 3));
    expect(await countsIn(db)).toEqual(['ada 2026-11-20 3']);
  });

  test('[S6] adds a mail to all counts or to none', async () => {
    const db = await openTestDatabase();
    await takeMail(db, [count('to', 1)]);
    expect(await takeMail(db, [count('from', 9), count('to', 1), count('all', 9)])).toEqual(count('to', 1));
    expect(await countsIn(db)).toEqual(['from 2026-11-20 0', 'to 2026-11-20 1']);
  });

  test('[S6] admits only three of eight parallel mails if the maximum is three', async () => {
    const db = await openTestDatabase();
    const taken = await Promise.all(Array.from({ length: 8 }, () => takeMail(db, [count('ada', 3)])));
    expect(taken.filter((full) => full === undefined)).toHaveLength(3);
    expect(await countsIn(db)).toEqual(['ada 2026-11-20 3']);
  });

  test('admits no mail when the maximum is zero', async () => {
    const db = await openTestDatabase();
    expect(await takeMail(db, [count('ada', 0)])).toEqual(count('ada', 0));
    expect(await countsIn(db)).toEqual([]);
  });

  test('counts each period and each subject separately', async () => {
    const db = await openTestDatabase();
    await takeMail(db, [count('ada', 1)]);
    expect(await takeMail(db, [count('ada', 1, '2026-11-21')])).toBeUndefined();
    expect(await takeMail(db, [count('bob', 1)])).toBeUndefined();
  });

  test('deletes only periods that began before the given time', async () => {
    const db = await openTestDatabase();
    for (const period of ['2026-11-18', '2026-11-19', '2026-11-19T10', '2026-11-20'])
      await takeMail(db, [count('ada', 1, period)]);
    await removeMailCountsBefore(db, '2026-11-19');
    expect(await countsIn(db)).toEqual(['ada 2026-11-19 1', 'ada 2026-11-19T10 1', 'ada 2026-11-20 1']);
  });
});
