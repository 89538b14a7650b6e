/** The option `signed`: authors in the history, in a verification, and after a sync. */
import { describe, expect, test } from 'vitest';
import { newPair } from '../src/base/p256.ts';
import { signerOf } from '../src/base/signatures.ts';
import type { ClockEvent } from '../src/clock/event.ts';
import { signedEvent } from '../src/clock/signature.ts';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { openOver } from '../src/platform/node/log/simulated-logs.fixture.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { simulatedDisk } from '../src/testing/simulated-disk.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';
import { document, GENESIS, leaf, plant, rootWith } from './planted.fixture.ts';
import { world } from './sync-world.fixture.ts';

function opened(options = {}) {
  const world = memoryPlatform();
  return { ...world, db: openDatabase('db', world.platform, { commitEachWrite: true, ...options }) };
}
const signaturesOf = async (db: Database, id: string) =>
  (await db.history(id)).map(({ signature }) => signature);

describe('a signed database', () => {
  test('says who wrote each version, and that the signatures are valid', async () => {
    const { db } = opened({ signed: true });
    await db.put({ _id: 'a', n: 1 });
    await db.put({ _id: 'a', n: 2 });
    const device = await db.device();
    expect((await db.history('a')).map((one) => [one.device, one.signature])).toEqual([
      [device, 'valid'],
      [device, 'valid'],
    ]);
    const newest = (await db.events()).map(({ signature }) => signature);
    // The first event of every database is the same, so it has no author.
    expect(newest).toEqual(['valid', 'valid', undefined]);
    expect(await db.verify()).toMatchObject({
      signers: [{ device, events: 2 }],
      unsigned: 1,
      badSignatures: [],
      backDated: [],
    });
  });

  test('signs grouped commits, transactions and deletions', async () => {
    const { db } = opened({ signed: true, commitEachWrite: false });
    await Promise.all([db.put({ _id: 'a' }), db.put({ _id: 'b' })]);
    await db.transact((t) => void t.put({ _id: 'c' }));
    await db.del('a');
    for (const id of ['a', 'b', 'c']) expect(new Set(await signaturesOf(db, id))).toEqual(new Set(['valid']));
  });

  test.each([true, false])(
    '[R9] has one device id if two processes write for the first time at the same time (signed: %s)',
    async (signed) => {
      const [disk, keys] = [simulatedDisk(), new Map()];
      const opened = (seed: number) => {
        const { platform } = memoryPlatform(undefined, keys);
        const there = { ...platform, random: seededRandom(seed), openStore: () => openOver(disk.files) };
        return openDatabase('db', there, { commitEachWrite: true, signed });
      };
      const processes = [opened(1), opened(2)];
      await Promise.all(processes.map((db) => db.ready()));
      await Promise.all(processes.map((db, n) => db.put({ _id: `from ${n}` })));
      const devices = await Promise.all(processes.map((db) => db.device()));
      for (const db of processes) await db.close();
      const later = opened(3);
      const authors = await Promise.all([0, 1].map((n) => later.history(`from ${n}`)));
      expect(authors.map(([newest]) => newest?.device)).toEqual(devices);
      expect(new Set([...devices, await later.device()]).size).toBe(1);
      await later.close();
    },
  );

  test('[R4] checks the signature of the oldest event that compaction keeps', async () => {
    const { db } = opened({ signed: true, history: { commits: 1, bytes: 0 } });
    for (let n = 0; n < 5; n++) await db.put({ _id: 'a', n });
    await db.compact();
    const device = await db.device();
    const { events, signers, unsigned } = await db.verify();
    // Only the first event of the database has no author.
    expect([signers, unsigned]).toEqual([[{ device, events: events - 1 }], 1]);
  });

  test('keeps unsigned versions that were written before the option was set', async () => {
    const { platform, db } = opened();
    await db.put({ _id: 'a', n: 1 });
    await db.close();
    const again = openDatabase('db', platform, { signed: true });
    await again.put({ _id: 'a', n: 2 });
    expect(await signaturesOf(again, 'a')).toEqual(['valid', undefined]);
  });

  test('reports an event that claims to be much older than one that it follows', async () => {
    const { db, time, values, keys } = opened({ signed: true });
    await time.pass(3_600_000);
    await db.put({ _id: 'a', n: 1 });
    await db.close();
    // The clock of this platform is an hour behind.
    const late = openDatabase('db', memoryPlatform(values, keys).platform, { signed: true });
    await late.put({ _id: 'a', n: 2 });
    const [newest] = await late.events();
    expect((await late.verify()).backDated).toEqual([newest?.event]);
  });
});

describe('an event of another member', () => {
  const signer = async () => signerOf((await newPair(new Uint8Array(32).fill(5))).both);
  const written = (id: string): ClockEvent => ({
    operations: [{ key: id, value: document(id).cid }],
    root: rootWith(leaf(id, document(id).cid)).cid,
    parents: GENESIS.head,
  });
  const planted = (event: ClockEvent, id: string) => ({
    event,
    blocks: [document(id), rootWith(leaf(id, document(id).cid))],
  });

  test('shows the device that signed it, and reports a signature that was copied from another event as bad', async () => {
    const here = world();
    const { db, attach } = here.replica();
    await here.time.run((await attach()).synced());
    const signed = await signedEvent(written('y'), 1234, await signer());
    await plant(here, planted(signed, 'y'));
    here.gateway.restart();
    await here.time.until(async () => (await db.allDocs()).rows.length === 1);
    await plant(here, planted({ ...written('z'), by: signed.by }, 'z'));
    here.gateway.restart();
    await here.time.until(async () => (await db.allDocs()).rows.length === 2);
    const [[y], [z]] = [await db.history('y'), await db.history('z')];
    const device = Buffer.from((await signer()).publicKey.subarray(1, 17)).toString('hex');
    expect([y?.signature, y?.device, y?.time]).toEqual(['valid', device, 1234]);
    expect(z?.signature).toBe('bad');
    const { signers, badSignatures } = await db.verify();
    expect([signers, badSignatures]).toEqual([[{ device, events: 1 }], [z?.event]]);
  });
});

test.each([
  ['signed: 1', { signed: 1 }],
  ['signed without stamps', { signed: true, stamps: false }],
])('rejects the option %s', (_, options) => {
  expect(() => opened(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});
