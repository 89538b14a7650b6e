import { expect, test } from 'vitest';
import { openTestDatabase } from '../../admin/admin.fixture.ts';
import { createTraffic, removeTrafficBefore, trafficOf } from './traffic.ts';

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
