import 'fake-indexeddb/auto';
import { beforeEach, expect, test, vi } from 'vitest';
import { sha256 } from '../../codec/sha256.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { OPFS_KEY, openIndexedDbStore } from '../browser/indexeddb-store.ts';
import { opfsOpener } from './opfs-store.ts';

const open = opfsOpener({ sha256, random: seededRandom(1), time: simulatedTime(), report: () => undefined });
beforeEach(() => void vi.stubGlobal('navigator', {}));

const row = { key: 'head', bytes: Uint8Array.of(1) };

test('[R9] rejects the first write of a thread without OPFS if another one chose OPFS after it opened', async () => {
  const store = await open('fp.without', 'strict');
  const choosing = await openIndexedDbStore('fp.without', 'strict', true);
  await choosing.write([{ key: OPFS_KEY, bytes: Uint8Array.of(1) }], { key: OPFS_KEY, bytes: undefined });
  const write = store.write([row], { key: 'head', bytes: undefined });
  await expect(write).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
  await expect(open('fp.without', 'strict')).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
  await choosing.destroy();
});

test('stores a database in IndexedDB in a thread without OPFS', async () => {
  const store = await open('fp.stays', 'strict');
  await store.write([row]);
  await store.close();
  const again = await openIndexedDbStore('fp.stays', 'strict');
  expect(await again.read('head')).toEqual(row.bytes);
  await again.destroy();
});
