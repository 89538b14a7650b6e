/** Tests sealed ledgers (`docs/internals/sealed-ledgers.md`) with a gateway in simulated time. */
import { LIMITS } from '@fixpoint/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import { liveKeyring } from '../src/entries/live.ts';
import type { Attached } from '../src/sync/remote.ts';
import { upload } from './sync-uploads.fixture.ts';
import { contentOf, type Replica, type World, world } from './sync-world.fixture.ts';

const CANARY = 'canary-8315';
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );
const idsOf = async ({ db }: Replica) => (await db.allDocs()).rows.map(({ key }) => key);

/** Returns the first device of a sealed ledger, in sync. */
async function founded(options: Parameters<typeof world>[0] = {}) {
  const there = world(options);
  const replica = there.replica();
  const sync = await replica.attach({ kind: 'sealed' });
  await there.time.run(sync.synced());
  return { there, replica, sync };
}

/** Attaches an additional device, which an existing device approves. */
async function join({ time, replica }: World, by: Attached) {
  const made = replica();
  const sync = await made.attach({ kind: 'sealed' });
  const code = await time.run(sync.devices.code());
  await time.run(by.devices.approve(code));
  await time.until(() => sync.devices.isApproved());
  await time.run(sync.synced());
  return { replica: made, sync };
}

async function allEqual({ time }: World, ...all: { replica: Replica; sync: Attached }[]) {
  for (let round = 0; round < 2; round++) for (const { sync } of all) await time.run(sync.synced());
  const [first, ...others] = await Promise.all(all.map(({ replica }) => contentOf(replica.db)));
  for (const other of others) expect(other).toEqual(first);
  return first;
}

/** Returns everything that a gateway stores or ever received. */
const seenBy = ({ gateway }: World) =>
  JSON.stringify([
    [...gateway.ledgers.values()].map(({ entries, keys }) => [[...entries.values()], [...keys]]),
    [...gateway.objects].map(([url, bytes]) => [url, Buffer.from(bytes).toString('latin1')]),
  ]);

