import { describe, expect, test } from 'vitest';
import { rowsOf } from '../src/database/database-rows.ts';
import { contentOf, world } from './sync-world.fixture.ts';

describe('sync', () => {
  test('syncs two databases live in both directions', async () => {
    const { time, replica } = world();
    const [a, b] = [replica(), replica()];
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    await a.db.put({ _id: 'from-a', x: 1 });
    await time.run(syncA.synced());
    await time.run(syncB.synced());
    expect(await b.db.get('from-a')).toEqual({ _id: 'from-a', x: 1 });

    await b.db.put({ _id: 'from-b', x: 2 });
    await time.until(async () => (await a.db.allDocs()).rows.length === 2);
    expect(await contentOf(a.db)).toEqual(await contentOf(b.db));
    await time.until(() => syncB.status().state === 'in-sync');
    expect(syncA.status()).toEqual({ state: 'in-sync', toSend: 0, toFetch: 0 });
  });

  test('notifies subscribers of changes from other devices', async () => {
    const { time, replica } = world();
    const [a, b] = [replica(), replica()];
    const heard: unknown[] = [];
    b.db.subscribe((docs) => heard.push(...docs), true);
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    await a.db.put({ _id: 'x', n: 1 });
    await a.db.del('x');
    await time.run(syncA.synced());
    await time.run(syncB.synced());
    expect(heard.at(-1)).toEqual({ _id: 'x', _deleted: true });
  });

  test('merges and sends documents that two databases wrote before they were attached', async () => {
    const { time, replica } = world();
    const [a, b] = [replica(), replica()];
    await a.db.bulk([{ _id: 'a-1' }, { _id: 'a-2' }]);
    await a.db.put({ _id: 'both', by: 'a' });
    await b.db.put({ _id: 'b-1' });
    await b.db.put({ _id: 'both', by: 'b' });
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    await time.run(syncA.synced());
    await time.run(syncB.synced());
    await time.run(syncA.synced());
    const content = await contentOf(a.db);
    expect(content).toEqual(await contentOf(b.db));
    expect(content.docs.map(({ _id }) => _id)).toEqual(['a-1', 'a-2', 'b-1', 'both']);
  });

  test('counts documents that were written before the attach, even while the gateway can’t be reached', async () => {
    const { time, replica } = world();
    const a = replica();
    await a.db.bulk([{ _id: 'one' }, { _id: 'two' }]);
    a.line.set('cut');
    const sync = await a.attach();
    await time.until(() => sync.status().state === 'offline');
    await time.until(() => sync.status().toSend > 0);
    a.line.set('up');
    await time.run(sync.synced());
    expect(sync.status()).toEqual({ state: 'in-sync', toSend: 0, toFetch: 0 });
  });

  test('counts offline writes, and sends them when the network returns', async () => {
    const { time, replica } = world({ commitEachWrite: true });
    const [a, b] = [replica(), replica()];
    a.line.set('cut');
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    await a.db.put({ _id: 'one' });
    await a.db.put({ _id: 'two' });
    await time.pass(60_000);
    // The first write also creates the archive of the genesis event.
    expect(syncA.status()).toMatchObject({ state: 'offline', toSend: 3, error: { code: 'FETCH' } });

    a.line.set('up');
    const healedAt = time.now();
    await time.until(async () => (await b.db.allDocs()).rows.length === 2);
    await time.until(() => syncA.status().state === 'in-sync' && syncB.status().state === 'in-sync');
    expect(time.now() - healedAt).toBeLessThan(5000);
  });

  test('marks unsent documents in table rows, on request', async () => {
    const { time, replica } = world();
    const [a, b] = [replica(), replica()];
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    await b.db.bulk([{ _id: 'from-b' }, { _id: 'of-both', n: 1 }]);
    await time.run(syncB.synced());
    await a.db.put({ _id: 'sent' });
    await time.run(syncA.synced());
    const unsent = async () => {
      const { rows } = await rowsOf(a.db).window({ unsent: true });
      return rows.filter(({ isUnsent }) => isUnsent).map(({ id }) => id);
    };
    expect(await unsent()).toEqual([]);
    a.line.set('cut');
    await time.until(() => syncA.status().state === 'offline');
    await a.db.bulk([{ _id: 'new' }, { _id: 'of-both', n: 2 }]);
    expect(await unsent()).toEqual(['new', 'of-both']);
    expect((await rowsOf(a.db).window()).rows.map(({ isUnsent }) => isUnsent)).toEqual(
      Array(4).fill(undefined),
    );
    await a.db.compact();
    expect(await unsent()).toEqual(['new', 'of-both']);
    a.line.set('up');
    await time.run(syncA.synced());
    expect(await unsent()).toEqual([]);
  });

  test('polls a gateway without websockets', async () => {
    const { time, gateway, replica } = world();
    gateway.capabilities = ['reqRes'];
    const [a, b] = [replica(), replica()];
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    await a.db.put({ _id: 'from-a' });
    await b.db.put({ _id: 'from-b' });
    await time.until(async () => (await b.db.allDocs()).rows.length === 2);
    await time.until(async () => (await a.db.allDocs()).rows.length === 2);
    expect(await contentOf(a.db)).toEqual(await contentOf(b.db));
    await time.until(() => syncA.status().state === 'in-sync' && syncB.status().state === 'in-sync');
    expect(gateway.socketCount()).toBe(0);

    a.line.set('cut');
    await time.until(() => syncA.status().state === 'offline');
    await a.db.put({ _id: 'later' });
    a.line.set('up');
    await time.until(async () => (await b.db.allDocs()).rows.length === 3);
    const polls = () => gateway.log.filter((type) => type === 'bindGetMeta').length;
    const before = polls();
    await time.pass(60_000);
    // Both replicas poll one second after each answer.
    expect(polls() - before).toBeGreaterThan(2 * 55);
    expect(polls() - before).toBeLessThanOrEqual(2 * 60);
  });

  test('collects the commits that are written during an upload, and sends all of them in the next one', async () => {
    const { time, gateway, replica } = world();
    const a = replica();
    const sync = await a.attach();
    await time.run(sync.synced());
    for (let n = 0; n < 50; n++) await a.db.put({ _id: `doc-${n}` });
    await time.run(sync.synced());
    expect(gateway.log.filter((type) => type === 'reqPutMeta').length).toBeLessThan(4);
  });

  test('sends and fetches nothing twice, even after reopening', async () => {
    const { time, gateway, replica } = world();
    const [a, b] = [replica(), replica()];
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    for (let n = 0; n < 5; n++) {
      await a.db.put({ _id: `doc-${n}` });
      await time.run(syncA.synced());
      await time.run(syncB.synced());
    }
    const [again, other] = [await a.reopen(), await b.reopen()];
    gateway.log.length = 0;
    const [syncAgain, syncOther] = [await again.attach(), await other.attach()];
    await time.run(syncAgain.synced());
    await time.run(syncOther.synced());
    expect(gateway.log.filter((type) => /Data|PutMeta/.test(type))).toEqual([]);
    expect(await contentOf(again.db)).toEqual(await contentOf(other.db));
  });

  test('doesn’t send archives again after they are merged into bigger ones', async () => {
    const { time, gateway, replica } = world();
    const [a, b] = [replica(), replica()];
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    for (let n = 0; n < 12; n++) {
      await a.db.put({ _id: `doc-${n}` });
      if (n % 4 === 3) await time.run(syncA.synced());
    }
    await time.run(syncB.synced());
    await time.run(Promise.all([a.db.compact(), b.db.compact()]));
    const puts = gateway.log.filter((type) => type === 'reqPutMeta').length;
    await time.run(syncA.synced());
    await time.run(syncB.synced());
    expect(gateway.log.filter((type) => type === 'reqPutMeta').length).toBe(puts);
    await b.db.put({ _id: 'later' });
    await time.run(syncB.synced());
    await time.run(syncA.synced());
    expect(await contentOf(a.db)).toEqual(await contentOf(b.db));
  });

  test('sends a big database in parts, and never resends a part that the remote has', async () => {
    const { time, gateway, replica } = world();
    const a = replica();
    for (let n = 0; n < 24; n++)
      await a.db.put({ _id: `doc-${n}`, text: String.fromCharCode(97 + n).repeat(400_000) });
    const sync = await a.attach();
    await time.until(() => gateway.objects.size >= 4);
    a.line.set('cut');
    const arrived = gateway.objects.size;
    expect(gateway.log).not.toContain('reqPutMeta');
    const again = await a.reopen();
    const sizes = new Map(gateway.objects);
    let sentAgain = 0;
    gateway.objectFailure = ({ url }) => {
      if (sizes.has(url)) sentAgain += 1;
      return undefined;
    };
    const syncAgain = await again.attach();
    await time.run(syncAgain.synced());
    gateway.objectFailure = undefined;
    expect(sync.status().state).toBe('offline');
    expect(arrived - sentAgain).toBeGreaterThanOrEqual(3);
    for (const bytes of gateway.objects.values()) expect(bytes.length).toBeLessThan(1_600_000);

    const b = replica();
    const syncB = await b.attach();
    await time.run(syncB.synced());
    expect((await contentOf(b.db)).head).toEqual(await again.db.head());
    expect((await b.db.allDocs()).rows).toHaveLength(24);
  });

  test('syncs two ledgers through a database that is attached to both', async () => {
    const { time, replica } = world();
    const [left, middle, right] = [replica(), replica(), replica()];
    const syncs = [
      await left.attach({ ledger: 'l' }),
      await middle.attach({ ledger: 'l' }),
      await middle.attach({ ledger: 'r' }),
      await right.attach({ ledger: 'r' }),
    ];
    await left.db.put({ _id: 'from-left' });
    await right.db.put({ _id: 'from-right' });
    await middle.db.put({ _id: 'from-middle' });
    for (const { db } of [left, middle, right])
      await time.until(async () => (await db.allDocs()).rows.length === 3);
    expect(await contentOf(left.db)).toEqual(await contentOf(right.db));
    await time.until(() => syncs.every((sync) => sync.status().state === 'in-sync'));
  });

  test('sends nothing after detach, and closes without waiting for the network', async () => {
    const { time, gateway, replica } = world();
    const a = replica();
    const sync = await a.attach();
    await time.run(sync.synced());
    await sync.detach();
    expect(sync.status().state).toBe('offline');
    gateway.log.length = 0;
    await a.db.put({ _id: 'x' });
    await time.pass(60_000);
    expect(gateway.log).toEqual([]);
    await expect(sync.synced()).rejects.toMatchObject({ code: 'CONNECTION_NOT_OPEN' });

    const again = await a.attach();
    a.line.set('silent');
    const closing = time.now();
    await time.run(a.db.close());
    expect(time.now() - closing).toBe(0);
    expect(again.status().state).toBe('offline');
    expect(a.reports).toEqual([]);
  });
});
