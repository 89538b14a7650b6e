/** `held()` compares what a ledger lists with the data on this device. */
import { describe, expect, test } from 'vitest';
import { encodeMetaEntry } from '../src/sync/ledger/meta-entry-codec.ts';
import { objectOf, plantEntry } from './planted.fixture.ts';
import { groupsAt } from './sync-uploads.fixture.ts';
import { haveSameHead, world } from './sync-world.fixture.ts';

describe.each(['open-key', 'sealed'] as const)('held() of a ledger that is %s', (kind) => {
  test('reports the head, archives and bytes of a complete ledger', async () => {
    const here = world({ latencyMs: [5, 5], commitEachWrite: true });
    const a = here.replica();
    const sync = await a.attach({ kind });
    await here.time.run(sync.synced());
    const empty = await here.time.run(sync.held());
    expect(empty).toMatchObject({ entries: 0, head: [], unsent: 0, archives: 0, bytes: 0 });
    expect(empty.knownSince).toBeUndefined();
    for (let n = 0; n < 3; n++) {
      await a.db.put({ _id: `doc-${n}` });
      await here.time.run(sync.synced());
    }
    const held = await here.time.run(sync.held());
    expect(held).toMatchObject({
      entries: 1,
      unread: 0,
      head: await a.db.head(),
      missing: [],
      unsent: 0,
      unsized: 0,
    });
    // Each upload adds one archive, and the remote has all of them.
    expect(held.archives).toBe(
      [...here.gateway.objects.keys()].filter((key) => key.includes('/car/')).length,
    );
    const sealed = [...here.gateway.objects.values()].reduce((sum, { length }) => sum + length, 0);
    expect(held.bytes).toBeLessThan(sealed);
    expect(held.bytes).toBeGreaterThan(sealed / 2);
    expect(held.knownSince).toBeLessThanOrEqual(here.time.now());
  });

  test('counts commits that could not be sent', async () => {
    const here = world({ latencyMs: [5, 5], commitEachWrite: true });
    const a = here.replica();
    const sync = await a.attach({ kind });
    await a.db.put({ _id: 'sent' });
    await here.time.run(sync.synced());
    const sent = await a.db.head();
    here.gateway.objectFailure = ({ method }) => (method === 'PUT' ? 500 : undefined);
    for (let n = 0; n < 3; n++) await a.db.put({ _id: 'kept', n });
    expect(await here.time.run(sync.held())).toMatchObject({ head: sent, missing: [], unsent: 3 });
    here.gateway.objectFailure = undefined;
    await here.time.run(sync.synced());
    expect(await here.time.run(sync.held())).toMatchObject({ head: await a.db.head(), unsent: 0 });
  });

  test('counts commits that the ledger lost', async () => {
    const here = world({ latencyMs: [5, 5], commitEachWrite: true });
    const a = here.replica();
    const sync = await a.attach({ kind });
    await a.db.put({ _id: 'a' });
    await a.db.put({ _id: 'b' });
    await here.time.run(sync.synced());
    here.gateway.ledgers.get('t/l')?.entries.clear();
    expect(await here.time.run(sync.held())).toMatchObject({ entries: 0, head: [], unsent: 2 });
  });
});

test('reports a head that the device can’t fetch as missing', async () => {
  const here = world({ latencyMs: [5, 5], commitEachWrite: true });
  const [a, b] = [here.replica(), here.replica()];
  const [syncA, syncB] = [await a.attach(), await b.attach()];
  await a.db.put({ _id: 'both' });
  await here.time.run(syncA.synced());
  await here.time.until(() => haveSameHead([b, a]));
  here.gateway.objectFailure = ({ method }) => (method === 'GET' ? 500 : undefined);
  await a.db.put({ _id: 'of a' });
  await here.time.run(syncA.synced());
  await here.time.until(() => syncB.status().toFetch > 0);
  const held = await here.time.run(syncB.held());
  expect(held).toMatchObject({ missing: await a.db.head(), unsent: undefined });
  expect(held.head).toEqual(expect.arrayContaining([...(await a.db.head())]));
});

test('reads the head of an entry from its archive if an existing client wrote the entry, and counts unreadable entries', async () => {
  const here = world({ latencyMs: [5, 5], commitEachWrite: true });
  const a = here.replica();
  const sync = await a.attach();
  await a.db.put({ _id: 'a' });
  await here.time.run(sync.synced());
  const { entries } = here.gateway.ledgers.get('t/l') ?? expect.fail('no ledger');
  const [group] = await groupsAt(here.gateway);
  entries.clear();
  await plantEntry(here, encodeMetaEntry(group ?? []), []);
  expect(await here.time.run(sync.held())).toMatchObject({ entries: 1, unread: 0, head: await a.db.head() });
  for (const cid of group ?? []) here.gateway.objects.delete(objectOf({ cid }));
  expect(await here.time.run(sync.held())).toMatchObject({
    entries: 1,
    unread: 1,
    head: [],
    unsent: undefined,
  });
});

test('reads all parts of a long listing, also over HTTP', async () => {
  for (const capabilities of [['reqRes', 'stream'], ['reqRes']]) {
    const here = world({ latencyMs: [5, 5], commitEachWrite: true });
    here.gateway.capabilities = capabilities;
    let device = here.replica();
    for (let n = 0; n < 7; n++) {
      const sync = await device.attach();
      await device.db.put({ _id: 'a', n });
      await here.time.run(sync.synced());
      device = await device.reopen();
    }
    here.gateway.entriesMax = 3;
    const sync = await device.attach();
    expect(await here.time.run(sync.held())).toMatchObject({
      entries: 7,
      head: await device.db.head(),
      unsent: 0,
    });
  }
});
