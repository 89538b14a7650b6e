/** Stores and databases on a simulated disk. */
import './loaded-ahead.fixture.ts';
import { openNodeStore } from '../src/platform/node/node-store.ts';
import type { ByteStore, Durability } from '../src/ports/byte-store.ts';
import type { Platform } from '../src/ports/platform.ts';
import type { SimulatedDisk } from '../src/testing/simulated-disk.ts';
import { simulatedTime } from '../src/testing/simulated-time.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

export const FOLDER = '/disk/db';

export const openOn = (disk: SimulatedDisk, durability: Durability = 'strict'): Promise<ByteStore> =>
  openNodeStore(FOLDER, durability, disk.files, simulatedTime(), () => undefined);

/**
 * Returns a platform whose databases are on the disk.
 * @param keys the contents of the key bag
 */
export function diskPlatform(disk: SimulatedDisk, keys: Map<string, readonly Uint8Array[]>): Platform {
  return {
    ...memoryPlatform(new Map(), keys).platform,
    openStore: (_, durability) => openOn(disk, durability),
    // Ignores reports: background work fails only because of the simulated faults of the disk.
    report: () => undefined,
  };
}
