import { expect, test } from 'vitest';
import { ORIGIN, openApplication } from '../admin/applications.fixture.ts';
import { createApplicationOrigins } from './application-origins.ts';

const EVIL = 'https://evil.example';

test('answers from the cache for five seconds, and again after a change', async () => {
  const { db } = await openApplication();
  const clock = { ms: 0 };
  const origins = createApplicationOrigins(db, () => clock.ms);
  expect(origins.cached(ORIGIN)).toBe(undefined);
  expect([await origins.has(ORIGIN), await origins.has(EVIL)]).toEqual([true, false]);
  expect([origins.cached(ORIGIN), origins.cached(EVIL)]).toEqual([true, false]);
  await db.updateTable('ApplicationOrigins').set({ origin: EVIL }).execute();
  clock.ms += 4999;
  expect([await origins.has(ORIGIN), await origins.has(EVIL)]).toEqual([true, false]);
  clock.ms += 1;
  expect([origins.cached(ORIGIN), await origins.has(ORIGIN), await origins.has(EVIL)]).toEqual([
    undefined,
    false,
    true,
  ]);
  await db.updateTable('ApplicationOrigins').set({ origin: ORIGIN }).execute();
  origins.forget();
  expect([await origins.has(ORIGIN), await origins.has(EVIL)]).toEqual([true, false]);
});

test('caches no answer that a change overtook', async () => {
  const { db } = await openApplication();
  const origins = createApplicationOrigins(db, () => 0);
  const looking = origins.has(ORIGIN);
  origins.forget();
  await looking;
  expect(origins.cached(ORIGIN)).toBe(undefined);
});

test('keeps a limited number of origins, and none that is too long', async () => {
  const { db } = await openApplication();
  const origins = createApplicationOrigins(db, () => 0, 2);
  const names = [0, 1, 2].map((n) => `https://${n}.example`);
  for (const name of names) await origins.has(name);
  expect(names.map(origins.cached)).toEqual([undefined, false, false]);
  const long = `https://${'x'.repeat(3000)}.example`;
  expect([origins.cached(long), await origins.has(long)]).toEqual([false, false]);
  expect(names.map(origins.cached)).toEqual([undefined, false, false]);
});
