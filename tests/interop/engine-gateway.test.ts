import { type DatabaseOptions, fixpoint, toCloud } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import {
  type Ledger,
  newLedger,
  newMember,
  temporaryFolder,
  testCloud,
} from '../../packages/cloud/tests/cloud.fixture.ts';

async function replica(url: string, { tenant, ledger, token }: Ledger, options: DatabaseOptions = {}) {
  const directory = await temporaryFolder();
  const db = fixpoint('notes', { directory, ...options });
  const attached = await db.attach(toCloud({ base: url, tenant, ledger, token }));
  return { db, attached, directory };
}

const idsOf = async ({ db }: Awaited<ReturnType<typeof replica>>) =>
  (await db.allDocs()).rows.map(({ key }) => key).sort();

describe('databases over the gateway', () => {
  test('[R13] converges two databases that wrote while disconnected, and a third that joins late', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const [a, b] = [await replica(cloud.url, notes), await replica(cloud.url, notes)];
    for (let index = 0; index < 10; index++) {
      await a.db.put({ _id: `a${index}`, from: 'a' });
      await b.db.put({ _id: `b${index}`, from: 'b' });
    }
    await expect.poll(() => idsOf(a)).toHaveLength(20);
    await expect.poll(() => idsOf(b)).toEqual(await idsOf(a));
    await expect.poll(() => a.db.head()).toEqual(await b.db.head());
    const late = await replica(cloud.url, notes);
    await expect.poll(() => idsOf(late)).toEqual(await idsOf(a));
    for (const { db, attached } of [a, b, late]) {
      await attached.detach();
      await db.close();
    }
  });
});

describe('what the gateway reports about events', () => {
  test('shows when it received unsigned events, and from whom, on every device', async () => {
    const cloud = await testCloud();
    const ann = await newLedger(cloud);
    const bob = await newMember(cloud, ann, 'write');
    const before = Date.now();
    const [a, b] = [
      await replica(cloud.url, ann, { stamps: false }),
      await replica(cloud.url, bob, { signed: true }),
    ];
    await a.db.put({ _id: 'plan', by: 'ann' });
    await a.attached.synced();
    await expect.poll(() => idsOf(b)).toEqual(['plan']);
    await b.db.put({ _id: 'plan', by: 'bob' });
    await b.attached.synced();
    await expect.poll(async () => (await a.db.get<{ by: string }>('plan')).by).toBe('bob');
    const received = (account: string) => ({ atMs: expect.any(Number), account });
    for (const { db } of [a, b]) {
      await expect
        .poll(async () => (await db.history('plan')).map((one) => one.received))
        .toEqual([received(bob.userId), received(ann.userId)]);
      const [newest, oldest] = await db.history('plan');
      expect([newest?.signature, oldest?.signature, oldest?.time]).toEqual(['valid', undefined, undefined]);
      expect(oldest?.received?.atMs).toBeGreaterThanOrEqual(before);
      expect(newest?.received?.atMs).toBeGreaterThanOrEqual(oldest?.received?.atMs as number);
      const events = await db.events();
      expect(events.find(({ event }) => event === oldest?.event)?.received).toEqual(oldest?.received);
      const { unsignedFrom } = await db.verify();
      expect(unsignedFrom).toContainEqual(
        expect.objectContaining({
          account: ann.userId,
          firstMs: expect.any(Number),
          lastMs: expect.any(Number),
        }),
      );
      expect(unsignedFrom.map(({ account }) => account)).not.toContain(bob.userId);
    }
    // The facts are stored: another start without the gateway shows them.
    const shown = await a.db.history('plan');
    await a.attached.detach();
    await a.db.close();
    const again = fixpoint('notes', { directory: a.directory });
    expect(await again.history('plan')).toEqual(shown);
    await again.close();
    await b.attached.detach();
    await b.db.close();
  });
});
