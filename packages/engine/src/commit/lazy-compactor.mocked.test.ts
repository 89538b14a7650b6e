import { afterEach, expect, test, vi } from 'vitest';
import type { CompactorParts } from './compactor.ts';
import { lazyCompactor } from './lazy-compactor.ts';

afterEach(() => vi.doUnmock('./upkeep.ts'));

test('loads code again, once, after a failed load', async () => {
  let loaded = 0;
  let merged = 0;
  vi.doMock('./upkeep.ts', () => {
    throw new Error('offline');
  });
  const compactor = lazyCompactor({} as CompactorParts);
  await expect(compactor.merge()).rejects.toThrow();
  expect(compactor.isMerging()).toBe(false);
  vi.doMock('./upkeep.ts', () => ({
    createCompactor: () => {
      loaded++;
      return { merge: async () => void merged++, sweep: async () => undefined };
    },
  }));
  await compactor.merge();
  await compactor.merge();
  expect(compactor.isSweeping()).toBe(false);
  const swept = compactor.sweep();
  expect(compactor.isSweeping()).toBe(true);
  await swept;
  expect(compactor.isSweeping()).toBe(false);
  expect([loaded, merged]).toEqual([1, 2]);
});
