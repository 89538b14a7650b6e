import { afterEach, expect, test, vi } from 'vitest';
import type { Commits } from '../commit/commits-interface.ts';
import { nodePlatform } from '../platform/node/node-platform.ts';
import { remoteIdOf } from './ledger/remote-memory.ts';
import { toCloud } from './to-cloud.ts';

const LEDGER = { tenant: 't', ledger: 'l', token: 'token' };
const idAt = (gateway: string) => remoteIdOf(new URL(gateway), 't', 'l');

afterEach(() => vi.unstubAllEnvs());

test('[7.6] uses the cloud of FP_STORAGE_URL, unless the application names a cloud', () => {
  vi.stubEnv('FP_STORAGE_URL', 'fpcloud://cloud.example/?protocol=ws');
  const platform = nodePlatform('unused');
  expect(toCloud(LEDGER).idOn?.(platform)).toBe(idAt('http://cloud.example/fp'));
  const named = toCloud({ ...LEDGER, base: 'https://other.example/own' });
  expect(named.idOn?.(platform)).toBe(idAt('https://other.example/own'));
});

test.each(['', 'file:///data', 'memory://x', 'indexeddb://x', '/data', './data', 'C:\\data'])(
  '[5] rejects FP_STORAGE_URL=%j: the application must name a cloud',
  async (url) => {
    vi.stubEnv('FP_STORAGE_URL', url || undefined);
    const platform = nodePlatform('unused');
    expect(toCloud(LEDGER).idOn?.(platform)).toBeUndefined();
    const attaching = toCloud(LEDGER).attach({} as Commits, platform);
    await expect(attaching).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  },
);
