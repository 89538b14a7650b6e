import { isFixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { type DiskFault, type SimulatedDisk, simulatedDisk } from '../src/testing/simulated-disk.ts';
import { budget, patienceMs } from './budget.fixture.ts';
import { diskPlatform } from './disk.fixture.ts';

/** Of the calls of a scenario each one, or each so many of them with another beginning for each kind of fault. */
const STRIDE = budget({ commit: 4, night: 1, release: 1 });
const KINDS = ['EIO', 'ENOSPC', 'EACCES', 'EMFILE', 'short'] as const;
const NAME = 'notes';

/** What was promised: the number in each document, which only grows, by its id. */
type Promised = Map<string, number>;
type Step = (db: Database, promised: Promised) => Promise<void>;

const put =
  (id: string, n: number): Step =>
  async (db, promised) => {
    await db.put({ _id: id, n });
    promised.set(id, n);
  };

/** Steps of a database that is opened once or more often. */
const SCENARIOS: Readonly<Record<string, readonly (readonly Step[])[]>> = {
  'puts and deletes': [
    [
      put('a', 1),
      put('b', 1),
      async (db, promised) => {
        // When it fails, it may have been done all the same.
        promised.delete('a');
        await db.del('a');
      },
      put('a', 2),
    ],
  ],
  'a bulk, opened again': [
    [
      async (db, promised) => {
        await db.bulk(['x', 'y', 'z'].map((_id) => ({ _id, n: 1 })));
        for (const id of ['x', 'y', 'z']) promised.set(id, 1);
      },
    ],
    [put('x', 2)],
  ],
  compaction: [[put('a', 1), put('b', 1), put('c', 1), (db) => db.compact(), put('a', 2)], [put('b', 2)]],
};

/** Does the steps; each one may fail, with a typed error. Gives what was promised, and what may have been done as well. */
async function play(disk: SimulatedDisk, keys: Map<string, readonly Uint8Array[]>, scenario: string) {
  const promised: Promised = new Map();
  const failures: unknown[] = [];
  for (const steps of SCENARIOS[scenario] ?? []) {
    const db = openDatabase(NAME, diskPlatform(disk, keys));
    for (const step of steps) await step(db, promised).catch((error: unknown) => failures.push(error));
    await db.close().catch((error: unknown) => failures.push(error));
  }
  return { promised, failures };
}

/** The documents, after a restart of the process. */
async function contentOf(disk: SimulatedDisk, keys: Map<string, readonly Uint8Array[]>) {
  const db = openDatabase(NAME, diskPlatform(disk.withContent(disk.content()), keys));
  const rows = (await db.allDocs<{ n: number }>()).rows;
  await db.put({ _id: 'after', n: 0 });
  await db.close();
  return new Map(rows.map(({ key, value }) => [key, value.n]));
}

describe('a storage that fails', () => {
  for (const scenario of Object.keys(SCENARIOS))
    for (const lasts of [false, true])
      test(`[R3] ${lasts ? 'from one call on' : 'once'}, at each call of ${scenario}: a typed error, nothing lost, and the next open works`, {
        timeout: patienceMs(),
      }, async () => {
        const healthy = simulatedDisk();
        await play(healthy, new Map(), scenario);
        const calls = healthy.asked();
        expect(calls).toBeGreaterThan(20);
        for (const [at, kind] of KINDS.entries())
          for (let nth = at % STRIDE; nth < calls; nth += STRIDE) {
            const fault: DiskFault = { nth, lasts, kind };
            const disk = simulatedDisk();
            const keys = new Map<string, readonly Uint8Array[]>();
            disk.fail(fault);
            const { promised, failures } = await play(disk, keys, scenario);
            disk.fail(undefined);
            const untyped = failures.filter((error) => !isFixpointError(error));
            expect([fault, untyped]).toEqual([fault, []]);
            if (kind === 'ENOSPC' && failures.length > 0)
              expect(['STORE_FULL', 'STORE_FAILED', 'CORRUPT']).toContain(
                (failures[0] as { code: string }).code,
              );
            const content = await contentOf(disk, keys);
            // What failed may have been done all the same; what was promised never went back.
            for (const [id, n] of promised)
              expect([fault, id, (content.get(id) ?? 0) >= n]).toEqual([fault, id, true]);
          }
      });

  test('[R10] a full disk gives STORE_FULL; reading goes on, and so does writing once there is space, without opening again', async () => {
    const disk = simulatedDisk();
    const db = openDatabase(NAME, diskPlatform(disk, new Map()));
    await db.put({ _id: 'before', n: 1 });
    disk.fail({ nth: 0, lasts: true, kind: 'ENOSPC' });
    await expect(db.put({ _id: 'full', n: 1 })).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect((await db.allDocs()).rows.map(({ key }) => key)).toEqual(['before']);
    disk.fail(undefined);
    await db.put({ _id: 'after', n: 1 });
    await db.del('before');
    expect((await db.allDocs()).rows.map(({ key }) => key)).toEqual(['after']);
    await db.close();
  });

  test('[R3] after a sync that failed nothing is written on top of what may be lost: the next open finds all that was acknowledged', async () => {
    const disk = simulatedDisk();
    const keys = new Map<string, readonly Uint8Array[]>();
    const db = openDatabase(NAME, diskPlatform(disk, keys));
    await db.put({ _id: 'kept', n: 1 });
    const before = disk.asked();
    await db.put({ _id: 'counted', n: 1 });
    const syncAt = disk.asked() - before - 2;
    disk.fail({ nth: syncAt, lasts: false, kind: 'EIO' });
    await expect(db.put({ _id: 'lost', n: 1 })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(disk.calls.findLast(({ kind }) => kind === 'sync')).toMatchObject({ kept: false });
    disk.fail(undefined);
    await expect(db.put({ _id: 'refused', n: 1 })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect((await db.get('kept'))['n']).toBe(1);
    await db.close();
    const content = await contentOf(disk, keys);
    expect([...content.keys()].sort()).toEqual(['counted', 'kept']);
  });
});
