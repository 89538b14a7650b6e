/**
 * Restores tables of the real gateway from an older backup. Devices must resend the data that the
 * backup lacks.
 */
import { parseKeyRecord } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import type { Attached } from '../../packages/engine/src/sync/remote.ts';
import { seed } from '../../packages/engine/tests/budget.fixture.ts';
import type { Replica } from '../../packages/engine/tests/sync-world.fixture.ts';
import { type GatewayWorld, gatewayWorld, type LedgerWorld } from './gateway-world.fixture.ts';

const KINDS = ['open-key', 'sealed'] as const;
type Kind = (typeof KINDS)[number];
/** A time that is longer than any back-off, poll interval or sweep interval. */
const LONG_MS = 60_000;

const idsOf = async ({ db }: Replica) => (await db.allDocs()).rows.map(({ key }) => key).sort();
const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ _id: `${prefix}${String(index).padStart(2, '0')}` }));
const idsIn = (...lists: readonly { _id: string }[][]) =>
  lists
    .flat()
    .map(({ _id }) => _id)
    .sort();

async function arranged(kind: Kind, isStreamOffered = true) {
  const here = await gatewayWorld();
  here.offerStream(isStreamOffered);
  const there = await here.ledger(seed());
  const writer = there.replica();
  const sync = await writer.attach({ kind });
  const [before, after] = [numbered('before', 10), numbered('after', 4)];
  await here.time.run(writer.db.bulk(before));
  await here.time.run(sync.synced());
  return { here, there, writer, sync, before, after };
}

/** Attaches a new device, approves it if needed, and waits until it is in sync. */
async function fresh(here: GatewayWorld, there: LedgerWorld, sync: Attached, kind: Kind) {
  const replica = there.replica();
  const joining = await replica.attach({ kind });
  if (kind === 'sealed')
    await here.time.run(sync.devices.approve(await here.time.run(joining.devices.code())));
  await here.time.run(joining.synced());
  return { replica, sync: joining };
}

const backInSync = async ({ time }: GatewayWorld, ...syncs: Attached[]) => {
  await time.pass(LONG_MS);
  await time.until(() => syncs.every((sync) => sync.status().state === 'in-sync'));
};

