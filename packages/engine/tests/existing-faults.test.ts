/**
 * Imports an existing database while the storage fails or power is lost. An import either completes
 * or has no effect; in the second case, the next open imports the database.
 */
import { fileURLToPath } from 'node:url';
import { isFixpointError } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import { openDatabase } from '../src/database/open.ts';
import type { StoredFile } from '../src/files/read-file.ts';
import { existingNodeStore } from '../src/platform/node/existing-files.ts';
import type { Platform } from '../src/ports/platform.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { type SimulatedDisk, simulatedDisk } from '../src/testing/simulated-disk.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { diskPlatform } from './disk.fixture.ts';

const STRIDE = budget({ commit: 3, night: 1, release: 1 });
const POWER_LOSSES = budget({ commit: 1, night: 20, release: 100 });
const KINDS = ['EIO', 'ENOSPC', 'short'] as const;
const NAME = 'demodb';
const golden = fileURLToPath(new URL('vectors/db-small/', import.meta.url));
const PLACE = { base: `file://${golden}store`, keyBag: `file://${golden}keybag` };

type Keys = Map<string, readonly Uint8Array[]>;

const platformOn = (disk: SimulatedDisk, keys: Keys): Platform => ({
  ...diskPlatform(disk, keys),
  existingStore: (name, place) => existingNodeStore(name, place, golden),
});

/**
 * Imports the database and reads all content. Returns the number of documents and of attached
 * files.
 */
async function takenOver(
  disk: SimulatedDisk,
  keys: Keys,
): Promise<readonly [documents: number, files: number]> {
  const db = openDatabase(NAME, platformOn(disk, keys), { existing: PLACE });
  try {
    const { rows } = await db.allDocs<{ _files?: Record<string, StoredFile> }>();
    const entries = rows.flatMap(({ value }) => Object.values(value._files ?? {}));
    for (const entry of entries) await entry.file();
    return [rows.length, entries.length];
  } finally {
    await db.close().catch(() => undefined);
  }
}

test('[R3] completes or fails with a typed error when any storage call of an import fails, and imports everything at the next open', {
  timeout: patienceMs(),
}, async () => {
  const healthy = simulatedDisk();
  const whole = await takenOver(healthy, new Map());
  const calls = healthy.asked();
  expect(whole[1]).toBeGreaterThan(0);
  let failed = 0;
  for (const [at, kind] of KINDS.entries())
    for (let nth = at % STRIDE; nth < calls; nth += STRIDE) {
      const disk = simulatedDisk();
      const keys: Keys = new Map();
      disk.fail({ nth, lasts: at % 2 === 0, kind });
      const outcome = await takenOver(disk, keys).catch((error: unknown) => error);
      disk.fail(undefined);
      if (!Array.isArray(outcome)) failed += 1;
      expect([kind, nth, Array.isArray(outcome) || isFixpointError(outcome)]).toEqual([kind, nth, true]);
      if (Array.isArray(outcome)) expect([kind, nth, outcome]).toEqual([kind, nth, whole]);
      const again = disk.withContent(disk.content());
      expect([kind, nth, await takenOver(again, keys)]).toEqual([kind, nth, whole]);
    }
  expect(failed).toBeGreaterThan(3);
});

test('[R2] imports everything at the next open after a power loss at any moment', {
  timeout: patienceMs(),
}, async () => {
  const keys: Keys = new Map();
  const disk = simulatedDisk();
  const whole = await takenOver(disk, keys);
  const random = seededRandom(seed());
  for (let after = 0; after <= disk.calls.length; after++)
    for (let round = 0; round < POWER_LOSSES; round++)
      expect([after, await takenOver(disk.afterPowerLoss(after, random), keys)]).toEqual([after, whole]);
});
