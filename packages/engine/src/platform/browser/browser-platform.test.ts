import 'fake-indexeddb/auto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { browserPlatform } from './browser-platform.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

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

describe('the connection of the device', () => {
  /** Watches with a browser that sends events to this scope, or doesn't. */
  function watched(scope: { readonly isPage: boolean }) {
    vi.useFakeTimers();
    const events = new EventTarget();
    const device = { onLine: true };
    vi.stubGlobal('navigator', device);
    vi.stubGlobal('addEventListener', events.addEventListener.bind(events));
    vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events));
    if (scope.isPage) vi.stubGlobal('document', {});
    const heard: boolean[] = [];
    const stop = browserPlatform().network.onOnline?.((isOnline) => heard.push(isOnline));
    const become = (onLine: boolean, type = onLine ? 'online' : 'offline') => {
      device.onLine = onLine;
      if (scope.isPage) events.dispatchEvent(new Event(type));
      vi.advanceTimersByTime(1000);
    };
    return { heard, stop: () => stop?.(), become };
  }

  test.each([
    ['a page, by events', { isPage: true }],
    ['a worker, which gets no events', { isPage: false }],
  ])('is known in %s, and each change is reported once', (_where, scope) => {
    const { heard, stop, become } = watched(scope);
    become(true);
    become(false);
    become(false);
    become(true);
    expect(heard).toEqual([false, true]);
    stop();
    become(false);
    expect(heard).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('needs no timer in a page', () => {
    const { stop } = watched({ isPage: true });
    expect(vi.getTimerCount()).toBe(0);
    stop();
  });
});
