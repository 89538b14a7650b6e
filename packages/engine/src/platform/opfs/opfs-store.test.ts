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

test('destroys a database where the browser rejects each use of OPFS', async () => {
  const getDirectory = () => Promise.reject(new DOMException('private window', 'SecurityError'));
  const request = (_: string, ...rest: unknown[]) => (rest.at(-1) as () => unknown)();
  const locks = { request, query: async () => ({ held: [] }) };
  vi.stubGlobal('navigator', { locks, storage: { getDirectory } });
  const store = await openIndexedDbStore('fp.private', 'strict');
  await store.write([row]);
  await store.destroy();
  expect((await indexedDB.databases()).filter(({ name }) => name === 'fp.private')).toEqual([]);
});

test.each([
  ['tries to move', 100, true],
  ['leaves in IndexedDB', 50_000_001, false],
])('%s a database of an origin that stores %d bytes', async (_, usage, isMoved) => {
  const name = `fp.usage-${usage}`;
  const plain = await openIndexedDbStore(name, 'strict');
  await plain.write([row]);
  await plain.close();
  const asked = vi.fn(() => Promise.reject(new DOMException('no files here', 'NotAllowedError')));
  vi.stubGlobal(
    'FileSystemFileHandle',
    class {
      createSyncAccessHandle() {}
    },
  );
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      postMessage() {}
      close() {}
    },
  );
  const request = async (_: string, ...rest: unknown[]) => (rest.at(-1) as () => unknown)();
  const locks = { request, query: async () => ({ held: [] }) };
  const storage = { getDirectory: asked, estimate: async () => ({ usage }) };
  vi.stubGlobal('navigator', { locks, storage });
  const parts = { sha256, random: seededRandom(1), time: simulatedTime(), report: () => undefined };
  const store = await opfsOpener({ ...parts, migrates: true })(name, 'strict');
  expect(await store.read('head')).toEqual(row.bytes);
  expect(asked.mock.calls.length > 0).toBe(isMoved);
  await store.close();
});
