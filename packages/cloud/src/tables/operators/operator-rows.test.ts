import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../admin/admin.fixture.ts';
import { inTransaction } from '../connection.ts';
import {
  addOperator,
  claimFirstOperator,
  listOperators,
  putOperatorLink,
  removeOperator,
} from './operator-rows.ts';

const AT = '2026-11-20T12:00:00.000Z';
const OLDEST = '2026-11-19T12:00:00.000Z';

async function opened() {
  const db = await openTestDatabase();
  const claim = (hash: string, userId: string) =>
    inTransaction(db, (tx) => claimFirstOperator(tx, { hash, userId, at: AT, oldest: OLDEST }));
  const operators = async () => (await listOperators(db)).map(({ userId }) => userId);
  return { db, claim, operators };
}

describe('the first operator', () => {
  test.each([
    ['the same link', (_n: number) => 'link'],
    ['different links', (n: number) => `link ${n}`],
  ])('[S6] accepts one of 24 callers at once with %s', async (_name, linkOf) => {
    const { db, claim, operators } = await opened();
    const callers = Array.from({ length: 24 }, (_none, n) => n);
    for (const link of new Set(callers.map(linkOf))) await putOperatorLink(db, link, AT, OLDEST);
    const won = await Promise.all(callers.map((n) => claim(linkOf(n), `user ${n}`)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await operators()).toEqual([`user ${won.indexOf(true)}`]);
    expect(await db.selectFrom('OperatorLinks').selectAll().execute()).toEqual([]);
  });

  test('needs a known link that has not expired, and no operator', async () => {
    const { db, claim, operators } = await opened();
    await putOperatorLink(db, 'expired', '2026-11-19T11:59:59.999Z', '');
    expect([await claim('expired', 'u'), await claim('unknown', 'u')]).toEqual([false, false]);
    await putOperatorLink(db, 'valid', AT, OLDEST);
    expect((await db.selectFrom('OperatorLinks').select('hash').execute()).map(({ hash }) => hash)).toEqual([
      'valid',
    ]);
    await addOperator(db, 'somebody', AT);
    expect(await claim('valid', 'u')).toBe(false);
    expect(await operators()).toEqual(['somebody']);
  });

  test('accepts another one with a new link after the first was removed', async () => {
    const { db, claim, operators } = await opened();
    await putOperatorLink(db, 'one', AT, OLDEST);
    expect(await claim('one', 'u')).toBe(true);
    expect([await addOperator(db, 'u', AT), await removeOperator(db, 'u')]).toEqual([false, true]);
    expect([await removeOperator(db, 'u'), await operators()]).toEqual([false, []]);
    await putOperatorLink(db, 'two', AT, OLDEST);
    expect([await claim('one', 'v'), await claim('two', 'v')]).toEqual([false, true]);
  });
});
