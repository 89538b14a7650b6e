import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../admin/admin.fixture.ts';
import {
  countedSize,
  countNewObject,
  countObject,
  forgetSizes,
  forgetTenantStorage,
  setQuota,
  usageOf,
} from './object-sizes.ts';

const OBJECT = { tenant: 't', ledger: 'l', name: 'car/a' };

/** Tables, and a store with one object whose bytes a test sets. */
async function opened() {
  const db = await openTestDatabase();
  const store = { bytes: 0 };
  const measure = async () => store.bytes;
  const bytes = async () => (await usageOf(db, 't')).bytes;
  return { db, store, measure, bytes };
}

/** Returns a measurement that reads the store at once, and then waits until it is released. */
function held(measure: () => Promise<number>) {
  let begin: () => void = () => undefined;
  let release: () => void = () => undefined;
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isFirst = true;
  return {
    began,
    release: () => release(),
    measure: async () => {
      const bytes = await measure();
      if (!isFirst) return bytes;
      isFirst = false;
      begin();
      await released;
      return bytes;
    },
  };
}

describe('the stored bytes of a tenant', () => {
  test('adds stored objects, and subtracts removed ones', async () => {
    const { db, store, measure, bytes } = await opened();
    store.bytes = 10;
    await countNewObject(db, OBJECT, 10, measure);
    await countNewObject(db, { ...OBJECT, name: 'car/b' }, 5, async () => 5);
    expect(await bytes()).toBe(15);
    // A variant was stored beside the object.
    store.bytes = 17;
    await countNewObject(db, OBJECT, 7, measure);
    expect(await bytes()).toBe(22);
    store.bytes = 0;
    await countObject(db, OBJECT, measure);
    await countObject(db, OBJECT, measure);
    expect([await bytes(), await countedSize(db, OBJECT)]).toEqual([5, undefined]);
  });

  test('counts an object once, however many callers count it at the same time', async () => {
    const { db, store, measure, bytes } = await opened();
    store.bytes = 10;
    const callers = Array.from({ length: 8 }, () => countNewObject(db, OBJECT, 10, measure));
    await Promise.all([...callers, countObject(db, OBJECT, measure)]);
    expect(await bytes()).toBe(10);
  });

  test('includes an object that is sent again while it is being removed', async () => {
    const { db, store, measure, bytes } = await opened();
    store.bytes = 10;
    await countNewObject(db, OBJECT, 10, measure);
    // The removal measures the missing object. Before it stores the measure, an upload ends.
    store.bytes = 0;
    const removal = held(measure);
    const removed = countObject(db, OBJECT, removal.measure);
    await removal.began;
    store.bytes = 10;
    await countNewObject(db, OBJECT, 10, measure);
    removal.release();
    await removed;
    expect(await bytes()).toBe(10);
  });

  test('excludes an object that is removed while it is being counted for the first time', async () => {
    const { db, store, measure, bytes } = await opened();
    store.bytes = 10;
    const first = held(measure);
    const counted = countObject(db, OBJECT, first.measure);
    await first.began;
    store.bytes = 0;
    await countObject(db, OBJECT, measure);
    first.release();
    await counted;
    expect(await bytes()).toBe(0);
  });

  test('excludes removed ledgers, and keeps the quota until the tenant is removed', async () => {
    const { db, bytes } = await opened();
    for (const ledger of ['l', 'm']) await countNewObject(db, { ...OBJECT, ledger }, 10, async () => 10);
    await forgetSizes(db, ['l', 'none']);
    expect(await bytes()).toBe(10);
    await setQuota(db, 't', 5_000_000_000_000);
    await forgetSizes(db, ['m']);
    expect(await usageOf(db, 't')).toEqual({ bytes: 0, maxBytes: 5_000_000_000_000 });
    await setQuota(db, 't', null);
    expect(await usageOf(db, 't')).toEqual({ bytes: 0, maxBytes: undefined });
    await forgetTenantStorage(db, 't');
    expect(await db.selectFrom('TenantStorage').selectAll().execute()).toEqual([]);
  });
});
