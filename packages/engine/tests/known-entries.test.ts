/**
 * Each start of a device adds an entry to the ledger. A late replica reads the newest state first,
 * and skips the archives of entries whose head it already has.
 */
import { expect, test } from 'vitest';
import type { Cid } from '../src/codec/cid.ts';
import { encodeMetaEntry } from '../src/sync/ledger/meta-entry-codec.ts';
import type { Attached } from '../src/sync/remote.ts';
import { objectOf, plantEntry } from './planted.fixture.ts';
import { groupsAt, upload } from './sync-uploads.fixture.ts';
import { contentOf, type Replica, type World, world } from './sync-world.fixture.ts';

const STARTS = 200;
/** Maximum number of entries in one event. */
const PAGE = 60;
/**
 * Upper bound for the archives that one late replica fetches: the small groups that one header
 * lists, and some merged groups.
 */
const LISTED_MAX = 115;

const fetches = ({ gateway }: World) => gateway.log.filter((type) => type === 'reqGetData').length;
const has = async ({ db }: Replica, id: string) => (await db.allDocs()).rows.some(({ key }) => key === id);
const ledgerOf = ({ gateway }: World) => gateway.ledgers.get('t/l') ?? expect.fail('no ledger');

/** Returns a device that was started `STARTS` times and sent one document after each start. */
async function started(kind: 'open-key' | 'sealed' = 'open-key') {
  const here = world({ latencyMs: [20, 20] });
  let device = here.replica();
  for (let n = 0; n < STARTS; n++) {
    await upload(here, device, await device.attach({ kind }), `start-${n}`, 1);
    // Waits long enough for the device to merge small archives.
    if (n % 20 === 0) await here.time.pass(60_000);
    device = await device.reopen();
  }
  here.gateway.entriesMax = PAGE;
  expect(ledgerOf(here).entries.size).toBe(STARTS);
  return { here, device };
}

/** Replaces entries with entries that state no head, as existing clients write them. */
async function forgetHeads(here: World) {
  const { entries } = ledgerOf(here);
  const groups = await groupsAt(here.gateway);
  entries.clear();
  groups.forEach((group, at) => {
    const entry = encodeMetaEntry(group);
    entries.set(entry.cid, { entry, writer: `w-${at}` });
  });
}

async function newestRead(here: World, late: Replica) {
  await here.time.until(() => has(late, `start-${STARTS - 1}-0`));
  return fetches(here);
}

test('[R11] shows a late replica the newest state after a bounded number of downloads, and fetches nothing again later', async () => {
  const { here, device } = await started();
  const before = fetches(here);
  const late = here.replica();
  const sync = await late.attach();
  expect((await newestRead(here, late)) - before).toBeLessThan(LISTED_MAX);
  await here.time.run(sync.synced());
  expect(fetches(here) - before).toBeLessThan(LISTED_MAX);
  expect(await contentOf(late.db)).toEqual(await contentOf(device.db));
  const again = await late.reopen();
  const after = fetches(here);
  await here.time.run((await again.attach()).synced());
  expect(fetches(here)).toBe(after);
});

test('[R11] fetches the newest state first, then the archives of entries without a head, while the replica writes', async () => {
  const { here, device } = await started();
  await forgetHeads(here);
  const before = fetches(here);
  const late = here.replica();
  const sync = await late.attach();
  expect((await newestRead(here, late)) - before).toBeLessThan(LISTED_MAX);
  expect(sync.status().state).toBe('catching-up');
  await late.db.put({ _id: 'own' });
  await here.time.until(() => here.gateway.log.at(-1) === 'reqPutMeta');
  expect(sync.status()).toMatchObject({ state: 'catching-up' });
  expect(sync.status().toFetch).toBeGreaterThan(50);
  await here.time.run(sync.synced());
  // The replica fetches each archive once, or twice if it merges the archive at the remote.
  expect(fetches(here) - before).toBeLessThan(STARTS + 2 * LISTED_MAX);
  const syncDevice: Attached = await device.attach();
  await here.time.run(syncDevice.synced());
  expect(await contentOf(late.db)).toEqual(await contentOf(device.db));
});

test('[R13][P1] reads all documents despite a false entry, which pairs an archive with the head of another archive', async () => {
  const here = world();
  const [a, b] = [here.replica(), here.replica()];
  const syncA = await a.attach();
  await a.db.put({ _id: 'old' });
  await here.time.run(syncA.synced());
  const old = await a.db.head();
  const syncB = await b.attach();
  await here.time.run(syncB.synced());
  a.line.set('cut');
  await b.db.put({ _id: 'of b' });
  await here.time.run(syncB.synced());
  const [, group] = await groupsAt(here.gateway);
  const lie = encodeMetaEntry(group ?? [], [], old as Parameters<typeof encodeMetaEntry>[2]);
  const honest = [...ledgerOf(here).entries];
  const late = here.replica();
  // The replica receives the false entry first.
  ledgerOf(here).entries.delete(honest[1]?.[0] ?? '');
  const sync = await late.attach();
  await here.time.run(sync.synced());
  await plantEntry(here, lie, []);
  await here.time.run(sync.synced());
  expect(await has(late, 'of b')).toBe(false);
  for (const [cid, entry] of honest) ledgerOf(here).entries.set(cid, entry);
  here.gateway.restart();
  await here.time.until(() => has(late, 'of b'));
  await late.db.put({ _id: 'late' });
  await here.time.run(sync.synced());
  const fresh = here.replica();
  await here.time.run((await fresh.attach()).synced());
  expect(await contentOf(fresh.db)).toEqual(await contentOf(late.db));
});

test('fetches an entry that claims an unknown head, and syncs all other entries', async () => {
  const { here, device } = await started();
  const { entries } = ledgerOf(here);
  const [first] = [...entries.values()];
  const group = (await groupsAt(here.gateway))[0] ?? [];
  expect(first).toBeDefined();
  const unknown = encodeMetaEntry(group, [], [encodeMetaEntry(group, [], []).cid as (typeof group)[0]]);
  await plantEntry(here, unknown, []);
  const late = here.replica();
  await here.time.run((await late.attach()).synced());
  expect(await contentOf(late.db)).toEqual(await contentOf(device.db));
});

test('[R13] merges all other entries of a batch when one entry can’t be fetched', async () => {
  const { here, device } = await started();
  await forgetHeads(here);
  const { objects } = here.gateway;
  const [[lost = ''] = []] = await groupsAt(here.gateway);
  const url = objectOf({ cid: lost as Cid });
  const bytes = objects.get(url) ?? expect.fail('no such object');
  objects.delete(url);
  const late = here.replica();
  const sync = await late.attach();
  await here.time.until(() => sync.status().toFetch === 1 && sync.status().error !== undefined);
  expect(sync.status()).toMatchObject({ state: 'catching-up', error: { code: 'MISSING_CARS' } });
  expect(await contentOf(late.db)).toEqual(await contentOf(device.db));
  objects.set(url, bytes);
  await here.time.until(() => sync.status().state === 'in-sync');
});

test('[R13] reports in-sync only after the last of several pages of entries', async () => {
  const { here, device } = await started();
  const late = here.replica();
  const sync = await late.attach();
  await here.time.run(sync.synced());
  late.line.set('cut');
  await upload(here, device, await device.attach(), 'newest', 1);
  let wasThere: Promise<boolean> | undefined;
  const stop = sync.onStatus(({ state }) => {
    if (state === 'in-sync') wasThere ??= has(late, 'newest-0');
  });
  late.line.set('up');
  await here.time.until(() => wasThere !== undefined);
  stop();
  expect(await wasThere).toBe(true);
});
