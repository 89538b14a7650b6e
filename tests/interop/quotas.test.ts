import { fixpoint, toCloud } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { setQuota, usageOf } from '../../packages/cloud/src/tables/operators/object-sizes.ts';
import {
  about,
  carKey,
  httpClient,
  newLedger,
  putObject,
  temporaryFolder,
  testCloud,
} from '../../packages/cloud/tests/cloud.fixture.ts';

/** Text that encryption and packing can't make shorter. */
const text = (bytes: number) =>
  Array.from({ length: bytes / 8 }, () => Math.random().toString(36).slice(2, 10).padEnd(8, '0')).join('');

test('keeps what exceeds the byte quota on the device, says why, and sends it after the quota was raised', async () => {
  const cloud = await testCloud();
  const { tenant, ledger, token } = await newLedger(cloud);
  const open = async () => {
    const db = fixpoint('notes', { directory: await temporaryFolder() });
    return { db, remote: await db.attach(toCloud({ base: cloud.url, tenant, ledger, token })) };
  };
  const a = await open();
  await a.db.put({ _id: 'first', text: text(8000) });
  await a.remote.synced();
  const used = await usageOf(cloud.db, tenant);
  expect(used.bytes).toBeGreaterThan(8000);

  await setQuota(cloud.db, tenant, used.bytes + 1000);
  await a.db.put({ _id: 'second', text: text(80_000) });
  await expect.poll(() => a.remote.status().state).toBe('refused');
  expect(a.remote.status()).toMatchObject({ toSend: expect.any(Number), error: { code: 'LIMIT_REACHED' } });
  expect(a.remote.status().error?.message).toMatch(
    /^limit reached: this tenant stores [\d.]+ kB of [\d.]+ kB, and an upload of [\d.]+ kB doesn't fit;/,
  );
  await expect(a.remote.synced()).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  expect(await a.db.get('second')).toMatchObject({ _id: 'second' });
  expect((await usageOf(cloud.db, tenant)).bytes).toBe(used.bytes);
  // Reading needs no space.
  const b = await open();
  await b.remote.synced();
  expect((await b.db.allDocs()).rows.map(({ key }) => key)).toEqual(['first']);

  await setQuota(cloud.db, tenant, 10_000_000);
  await expect.poll(() => a.remote.status().state, { timeout: 60_000 }).toBe('in-sync');
  await b.remote.synced();
  expect(await b.db.get('second')).toEqual(await a.db.get('second'));
  expect((await usageOf(cloud.db, tenant)).bytes).toBeGreaterThan(used.bytes + 80_000);
  for (const { db } of [a, b]) await db.close();
});

describe('a reached byte quota', () => {
  async function opened(maxBytes: number) {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const client = await httpClient(cloud, notes);
    await setQuota(cloud.db, notes.tenant, maxBytes);
    const put = (bytes: Uint8Array<ArrayBuffer>, key = carKey(bytes)) => putObject(client, notes, key, bytes);
    const remove = async (bytes: Uint8Array) => {
      const { signedUrl } = await client.request('reqDelData', about(notes, 'car', 'DELETE', carKey(bytes)));
      return (await fetch(signedUrl, { method: 'DELETE' })).status;
    };
    const used = async () => (await usageOf(cloud.db, notes.tenant)).bytes;
    return { put, remove, used };
  }
  const bytesOf = (letter: string, length: number) => new Uint8Array(length).fill(letter.charCodeAt(0));

  test('rejects new objects, and accepts the same bytes again', async () => {
    const { put, used } = await opened(1000);
    expect(await put(bytesOf('a', 900))).toBe(200);
    expect(await put(bytesOf('b', 101))).toBe(507);
    expect(await put(bytesOf('a', 900))).toBe(200);
    expect(await put(bytesOf('b', 900), carKey(bytesOf('a', 900)))).toBe(507);
    expect(await used()).toBe(900);
    expect(await put(bytesOf('c', 100))).toBe(200);
    expect(await used()).toBe(1000);
  });

  test('frees the space of removed objects, and counts objects that are sent during their removal', async () => {
    const { put, remove, used } = await opened(1000);
    const object = bytesOf('a', 900);
    await put(object);
    expect(await remove(object)).toBe(204);
    expect([await used(), await put(bytesOf('b', 900))]).toEqual([0, 200]);
    await remove(bytesOf('b', 900));
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([put(object), remove(object), put(object), remove(object), put(object)]);
      // Afterwards, the object is either stored and counted, or neither.
      const isThere = (await remove(object)) === 204;
      if (isThere) expect(await used()).toBe(0);
      expect(await put(object)).toBe(200);
      expect(await used()).toBe(900);
    }
  });
});
