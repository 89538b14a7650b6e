import { expect, test } from 'vitest';
import { openTestDatabase } from '../../admin/admin.fixture.ts';
import { countObject } from './object-sizes.ts';
import { createTraffic, removeTrafficBefore, trafficOf, usageByDay } from './traffic.ts';

const DAY_MS = 86_400_000;

test('sums the traffic of each tenant by day, and keeps sums that could not be stored', async () => {
  const db = await openTestDatabase();
  const clock = { ms: Date.parse('2026-11-20T23:59:59Z') };
  const [one, two] = [createTraffic(db, () => clock.ms), createTraffic(db, () => clock.ms)];
  one.add('t', 'up', 100);
  two.add('t', 'down', 30);
  await Promise.all([one.flush(), two.flush()]);
  one.add('t', 'up', 1);
  clock.ms += 1000;
  one.add('t', 'up', 20);
  one.add('other', 'down', 7);
  await db.schema.alterTable('TenantTraffic').renameTo('Away').execute();
  await expect(one.flush()).rejects.toThrow();
  one.add('t', 'up', 5);
  await db.schema.alterTable('Away').renameTo('TenantTraffic').execute();
  await one.flush();
  await one.flush();
  const days = [
    { day: '2026-11-20', uploaded: 101, downloaded: 30 },
    { day: '2026-11-21', uploaded: 25, downloaded: 0 },
  ];
  const read = (since: string) => trafficOf(db, ['t', 'none'], since);
  expect(await read('2026-11-20')).toEqual(new Map([['t', days]]));
  await removeTrafficBefore(db, '2026-11-21T10:00:00.000Z');
  expect(await read('2026-11-01')).toEqual(new Map([['t', days.slice(1)]]));
});

test('lists requests and storage by day, and keeps the storage of the day before on days without requests', async () => {
  const db = await openTestDatabase();
  const clock = { ms: Date.parse('2026-11-20T12:00:00Z') };
  const traffic = createTraffic(db, () => clock.ms);
  const store = async (bytes: number) =>
    countObject(db, { tenant: 't', ledger: 'l', name: 'car/a' }, async () => bytes);
  const since = clock.ms - DAY_MS;
  await store(500);
  traffic.count('t');
  traffic.add('t', 'down', 40);
  traffic.count('other');
  await traffic.flush();
  clock.ms += 2 * DAY_MS;
  traffic.count('t');
  await store(700);
  await traffic.flush();
  clock.ms += DAY_MS;
  await store(900);
  const day = (at: string, requests: number, stored: number | undefined, downloaded = 0) => ({
    ...{ day: `2026-11-${at}`, uploaded: 0, downloaded, requests, stored },
  });
  const all = [day('19', 0, undefined), day('20', 2, 500, 40), day('21', 0, 500), day('22', 1, 700)];
  expect(await usageByDay(db, 't', since, clock.ms)).toEqual([...all, day('23', 0, 900)]);
  expect(await usageByDay(db, 't', clock.ms - 2 * DAY_MS, clock.ms)).toEqual([
    ...all.slice(2),
    day('23', 0, 900),
  ]);
  expect(await usageByDay(db, 'none', clock.ms, clock.ms)).toEqual([day('23', 0, 0)]);
});