describe.each(KINDS)('after a restore from an older backup, in a ledger of kind %s', (kind) => {
  test.each([
    ['restarts, over sockets', true, true],
    ['restarts, by polling', false, true],
    ['keeps running, over sockets', true, false],
    ['keeps running, by polling', false, false],
  ])(
    '[R14] resends the data that the backup lacks, while the gateway %s',
    async (_, isStream, isRestarted) => {
      const { here, there, writer, sync, before, after } = await arranged(kind, isStream);
      const backup = await here.backup();
      for (const doc of after) await here.time.run(writer.db.put(doc));
      await here.time.run(sync.synced());
      await here.restore(backup);
      if (isRestarted) here.kill();
      await backInSync(here, sync);
      expect((await here.time.run(sync.held())).unsent).toBe(0);
      const late = await fresh(here, there, sync, kind);
      expect(await idsOf(late.replica)).toEqual(idsIn(before, after));
      expect(here.reports).toEqual([]);
    },
  );

  test('[R14] resends the data that the backup lacks, when the application starts later', async () => {
    const { here, there, writer, sync, before, after } = await arranged(kind);
    const backup = await here.backup();
    await here.time.run(writer.db.bulk(after));
    await here.time.run(sync.synced());
    await here.time.run(sync.detach());
    const started = await writer.reopen();
    await here.restore(backup);
    const again = await started.attach({ kind });
    await backInSync(here, again);
    const late = await fresh(here, there, again, kind);
    expect(await idsOf(late.replica)).toEqual(idsIn(before, after));
  });

  test('[R14] detects new entries with numbers that the device has seen before', async () => {
    const { here, there, writer, sync, before, after } = await arranged(kind);
    const other = await fresh(here, there, sync, kind);
    const backup = await here.backup();
    for (const doc of after) await here.time.run(writer.db.put(doc));
    await here.time.run(sync.synced());
    writer.line.set('silent');
    await here.restore(backup);
    here.kill();
    const since = numbered('since', 6);
    for (const doc of since) {
      await here.time.run(other.replica.db.put(doc));
      await here.time.run(other.sync.synced());
    }
    writer.line.set('up');
    await backInSync(here, sync, other.sync);
    for (const replica of [writer, other.replica])
      expect(await idsOf(replica)).toEqual(idsIn(before, after, since));
    const late = await fresh(here, there, sync, kind);
    expect(await idsOf(late.replica)).toEqual(idsIn(before, after, since));
  });

  test('[R14] resends the writes of a device that no longer exists', async () => {
    const { here, there, writer, sync, before, after } = await arranged(kind);
    const gone = await fresh(here, there, sync, kind);
    const backup = await here.backup();
    for (const doc of after) await here.time.run(gone.replica.db.put(doc));
    await here.time.run(gone.sync.synced());
    await here.time.run(sync.synced());
    expect(await idsOf(writer)).toEqual(idsIn(before, after));
    await here.time.run(gone.replica.db.close());
    await here.restore(backup);
    here.kill();
    await backInSync(here, sync);
    const late = await fresh(here, there, sync, kind);
    expect(await idsOf(late.replica)).toEqual(idsIn(before, after));
  });

  test('never reports in-sync while the ledger lacks data', async () => {
    const { here, writer, sync, after } = await arranged(kind);
    const backup = await here.backup();
    await here.time.run(writer.db.bulk(after));
    await here.time.run(sync.synced());
    await here.restore(backup);
    here.kill();
    const [restored] = backup.Ledgers as { metaSeq: number }[];
    const numberAt: Promise<number | undefined>[] = [];
    const stop = sync.onStatus(({ state }) => {
      const last = here.db.selectFrom('Ledgers').select('metaSeq').executeTakeFirst();
      if (state === 'in-sync') numberAt.push(last.then((row) => row?.metaSeq));
    });
    await backInSync(here, sync);
    stop();
    const lacking = (await Promise.all(numberAt)).filter((seq) => seq === restored?.metaSeq);
    expect(numberAt.length).toBeGreaterThan(0);
    expect(lacking).toEqual([]);
  });
});

test.each(KINDS)(
  '[R14] re-registers the files that the backup lacks, in a ledger of kind %s',
  async (kind) => {
    const { here, writer, sync } = await arranged(kind);
    const filesNamed = async () =>
      (await here.db.selectFrom('LedgerObjects').select('name').execute())
        .map(({ name }) => name)
        .filter((name) => name.startsWith('file/'))
        .sort();
    const backup = await here.backup();
    await here.time.run(writer.db.put({ _id: 'file', _files: { 'a.txt': new Blob(['some text']) } }));
    await here.time.run(sync.synced());
    const before = await filesNamed();
    expect(before).toHaveLength(1);
    await here.restore(backup);
    expect(await filesNamed()).toEqual([]);
    await backInSync(here, sync);
    expect(await filesNamed()).toEqual(before);
  },
);

test.each([
  ['over sockets', true],
  ['by polling', false],
])('[R14] requests access again when the backup lacks the request, %s', async (_, isStream) => {
  const { here, there, sync, before } = await arranged('sealed', isStream);
  const backup = await here.backup();
  const replica = there.replica();
  const joining = await replica.attach({ kind: 'sealed' });
  const code = await here.time.run(joining.devices.code());
  await here.time.pass(LONG_MS);
  await here.restore(backup);
  await here.time.pass(LONG_MS);
  const keyring = await here.time.run(sync.devices.keyring());
  expect(keyring?.asking).toHaveLength(1);
  await here.time.run(sync.devices.approve(code));
  await here.time.run(joining.synced());
  expect(await idsOf(replica)).toEqual(idsIn(before));
});

/** Counts the key records that aren't device records. */
const keyRecords = async ({ db }: GatewayWorld) =>
  (await db.selectFrom('LedgerKeys').select('keyText').execute()).filter(
    ({ keyText }) => parseKeyRecord(keyText)?.t !== 'device',
  ).length;

