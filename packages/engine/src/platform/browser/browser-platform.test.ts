import 'fake-indexeddb/auto';
import { afterEach, expect, test, vi } from 'vitest';
import { browserPlatform } from './browser-platform.ts';

afterEach(() => void vi.unstubAllGlobals());

test('asks the browser never to remove the data, but only with strict durability', async () => {
  const persist = vi.fn(async () => false);
  vi.stubGlobal('navigator', { storage: { persist } });
  const platform = browserPlatform();
  for (const [durability, asked] of [
    ['relaxed', 0],
    ['strict', 1],
  ] as const) {
    const store = await platform.openStore(`kept-${durability}`, durability);
    expect([durability, persist.mock.calls.length]).toEqual([durability, asked]);
    await store.close();
  }
});

test('opens databases if the browser has no API for persistent storage, or if the request for it fails', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const failure = new Error('not here');
  for (const storage of [undefined, {}, { persist: () => Promise.reject(failure) }]) {
    vi.stubGlobal('navigator', { storage });
    const store = await browserPlatform().openStore('anyway', 'strict');
    await store.write([{ key: 'k', bytes: Uint8Array.of(1) }]);
    await store.close();
  }
  expect(said.mock.calls).toEqual([[failure]]);
  said.mockRestore();
});
