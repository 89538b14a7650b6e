import { describe, expect, test } from 'vitest';
import type { Attached } from '../src/sync/remote.ts';
import { OBJECTS } from '../src/testing/memory-gateway.ts';
import { budget } from './budget.fixture.ts';
import { groupsAt, headersAt, upload } from './sync-uploads.fixture.ts';
import { contentOf, type Replica, type World, world } from './sync-world.fixture.ts';

const UPLOADS = budget({ commit: 240, night: 2000, release: 10_000 });
const GROUPS_MAX = 100;
/** Number of starts, which is enough for some archives to be merged. */
const STARTS = 130;

async function expectEqual({ time }: World, ...all: readonly (readonly [Replica, Attached])[]) {
  for (let round = 0; round < 2; round++) for (const [, sync] of all) await time.run(sync.synced());
  const [first, ...others] = await Promise.all(all.map(([{ db }]) => contentOf(db)));
  for (const other of others) expect(other).toEqual(first);
  const [root, ...roots] = await Promise.all(all.map(([replica]) => replica.root()));
  for (const one of roots) expect(one).toBe(root);
}

describe('merging at the remote', () => {
  test.each(['open-key', 'sealed'] as const)(
    '[R11] keeps headers short after any number of uploads, and syncs a late replica completely (%s ledger)',
    async (kind) => {
      const w = world();
      const [a, b] = [w.replica(), w.replica()];
      const syncA = await a.attach({ kind });
      await upload(w, a, syncA, 'a', UPLOADS);
      if (kind === 'open-key') {
        const [header] = await headersAt(w.gateway);
        expect(header?.cars.length).toBeLessThanOrEqual(GROUPS_MAX + 1);
        const syncB = await b.attach();
        await expectEqual(w, [a, syncA], [b, syncB]);
        expect((await b.db.allDocs()).rows).toHaveLength(Math.min(UPLOADS, 40));
        return;
      }
      const again = await a.reopen();
      const syncAgain = await again.attach();
      const puts = w.gateway.log.filter((type) => type === 'reqPutData').length;
      await w.time.run(syncAgain.synced());
      expect(w.gateway.log.filter((type) => type === 'reqPutData').length).toBe(puts);
      const syncB = await b.attach();
      await w.time.until(() => syncB.status().error?.code === 'DEVICE_NOT_APPROVED');
      await w.time.run(syncAgain.devices.approve(await w.time.run(syncB.devices.code())));
      await expectEqual(w, [again, syncAgain], [b, syncB]);
    },
  );

  test('[R11] fetches the entries of many device starts in parallel on a late replica', async () => {
    const w = world({ latencyMs: [20, 20] });
    let a = w.replica();
    for (let n = 0; n < STARTS; n++) {
      await upload(w, a, await a.attach(), `a-${n}`, 1);
      a = await a.reopen();
    }
    const listed = await groupsAt(w.gateway);
    expect(listed).toHaveLength(STARTS);
    const late = w.replica();
    const began = w.time.now();
    const sync = await late.attach();
    await w.time.run(sync.synced());
    // Each archive takes two round trips, and the replica fetches five archives at once.
    expect(w.time.now() - began).toBeLessThan((STARTS / 2) * 80);
    expect((await late.db.allDocs()).rows).toHaveLength(STARTS);
  });

  test('[R8] merges the old branch of an offline replica on all replicas', async () => {
    const w = world();
    const [a, b, late] = [w.replica(), w.replica(), w.replica()];
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    await upload(w, a, syncA, 'a', 5);
    await w.time.run(syncB.synced());
    b.line.set('cut');
    await b.db.put({ _id: 'a-1', by: 'b' });
    await b.db.del('a-2');
    await upload(w, a, syncA, 'a', 120);
    await w.time.run(a.db.compact());
    const syncLate = await late.attach();
    await w.time.run(syncLate.synced());
    await w.time.run(late.db.compact());
    b.line.set('up');
    await expectEqual(w, [a, syncA], [b, syncB], [late, syncLate]);
    const fresh = w.replica();
    await expectEqual(w, [a, syncA], [fresh, await fresh.attach()]);
  });

  test('loses nothing when two replicas merge archives at the same time without coordination', async () => {
    const w = world();
    const [a, b] = [w.replica(), w.replica()];
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    await upload(w, a, syncA, 'a', 98);
    await w.time.run(syncB.synced());
    await b.db.put({ _id: 'b' });
    await Promise.all([upload(w, a, syncA, 'a', 8), upload(w, b, syncB, 'b', 8)]);
    await expectEqual(w, [a, syncA], [b, syncB]);
    // Merging runs concurrently with uploads. The next header of each replica names the result.
    await w.time.pass(5000);
    await upload(w, a, syncA, 'then-a', 1);
    await upload(w, b, syncB, 'then-b', 1);
    for (const { cars } of await headersAt(w.gateway))
      expect(cars.length).toBeLessThanOrEqual(GROUPS_MAX + 1);
    const fresh = w.replica();
    await expectEqual(w, [a, syncA], [fresh, await fresh.attach()]);
  });

  test('sends documents while the transfer of merged archives fails, and merges later', async () => {
    const w = world();
    const [a, fresh] = [w.replica(), w.replica()];
    const syncA = await a.attach();
    await upload(w, a, syncA, 'a', GROUPS_MAX - 1);
    let puts = 0;
    w.gateway.objectFailure = ({ method }) => {
      if (method === 'PUT') puts += 1;
      return method === 'PUT' && puts % 5 !== 1 ? 503 : undefined;
    };
    for (let n = 0; n < 6; n++) {
      await a.db.put({ _id: `more-${n}` });
      await w.time.pass(5000);
    }
    w.gateway.objectFailure = undefined;
    await upload(w, a, syncA, 'then', 3);
    const [header] = await headersAt(w.gateway);
    expect(header?.cars.length).toBeLessThan(GROUPS_MAX);
    await expectEqual(w, [a, syncA], [fresh, await fresh.attach()]);
  });

  test('keeps a group in the header if the remote lost its archive, and continues to merge and upload', async () => {
    const w = world();
    const a = w.replica();
    const syncA = await a.attach();
    await upload(w, a, syncA, 'a', 20);
    const [before] = await headersAt(w.gateway);
    const lost = before?.cars[3]?.[0];
    w.gateway.objects.delete(`${OBJECTS}t/l/car/${lost}`);
    await upload(w, a, syncA, 'a', 90);
    const [header] = await headersAt(w.gateway);
    expect(header?.cars.length).toBeLessThan(GROUPS_MAX);
    expect(header?.cars.flat()).toContain(lost);
    expect(header?.compact.flat()).not.toContain(lost);
  });
});
