import { describe, expect, test } from 'vitest';
import type { Attached } from '../src/sync/remote.ts';
import { contentOf, haveSameHead, type Replica, type World, world } from './sync-world.fixture.ts';

/** Waits until all replicas report that they are in sync and have the same head. */
async function untilEqual({ time }: World, replicas: readonly Replica[], syncs: readonly Attached[]) {
  await time.until(
    async () => syncs.every((sync) => sync.status().state === 'in-sync') && (await haveSameHead(replicas)),
  );
}

describe('sync with faults', () => {
  test('[R13] makes replicas equal within 5 s after a cut line works again, whichever message the cut interrupted', async () => {
    for (let boundary = 0; boundary < 40; boundary++) {
      const here = world({ seed: boundary });
      const { time, replica } = here;
      const [a, b] = [replica(), replica()];
      await a.db.put({ _id: 'before', n: boundary });
      await b.db.put({ _id: 'before-too', n: boundary });
      a.line.cutAfter(boundary);
      const syncs = [await a.attach(), await b.attach()];
      await time.pass(500);
      await a.db.put({ _id: 'while', n: boundary });
      await time.pass(1500);
      a.line.set('cut');
      await b.db.put({ _id: 'other', n: boundary });
      await time.pass(2000);
      a.line.set('up');
      const healedAt = time.now();
      await untilEqual(here, [a, b], syncs);
      expect(time.now() - healedAt).toBeLessThan(5000);
      expect(await contentOf(a.db)).toEqual(await contentOf(b.db));
      expect((await a.db.allDocs()).rows).toHaveLength(4);
    }
  });

  test('[R13] detects a silent link within 30 s and opens a new link', async () => {
    const here = world();
    const { time, replica } = here;
    const [a, b] = [replica(), replica()];
    const syncs = [await a.attach(), await b.attach()];
    await untilEqual(here, [a, b], syncs);
    a.line.set('silent');
    await time.pass(100);
    a.line.set('up');
    await b.db.put({ _id: 'x' });
    const silentAt = time.now();
    await time.until(async () => (await a.db.allDocs()).rows.length === 1);
    expect(time.now() - silentAt).toBeLessThan(30_000);
    await untilEqual(here, [a, b], syncs);
  });

  test('[R13] reconnects within 600 ms after each of many restarts of the gateway', async () => {
    const { time, gateway, replica } = world();
    const sync = await replica().attach();
    await time.run(sync.synced());
    const took: number[] = [];
    for (let times = 0; times < 10; times++) {
      await time.pass(10_000);
      const began = time.now();
      gateway.restart();
      await time.until(() => sync.status().state !== 'in-sync');
      await time.until(() => sync.status().state === 'in-sync');
      took.push(time.now() - began);
    }
    // The expected time is the first wait plus the time to connect.
    expect(Math.max(...took)).toBeLessThan(600);
  });

  test('[R14] reconnects clients with their previous ids after a restart of the gateway', async () => {
    const here = world();
    const { gateway, replica } = here;
    const [a, b] = [replica(), replica()];
    const syncs = [await a.attach(), await b.attach()];
    await a.db.put({ _id: 'one' });
    await untilEqual(here, [a, b], syncs);
    const [ledger] = [...gateway.ledgers.values()];
    gateway.restart();
    await a.db.put({ _id: 'two' });
    await untilEqual(here, [a, b], syncs);
    expect((await b.db.allDocs()).rows).toHaveLength(2);
    // A put replaces the previous entry of the same connection ids, so only one entry remains.
    expect(ledger?.entries.size).toBe(1);
  });

  test('[R5] ignores duplicate messages', async () => {
    const here = world({ doubled: 0.5, latencyMs: [1, 200], seed: 5 });
    const { time, replica } = here;
    const [a, b] = [replica(), replica()];
    const syncs = [await a.attach(), await b.attach()];
    for (let n = 0; n < 10; n++) {
      await a.db.put({ _id: `a-${n}` });
      await b.db.put({ _id: `b-${n}` });
      await time.pass(150);
    }
    await untilEqual(here, [a, b], syncs);
    expect(await contentOf(a.db)).toEqual(await contentOf(b.db));
    expect((await a.db.allDocs()).rows).toHaveLength(20);
  });

  test('[R16] replaces an expired token at any message', async () => {
    for (let boundary = 0; boundary < 12; boundary++) {
      const here = world({ seed: boundary });
      const { time, gateway, replica } = here;
      let issued = 0;
      const valid = new Set<string>();
      gateway.tokens = valid;
      const token = async () => {
        issued += 1;
        valid.add(`token-${issued}`);
        return `token-${issued}`;
      };
      const [a, b] = [replica(), replica()];
      const syncs = [await a.attach({ token }), await b.attach({ token })];
      await time.pass(boundary * 10);
      valid.clear();
      const endedAt = time.now();
      await a.db.put({ _id: 'x' });
      await untilEqual(here, [a, b], syncs);
      await time.until(async () => (await b.db.allDocs()).rows.length === 1);
      expect(time.now() - endedAt).toBeLessThan(5000);
    }
  });

  test('shows a permanent refusal, keeps the queue, and recovers when the right is granted again', async () => {
    const here = world();
    const { time, gateway, replica } = here;
    gateway.tokens = new Set(['other']);
    const [a, b] = [replica(), replica()];
    const syncA = await a.attach();
    await a.db.put({ _id: 'x' });
    await time.until(() => syncA.status().state === 'refused');
    expect(syncA.status()).toMatchObject({ toSend: 2, error: { code: 'NOT_SIGNED_IN' } });
    await expect(syncA.synced()).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
    const asked = gateway.log.length;
    await time.pass(60_000);
    expect(gateway.log.length - asked).toBeLessThan(8);
    expect(syncA.status().state).toBe('refused');

    gateway.tokens.add('tok');
    const syncs = [syncA, await b.attach()];
    await untilEqual(here, [a, b], syncs);
    expect((await b.db.allDocs()).rows).toHaveLength(1);
  });

  test('sends all changes to a reader; keeps and reports the reader’s own writes', async () => {
    const here = world();
    const { time, gateway, replica } = here;
    gateway.readers.add('reader');
    const [a, b] = [replica(), replica()];
    const syncA = await a.attach();
    const syncB = await b.attach({ token: 'reader' });
    await b.db.put({ _id: 'mine' });
    await a.db.put({ _id: 'theirs' });
    await time.until(async () => (await b.db.allDocs()).rows.length === 2);
    expect(syncB.status()).toMatchObject({ state: 'refused', error: { code: 'NOT_FOUND' } });
    expect(syncB.status().toSend).toBeGreaterThan(0);
    await a.db.put({ _id: 'theirs-2' });
    await time.until(async () => (await b.db.allDocs()).rows.length === 3);
    await time.run(syncA.synced());
    expect((await a.db.allDocs()).rows).toHaveLength(2);
  });

  test('retries a failed upload until it succeeds', async () => {
    const here = world();
    const { time, gateway, replica } = here;
    const [a, b] = [replica(), replica()];
    gateway.objectFailure = ({ method }) => (method === 'PUT' ? 503 : undefined);
    const syncs = [await a.attach(), await b.attach()];
    await a.db.put({ _id: 'x' });
    await time.pass(120_000);
    expect(syncs[0]?.status()).toMatchObject({ state: 'catching-up', error: { code: 'GATEWAY_PUT' } });
    expect(gateway.log).not.toContain('reqPutMeta');
    gateway.objectFailure = undefined;
    const healedAt = time.now();
    await untilEqual(here, [a, b], syncs);
    expect((await b.db.allDocs()).rows).toHaveLength(1);
    expect(time.now() - healedAt).toBeLessThan(5000);
  });

  test.each([
    ['missing', () => undefined],
    ['damaged', (bytes: Uint8Array) => bytes.map((byte, at) => (at === 90 ? byte ^ 1 : byte))],
    ['replaced', () => Uint8Array.of(1, 2, 3)],
    ['cut off', (bytes: Uint8Array) => bytes.subarray(0, bytes.length / 2)],
  ])(
    '[R13] quarantines an entry whose archive is %s, syncs all other entries, and merges the archive once it is repaired',
    async (_, harm) => {
      const here = world();
      const { time, gateway, replica } = here;
      const [a, b] = [replica(), replica()];
      const syncA = await a.attach();
      await a.db.put({ _id: 'harmed' });
      await time.run(syncA.synced());
      const [[url, whole] = []] = [...gateway.objects];
      if (url === undefined || whole === undefined) throw new Error('no object');
      const harmed = harm(whole);
      if (harmed === undefined) gateway.objects.delete(url);
      else gateway.objects.set(url, harmed);

      await b.db.put({ _id: 'own' });
      const syncB = await b.attach();
      const c = replica();
      const syncC = await c.attach();
      await time.until(async () => (await c.db.allDocs()).rows.length === 1);
      expect((await c.db.allDocs()).rows[0]?.key).toBe('own');
      await time.until(async () => (await a.db.allDocs()).rows.length === 2);
      expect(syncC.status()).toMatchObject({ state: 'catching-up', toFetch: 1 });
      await expect(time.run(syncC.synced())).rejects.toMatchObject({ code: /MISSING_CARS|CORRUPT/ });

      gateway.objects.set(url, whole);
      const healedAt = time.now();
      await untilEqual(here, [a, b, c], [syncA, syncB, syncC]);
      expect(time.now() - healedAt).toBeLessThan(5000);
      expect((await c.db.allDocs()).rows).toHaveLength(2);
    },
  );

  test('ignores answers that are not messages, and events for other connections', async () => {
    const here = world();
    const { time, gateway, replica } = here;
    const [a, b] = [replica(), replica()];
    const accept = gateway.accept;
    gateway.accept = (url, socket) => {
      const events = accept(url, socket);
      return {
        ...events,
        message: (text) => {
          socket.send('no json');
          socket.send('{"type":"news","tid":"1"}');
          socket.send(
            JSON.stringify({
              type: 'eventGetMeta',
              tid: 'x',
              conn: { reqId: 'other', resId: 'other' },
              meta: { metas: [{ cid: 'bafy', parents: [], data: 'Mxx' }], keys: ['zzz'] },
            }),
          );
          events.message(text);
        },
      };
    };
    const syncs = [await a.attach(), await b.attach()];
    await a.db.put({ _id: 'x' });
    await untilEqual(here, [a, b], syncs);
    await time.pass(60_000);
    expect(syncs.map((sync) => sync.status().state)).toEqual(['in-sync', 'in-sync']);
  });
});
