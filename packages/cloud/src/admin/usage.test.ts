import { describe, expect, test } from 'vitest';
import { setQuota } from '../tables/operators/object-sizes.ts';
import { createTraffic } from '../tables/operators/traffic.ts';
import { bringIn, makeTenant, openAdmin } from './admin.fixture.ts';

async function openWithUsage() {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada');
  const tenantId = await makeTenant(ada);
  const traffic = createTraffic(parts.db, () => parts.clock.ms);
  traffic.add(tenantId, 'up', 500);
  traffic.count(tenantId);
  await traffic.flush();
  return { ...parts, ada, tenantId };
}

describe('the usage of a tenant', () => {
  test('is listed by day for admins, with today as the last day', async () => {
    const { ada, tenantId, db } = await openWithUsage();
    const { days, bytes, maxBytes } = await ada.ask('reqListUsage', { tenantId });
    expect([days.length, days[0]?.day, bytes, maxBytes]).toEqual([30, '2026-10-22', 0, undefined]);
    const today = { day: '2026-11-20', uploaded: 500, downloaded: 0, requests: 2, stored: 0 };
    expect(days.at(-1)).toEqual(today);
    await setQuota(db, tenantId, 1000);
    const asked = await ada.ask('reqListUsage', { tenantId, days: 1 });
    expect(asked).toMatchObject({ days: [today], maxBytes: 1000 });
  });

  test('has no storage on days before the first count', async () => {
    const { ada, tenantId } = await openWithUsage();
    const { days } = await ada.ask('reqListUsage', { tenantId, days: 2 });
    expect(days[0]).toEqual({ day: '2026-11-19', uploaded: 0, downloaded: 0, requests: 0 });
  });

  test('is hidden from other members, and from people outside of the tenant', async () => {
    const { ada, tenantId, signUp } = await openWithUsage();
    const [bob, eve] = [await signUp('bob'), await signUp('eve')];
    await bringIn(ada, tenantId, bob);
    expect(await bob.refused('reqListUsage', { tenantId })).toMatchObject({ status: 403 });
    expect(await eve.refused('reqListUsage', { tenantId })).toMatchObject({ status: 404 });
  });

  test.each([0, 91, 1.5, '7'])('rejects %j days', async (days) => {
    const { ada, tenantId } = await openWithUsage();
    expect(await ada.refused('reqListUsage', { tenantId, days })).toMatchObject({ status: 400 });
  });
});
