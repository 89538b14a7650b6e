/** A platform in memory, with simulated time and stored bytes that a test can read and change. */

import './loaded-ahead.fixture.ts';
import { memoryKeyBag } from '../src/platform/memory-platform.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import type { Platform } from '../src/ports/platform.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { simulatedTime } from '../src/testing/simulated-time.ts';
import { EAGER_LIMITS } from './eager-limits.fixture.ts';

export function memoryPlatform(
  values = new Map<string, Uint8Array>(),
  keys = new Map<string, readonly Uint8Array[]>(),
) {
  const time = simulatedTime();
  const refused = () => Promise.reject(new Error('there is no network'));
  const platform: Platform = {
    openStore: async () => memoryStore(values),
    keyBag: memoryKeyBag(keys),
    time,
    random: seededRandom(1),
    network: { request: refused, connect: refused },
    channel: () => ({ post: () => undefined, onHint: () => () => undefined, close: () => undefined }),
    report: (error) => {
      throw error;
    },
    storageUrl: undefined,
    openingLimits: EAGER_LIMITS,
  };
  return { platform, values, keys, time };
}
