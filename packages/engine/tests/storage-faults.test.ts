import { isFixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { type DiskFault, type SimulatedDisk, simulatedDisk } from '../src/testing/simulated-disk.ts';
import { budget, patienceMs } from './budget.fixture.ts';
import { diskPlatform } from './disk.fixture.ts';

/** A fault is tried at every Nth call. Each kind of fault starts at a different call. */
const STRIDE = budget({ commit: 4, night: 1, release: 1 });
const KINDS = ['EIO', 'ENOSPC', 'EACCES', 'EMFILE', 'short'] as const;
const NAME = 'notes';

/** The acknowledged number of each document, by id. The numbers of a document only increase. */
type Promised = Map<string, number>;
type Step = (db: Database, promised: Promised) => Promise<void>;

const put =
  (id: string, n: number): Step =>
  async (db, promised) => {
    await db.put({ _id: id, n });
    promised.set(id, n);
  };

/**
 * The steps of each session of a scenario. A session opens the database, runs its steps and closes
 * the database.
 */
const SCENARIOS: Readonly<Record<string, readonly (readonly Step[])[]>> = {
  'puts and deletes': [
    [
      put('a', 1),
      put('b', 1),
      async (db, promised) => {
        // The document may be deleted even if the call fails.
        promised.delete('a');
        await db.del('a');
      },
      put('a', 2),
    ],
  ],
  'a bulk and a reopen': [
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

/** Runs the steps, which may fail. Returns the acknowledged numbers and all failures. */
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

/** Returns the documents that a new process finds. */
async function contentOf(disk: SimulatedDisk, keys: Map<string, readonly Uint8Array[]>) {
  const db = openDatabase(NAME, diskPlatform(disk.withContent(disk.content()), keys));
  const rows = (await db.allDocs<{ n: number }>()).rows;
  await db.put({ _id: 'after', n: 0 });
  await db.close();
  return new Map(rows.map(({ key, value }) => [key, value.n]));
}

describe('a failing storage', () => {
  for (const scenario of Object.keys(SCENARIOS))
    for (const lasts of [false, true])
      test(`[R3] returns typed errors, loses nothing and opens again when calls of ${scenario} fail ${lasts ? 'permanently' : 'once'}`, {
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
            // A failed write may still have had an effect, but an acknowledged write is never
            // undone.
            for (const [id, n] of promised)
              expect([fault, id, (content.get(id) ?? 0) >= n]).toEqual([fault, id, true]);
          }
      });

  test('[R10] fails writes with STORE_FULL on a full disk, still reads, and writes again once there is space, without reopening', async () => {
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

  test('[R3] rejects writes after a failed sync; the next open finds all acknowledged writes', async () => {
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