describe('keys of a sealed ledger that the backup lacks', () => {
  test.each([
    ['was attached all the time', false],
    ['started later', true],
  ])(
    '[R14] lets a device that %s restore a lost approval, which stays valid when another device is removed',
    async (_, isLater) => {
      const { here, there, writer, sync, before, after } = await arranged('sealed');
      const gone = await fresh(here, there, sync, 'sealed');
      const backup = await here.backup();
      const other = await fresh(here, there, sync, 'sealed');
      if (isLater) await here.time.run(sync.detach());
      const started = isLater ? await writer.reopen() : writer;
      const count = await keyRecords(here);
      await here.restore(backup);
      expect(await keyRecords(here)).toBe(count - 1);
      const again = isLater ? await started.attach({ kind: 'sealed' }) : sync;
      await backInSync(here, again, other.sync);
      expect(await keyRecords(here)).toBe(count);
      const [left] = (await here.time.run(gone.sync.devices.list())).filter(({ isThis }) => isThis);
      await here.time.run(again.devices.remove([left?.id ?? '']));
      await here.time.run(started.db.bulk(after));
      await here.time.run(again.synced());
      await here.time.run(other.sync.synced());
      expect(await idsOf(other.replica)).toEqual(idsIn(before, after));
      expect(await idsOf(gone.replica)).toEqual(idsIn(before));
    },
  );

  test('[R14] restores the latest key for a device that was offline when the key was created', async () => {
    const { here, there, writer, sync, before, after } = await arranged('sealed');
    const away = await fresh(here, there, sync, 'sealed');
    const gone = await fresh(here, there, sync, 'sealed');
    await here.time.run(away.sync.synced());
    const [left] = (await here.time.run(gone.sync.devices.list())).filter(({ isThis }) => isThis);
    const backup = await here.backup();
    away.replica.line.set('silent');
    await here.time.run(sync.devices.remove([left?.id ?? '']));
    await here.time.run(writer.db.bulk(after));
    await here.time.run(sync.synced());
    await here.time.run(sync.detach());
    const started = await writer.reopen();
    await here.restore(backup);
    const again = await started.attach({ kind: 'sealed' });
    away.replica.line.set('up');
    await backInSync(here, again, away.sync);
    expect(await idsOf(away.replica)).toEqual(idsIn(before, after));
    expect(await idsOf(gone.replica)).toEqual(idsIn(before));
  });

  test('[R14] restores a recovery code', async () => {
    const { here, there, sync, before } = await arranged('sealed');
    const backup = await here.backup();
    const code = await here.time.run(sync.devices.newRecoveryCode());
    await here.time.run(sync.synced());
    await here.restore(backup);
    await backInSync(here, sync);
    await here.time.run(sync.detach());
    const replica = there.replica();
    const late = await replica.attach({ kind: 'sealed' });
    await here.time.run(late.devices.recover(code));
    await here.time.run(late.synced());
    expect(await idsOf(replica)).toEqual(idsIn(before));
  });
});

test('[R14] resends the data that the backup lacks despite an unreadable entry', async () => {
  const { here, there, writer, sync, before, after } = await arranged('open-key');
  await there.poison();
  await here.time.pass(5000);
  const backup = await here.backup();
  for (const doc of after) await here.time.run(writer.db.put(doc));
  await here.time.until(() => sync.status().toSend === 0);
  await here.restore(backup);
  await here.time.pass(LONG_MS);
  const late = there.replica();
  await late.attach({ kind: 'open-key' });
  await here.time.pass(LONG_MS);
  expect(await idsOf(late)).toEqual(idsIn(before, after));
});

test("[R14] resends the data that the backup lacks while a file can't be sent", async () => {
  const { here, there, writer, sync, before, after } = await arranged('open-key');
  const backup = await here.backup();
  for (const doc of after) await here.time.run(writer.db.put(doc));
  await here.time.run(sync.synced());
  here.takeFiles(false);
  const file = { _id: 'file', _files: { 'a.txt': new Blob(['some text']) } };
  await here.time.run(writer.db.put(file));
  await here.time.pass(LONG_MS);
  // At this time, the ledger may already have the entry of the document, but it lacks the file.
  await here.restore(backup);
  await here.time.pass(LONG_MS);
  expect(sync.status().error).toMatchObject({ code: 'GATEWAY_PUT' });
  const late = there.replica();
  await late.attach({ kind: 'open-key' });
  await here.time.pass(LONG_MS);
  expect(await idsOf(late)).toEqual(idsIn(before, after, [file]));
});