describe('a sealed ledger', () => {
  test('gives an approved device all documents; both devices continue to sync', async () => {
    const { there, replica, sync } = await founded();
    await replica.db.put({ _id: 'before', text: 'x' });
    await there.time.run(sync.synced());
    const b = await join(there, sync);
    expect(await b.replica.db.get('before')).toEqual({ _id: 'before', text: 'x' });
    await b.replica.db.put({ _id: 'from-b' });
    await replica.db.put({ _id: 'from-a' });
    const content = await allEqual(there, { replica, sync }, b);
    expect(content?.docs.length).toBe(3);
    expect([sync.kind(), b.sync.kind()]).toEqual(['sealed', 'sealed']);
    expect((await sync.devices.list()).map(({ isThis }) => isThis).sort()).toEqual([false, true]);
    expect([replica.reports, b.replica.reports]).toEqual([[], []]);
  });

  test('shows changes of the keys, by this device and by others, without looking at them again and again', async () => {
    const { there, sync } = await founded();
    const store = liveKeyring(sync);
    onTestFinished(store.subscribe(() => undefined));
    await there.time.run(sync.devices.newRecoveryCode());
    await there.time.until(() => store.current()?.hasRecoveryCode === true);
    const late = await there.replica().attach();
    const code = await there.time.run(late.devices.code());
    await there.time.until(() => store.current()?.asking.length === 1);
    const before = sync.status().keys ?? 0;
    await there.time.run(sync.devices.approve(code));
    await there.time.until(() => store.current()?.asking.length === 0);
    expect(sync.status().keys).toBeGreaterThan(before);
    const [removed] = (await sync.devices.list()).filter(({ isThis, isRecovery }) => !isThis && !isRecovery);
    await there.time.run(sync.devices.remove([removed?.id ?? '']));
    await there.time.until(() => store.current()?.count === 2);
  });

  test('hides documents from an unapproved device, reports why, and sends the writes of the device once it is approved', async () => {
    const { there, replica, sync } = await founded();
    await replica.db.put({ _id: 'secret' });
    await there.time.run(sync.synced());
    const late = there.replica();
    await late.db.put({ _id: 'mine' });
    const lateSync = await late.attach();
    expect(await codeOf(there.time.run(lateSync.synced()))).toBe('DEVICE_NOT_APPROVED');
    await there.time.pass(30_000);
    expect(lateSync.status()).toMatchObject({ state: 'catching-up', error: { code: 'DEVICE_NOT_APPROVED' } });
    expect(await idsOf(late)).toEqual(['mine']);
    // A device that waits for approval sends only an occasional request.
    expect(there.gateway.log.filter((type) => type === 'bindGetMeta').length).toBeLessThan(40);
    await there.time.run(sync.devices.approve(await lateSync.devices.code()));
    await there.time.until(() => lateSync.status().state === 'in-sync');
    await allEqual(there, { replica, sync }, { replica: late, sync: lateSync });
    expect(await idsOf(replica)).toEqual(['mine', 'secret']);
  });

  test('[S16] stores no plain text of a document at the gateway, and different bytes for equal content', async () => {
    const { there, replica, sync } = await founded();
    const b = await join(there, sync);
    await replica.db.put({
      _id: CANARY,
      [CANARY]: CANARY,
      _files: { [CANARY]: new Blob([CANARY.repeat(20)]) },
    });
    await b.replica.db.bulk([{ _id: `${CANARY}-2`, text: CANARY }]);
    await allEqual(there, { replica, sync }, b);
    const seen = seenBy(there);
    for (const text of [CANARY, Buffer.from(CANARY).toString('base64').slice(0, 12), 'baembei', 'bafyrei'])
      expect([text, seen.includes(text)]).toEqual([text, false]);
    expect(there.gateway.objects.size).toBeGreaterThanOrEqual(3);
    const names = [...there.gateway.objects.keys()].map((url) => url.split('/').at(-1) ?? '');
    for (const name of names) expect(name).toMatch(/^s[0-9a-f]{64}$/);

    const other = await founded();
    await other.replica.db.put({ _id: CANARY, [CANARY]: CANARY });
    await other.there.time.run(other.sync.synced());
    const otherNames = [...other.there.gateway.objects.keys()].map((url) => url.split('/').at(-1) ?? '');
    expect(otherNames.filter((name) => names.includes(name))).toEqual([]);
  });

  test('syncs files of documents to another device', async () => {
    const { there, replica, sync } = await founded();
    const b = await join(there, sync);
    await replica.db.put({ _id: 'a', _files: { f: new Blob(['text of a file']) } });
    await allEqual(there, { replica, sync }, b);
    const { _files } = await b.replica.db.get<{ _files: Record<string, { file(): Promise<File> }> }>('a');
    const file = await there.time.run(_files['f']?.file() ?? Promise.reject(new Error('no file')));
    expect(await file.text()).toBe('text of a file');
  });

  test('reads a file for the first time after a restart, when the ledger tells no names any more', async () => {
    const { there, replica, sync } = await founded();
    await replica.db.put({ _id: 'a', _files: { f: new Blob(['text of a file']) } });
    await there.time.run(sync.synced());
    const b = await join(there, sync);
    await there.time.run(sync.detach());
    const again = await b.replica.reopen();
    await there.time.run((await again.attach({ kind: 'sealed' })).synced());
    const { _files } = await again.db.get<{ _files: Record<string, { file(): Promise<File> }> }>('a');
    const file = await there.time.run(_files['f']?.file() ?? Promise.reject(new Error('no file')));
    expect(await file.text()).toBe('text of a file');
  });

  test('gives a new device all files, even if the archives that list the files were merged before', async () => {
    const { there, replica, sync } = await founded();
    await replica.db.put({ _id: 'a', _files: { f: new Blob(['text of a file']) } });
    await there.time.run(sync.synced());
    await upload(there, replica, sync, 'n', LIMITS.archiveGroupsMax + 5);
    await there.time.pass(60_000);
    await upload(there, replica, sync, 'then', 1);
    const b = await join(there, sync);
    await allEqual(there, { replica, sync }, b);
    const { _files } = await b.replica.db.get<{ _files: Record<string, { file(): Promise<File> }> }>('a');
    const file = await there.time.run(_files['f']?.file() ?? Promise.reject(new Error('no file')));
    expect(await file.text()).toBe('text of a file');
  });

  test('[S5] hides later writes from a removed device; the other devices read all writes', async () => {
    const { there, replica, sync } = await founded();
    const stays = await join(there, sync);
    const leaves = await join(there, sync);
    await replica.db.put({ _id: 'before' });
    await allEqual(there, { replica, sync }, stays, leaves);
    const [mine] = (await leaves.sync.devices.list()).filter(({ isThis }) => isThis);
    await there.time.run(sync.devices.remove([mine?.id ?? '']));
    await replica.db.put({ _id: 'after' });
    await allEqual(there, { replica, sync }, stays);
    expect(await idsOf(stays.replica)).toEqual(['after', 'before']);
    await there.time.pass(20_000);
    expect(await idsOf(leaves.replica)).toEqual(['before']);
    expect(leaves.sync.devices.isApproved()).toBe(false);
    await stays.replica.db.put({ _id: 'from-stays' });
    await allEqual(there, { replica, sync }, stays);
  });

  test('restores everything on a new device with a recovery code when all other devices are lost', async () => {
    const { there, replica, sync } = await founded();
    await replica.db.put({ _id: 'one' });
    const code = await there.time.run(sync.devices.newRecoveryCode());
    await there.time.run(sync.devices.remove([]));
    await replica.db.put({ _id: 'two' });
    await there.time.run(sync.synced());
    await there.time.run(sync.detach());
    const fresh = there.replica();
    const freshSync = await fresh.attach();
    await there.time.run(freshSync.devices.code());
    expect(await codeOf(there.time.run(freshSync.devices.recover('AAAAA')))).toBe('REQUEST_INVALID');
    await there.time.run(freshSync.devices.recover(code));
    await there.time.run(freshSync.synced());
    expect(await idsOf(fresh)).toEqual(['one', 'two']);
    await fresh.db.put({ _id: 'three' });
    await there.time.run(freshSync.synced());
  });

  test('keeps keys, kind and names across a restart of device and gateway', async () => {
    const { there, replica, sync } = await founded();
    await replica.db.put({ _id: 'one' });
    await there.time.run(sync.synced());
    const again = await replica.reopen();
    there.gateway.restart();
    await again.db.put({ _id: 'two' });
    const againSync = await again.attach();
    await there.time.run(againSync.synced());
    const b = await join(there, againSync);
    expect(await idsOf(b.replica)).toEqual(['one', 'two']);
  });

  test('rejects an attach with the wrong kind, and a gateway that changes a sealed ledger to open-key', async () => {
    const { there, replica, sync } = await founded();
    const other = there.replica();
    const otherSync = await other.attach({ kind: 'open-key' });
    expect(await codeOf(there.time.run(otherSync.synced()))).toBe('LEDGER_KIND');
    expect(otherSync.status()).toMatchObject({ state: 'refused', error: { code: 'LEDGER_KIND' } });

    await there.time.run(sync.detach());
    for (const ledger of there.gateway.ledgers.values()) {
      ledger.keys.clear();
      ledger.entries.clear();
      ledger.keys.add('zRaw');
    }
    await replica.db.put({ _id: 'secret' });
    const again = await replica.attach();
    expect(await codeOf(there.time.run(again.synced()))).toBe('LEDGER_KIND');

    const attached = await founded();
    for (const each of attached.there.gateway.ledgers.values()) {
      each.keys.clear();
      each.entries.clear();
      each.keys.add('zRaw');
    }
    attached.there.gateway.restart();
    await attached.there.time.until(() => attached.sync.status().state === 'refused');
    await attached.replica.db.put({ _id: CANARY, [CANARY]: CANARY });
    await attached.there.time.pass(60_000);
    expect(attached.sync.status()).toMatchObject({ state: 'refused', error: { code: 'LEDGER_KIND' } });
    expect(seenBy(attached.there)).not.toContain(CANARY);

    const open = world();
    const [a, b] = [open.replica(), open.replica()];
    const syncA = await a.attach();
    await a.db.put({ _id: 'x' });
    await open.time.run(syncA.synced());
    const syncB = await b.attach({ kind: 'sealed' });
    expect(await codeOf(open.time.run(syncB.synced()))).toBe('LEDGER_KIND');
    await expect(syncA.devices.list()).rejects.toThrow(
      expect.objectContaining({ code: 'LEDGER_KIND' }) as Error,
    );
  });

  test.each([
    ['sealed', 'open-key'],
    ['open-key', 'sealed'],
  ] as const)(
    'stops sending and keeps the queue when a ledger changes from %s to %s',
    async (kind, other) => {
      const there = world();
      const { gateway, time } = there;
      gateway.kind = kind;
      const replica = there.replica();
      const sync = await replica.attach({ kind });
      await replica.db.put({ _id: 'before' });
      await time.run(sync.synced());
      gateway.kind = other;
      // Removes all entries, so that no entry is waiting to be fetched.
      for (const { entries } of gateway.ledgers.values()) entries.clear();
      gateway.restart();
      await time.until(() => sync.status().state === 'refused');
      const before = gateway.log.length;
      await replica.db.put({ _id: CANARY });
      await time.pass(120_000);
      expect(sync.status()).toMatchObject({ state: 'refused', toSend: 1, error: { code: 'LEDGER_KIND' } });
      expect(sync.status().error?.message).toContain(`it was ${kind}, and is ${other} now`);
      expect(gateway.log.slice(before).filter((type) => type.startsWith('reqPut'))).toEqual([]);
      expect(await codeOf(time.run(sync.synced()))).toBe('LEDGER_KIND');

      gateway.kind = kind;
      gateway.restart();
      await time.until(() => sync.status().state === 'in-sync');
      expect(gateway.log.slice(before)).toContain('reqPutMeta');
    },
  );

  test('reports a rollback on a device that saw newer entries, and sends the lost entries again', async () => {
    const { there, replica, sync } = await founded();
    const b = await join(there, sync);
    const [ledger] = there.gateway.ledgers.values();
    await replica.db.put({ _id: 'old' });
    await allEqual(there, { replica, sync }, b);
    const before = [...(ledger?.entries ?? [])];
    await replica.db.put({ _id: 'new' });
    await allEqual(there, { replica, sync }, b);

    const fair = await b.replica.reopen();
    const fairSync = await fair.attach();
    await there.time.run(fairSync.synced());
    await there.time.pass(5000);
    expect([fairSync.status(), fair.reports]).toEqual([{ state: 'in-sync', toSend: 0, toFetch: 0 }, []]);
    await there.time.run(fairSync.detach());
    await there.time.run(sync.detach());

    ledger?.entries.clear();
    ledger?.sent.clear();
    for (const [cid, entry] of before) ledger?.entries.set(cid, entry);
    const again = await fair.reopen();
    const againSync = await again.attach();
    await there.time.until(() => againSync.status().error?.code === 'LEDGER_ROLLED_BACK');
    expect(again.reports).toEqual([expect.objectContaining({ code: 'LEDGER_ROLLED_BACK' })]);
    await there.time.pass(5000);
    const c = await join(there, againSync);
    expect(await idsOf(c.replica)).toEqual(['new', 'old']);
  });

  test('[R4] detects a changed object because its bytes do not match its name, and reads it once it is repaired', async () => {
    const { there, replica, sync } = await founded();
    await replica.db.put({ _id: 'one' });
    await there.time.run(sync.synced());
    const right = new Map(there.gateway.objects);
    for (const [url, bytes] of right) {
      const changed = bytes.slice();
      changed[70] = (changed[70] ?? 0) ^ 1;
      there.gateway.objects.set(url, changed);
    }
    const made = there.replica();
    const joining = await made.attach();
    await there.time.run(sync.devices.approve(await there.time.run(joining.devices.code())));
    await there.time.until(() => joining.status().error?.code === 'CORRUPT');
    expect(await idsOf(made)).toEqual([]);
    for (const [url, bytes] of right) there.gateway.objects.set(url, bytes);
    await there.time.run(joining.synced().catch(() => joining.synced()));
    expect(await idsOf(made)).toEqual(['one']);
  });

  test('[P1] makes three devices equal after they write on a failing line', async () => {
    const { there, replica, sync } = await founded({ seed: 5, doubled: 0.2 });
    const all = [{ replica, sync }, await join(there, sync), await join(there, sync)];
    for (let n = 0; n < 20; n++) {
      const one = all[there.random.below(3)];
      await one?.replica.db.put({ _id: `doc-${there.random.below(8)}`, n });
      if (there.random.below(4) === 0) one?.replica.line.cutAfter(there.random.below(6));
      if (there.random.below(6) === 0) await there.time.run(sync.devices.remove([]).catch(() => undefined));
      await there.time.pass(there.random.below(800));
      for (const { replica: each } of all) each.line.set('up');
    }
    await there.time.pass(10_000);
    await allEqual(there, ...all);
  });
});
