/**
 * Damages or deletes objects behind the real gateway, and adds unreadable entries. Devices must
 * repair what they can, and report everything else.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
// Imports lazy modules before the tests start, because simulated time doesn't wait for imports.
import '../../packages/engine/src/sync/lazy-sync-chunk.ts';
import type { Attached } from '../../packages/engine/src/sync/remote.ts';
import type { Replica } from '../../packages/engine/tests/sync-world.fixture.ts';
import { type GatewayWorld, gatewayWorld, type LedgerWorld } from './gateway-world.fixture.ts';

type Kind = 'open-key' | 'sealed';
interface Device {
  readonly replica: Replica;
  readonly sync: Attached;
}

const idsOf = async ({ replica }: Device) => (await replica.db.allDocs()).rows.map(({ key }) => key);

async function arranged(kind: Kind) {
  const here = await gatewayWorld();
  const world = await here.ledger(1);
  const { ledger } = world.notes;
  await here.db.updateTable('Ledgers').set({ kind }).where('ledgerId', '=', ledger).execute();
  const first = await device(world);
  return { here, world, first };
}

async function device(world: LedgerWorld): Promise<Device> {
  const replica = world.replica();
  return { replica, sync: await replica.attach() };
}

/** Adds a device without data. If the ledger is sealed, `by` approves the device. */
async function newDevice(here: GatewayWorld, world: LedgerWorld, by: Device): Promise<Device> {
  const asking = await device(world);
  if (by.sync.kind() !== 'sealed') return asking;
  const code = await here.time.run(asking.sync.devices.code());
  await here.time.until(() => asking.sync.status().error?.code === 'DEVICE_NOT_APPROVED');
  await here.time.run(by.sync.devices.approve(code));
  return asking;
}

/** Lists the paths of all object files in alphabetical order. */
async function objectFiles({ objects }: GatewayWorld): Promise<string[]> {
  const found = await readdir(objects, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('drafts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function write({ here, first }: { here: GatewayWorld; first: Device }, from: number, to: number) {
  for (let n = from; n < to; n++) {
    await first.replica.db.put({ _id: `doc-${String(n).padStart(2, '0')}`, n });
    await here.time.run(first.sync.synced());
  }
}

/** Inserts entries without checks, as an older server did. */
async function inject({ db }: GatewayWorld, { notes }: LedgerWorld, entries: readonly MetaEntry[]) {
  const { tenant: tenantId, ledger: ledgerId, userId } = notes;
  const numbers = db.selectFrom('Ledgers').select('metaSeq').where('ledgerId', '=', ledgerId);
  let { metaSeq: seq } = await numbers.executeTakeFirstOrThrow();
  for (const entry of entries) {
    seq += 1;
    const writer = JSON.stringify([userId, `q${seq}`, 'r']);
    const row = {
      tenantId,
      ledgerId,
      seq,
      cid: entry.cid,
      entry: JSON.stringify(entry),
      writer,
      createdAt: '',
    };
    await db.insertInto('Metas').values(row).execute();
  }
  await db.updateTable('Ledgers').set({ metaSeq: seq }).where('ledgerId', '=', ledgerId).execute();
}

const HARM: Readonly<
  Record<string, (files: readonly string[], before: ReadonlyMap<string, Buffer>) => Promise<void>>
> = {
  'one object was deleted from the store': async ([file = '']) => rm(file),
  'every object was deleted from the store': async (files) => {
    for (const file of files) await rm(file);
  },
  'the store was restored to an older state': async (files, before) => {
    for (const file of files) if (!before.has(file)) await rm(file);
  },
};

describe.each(['open-key', 'sealed'] as const)('in a ledger of kind %s', (kind) => {
  test.each(Object.keys(HARM))(
    '[R14] recovers when %s: a device reports and resends the objects, and a new device receives all documents',
    async (name) => {
      const given = await arranged(kind);
      const { here, world, first } = given;
      await write(given, 0, 4);
      const before = new Map<string, Buffer>();
      for (const file of await objectFiles(here)) before.set(file, await readFile(file));
      await write(given, 4, 8);
      await HARM[name]?.(await objectFiles(here), before);
      const states: string[] = [];
      first.sync.onStatus(({ state }) => states.push(state));
      await here.time.pass(11_000);
      await here.time.run(first.sync.synced());
      expect(first.replica.reports).toMatchObject([{ code: 'MISSING_CARS' }]);
      expect(states).toContain('catching-up');
      expect(await here.time.run(first.sync.held())).toMatchObject({ unsent: 0, missing: [] });
      await write(given, 8, 10);
      const late = await newDevice(here, world, first);
      await here.time.run(late.sync.synced());
      expect(await idsOf(late)).toEqual(await idsOf(first));
      expect(await idsOf(late)).toHaveLength(10);
      expect(late.sync.status()).toMatchObject({ state: 'in-sync', toFetch: 0 });
    },
  );

  test('[R14] resends damaged objects from a device that has their content, after another device failed to download them', async () => {
    const given = await arranged(kind);
    const { here, world, first } = given;
    await write(given, 0, 5);
    for (const file of await objectFiles(here)) {
      const bytes = await readFile(file);
      bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 1;
      await writeFile(file, bytes);
    }
    const late = await newDevice(here, world, first);
    await here.time.until(async () => (await idsOf(late)).length === 5);
    await write(given, 5, 6);
    await here.time.until(async () => (await idsOf(late)).length === 6);
    await here.time.until(() => [first, late].every(({ sync }) => sync.status().state === 'in-sync'));
    for (const { sync } of [first, late]) await here.time.run(sync.synced());
    expect(first.replica.reports).toMatchObject([{ code: 'MISSING_CARS' }]);
  });

  test('[R14] reports missing objects, and not the state in-sync, while no connected device has them', async () => {
    const given = await arranged(kind);
    const { here, world, first } = given;
    await write(given, 0, 1);
    const other = await newDevice(here, world, first);
    await here.time.until(() => other.sync.status().state === 'in-sync');
    other.replica.line.set('cut');
    await write(given, 1, 3);
    first.replica.line.set('cut');
    for (const file of await objectFiles(here)) await rm(file);
    await here.time.pass(11_000);
    other.replica.line.set('up');
    await here.time.until(() => other.sync.status().error?.code === 'MISSING_CARS');
    expect(other.sync.status().state).toBe('catching-up');
    expect((await here.time.run(other.sync.held())).absent).toBeGreaterThan(0);
    await here.time.pass(15_000);
    await expect(here.time.run(other.sync.synced())).rejects.toMatchObject({ code: 'MISSING_CARS' });
    first.replica.line.set('up');
    await here.time.until(async () => (await idsOf(other)).length === 3);
    await here.time.run(other.sync.synced());
    expect(other.sync.status()).toMatchObject({ state: 'in-sync' });
  });

  test('[R20] syncs everything else despite unreadable entries, and reports each of them once per device', async () => {
    const given = await arranged(kind);
    const { here, world, first } = given;
    await write(given, 0, 2);
    const letter = kind === 'sealed' ? 'S' : 'M';
    const bad = ['', 'x', letter, `${letter}!!`, `${letter}AAAA`].map((data, n) => ({
      cid: n === 0 ? '' : `bad-${n}`,
      parents: [],
      data,
    }));
    await inject(here, world, bad);
    const late = await newDevice(here, world, first);
    await here.time.run(late.sync.synced());
    await write(given, 2, 3);
    await here.time.run(late.sync.synced());
    expect(await idsOf(late)).toHaveLength(3);
    expect(late.sync.status()).toMatchObject({ state: 'in-sync', rejected: 5 });
    expect(late.replica.reports).toHaveLength(5);
    for (const report of late.replica.reports)
      expect(String((report as Error).message)).toContain(`of account ${world.notes.userId}`);
  });

  test('[R20] lists unreadable entries, shows their author only to admins, and lets only admins remove them', async () => {
    const given = await arranged(kind);
    const { here, world, first } = given;
    await write(given, 0, 1);
    const { tenant, userId } = world.notes;
    const bad = ['bad', ''].map((cid) => ({ cid, parents: [], data: 'x' }));
    await inject(here, world, bad);
    const listed = () => here.time.run(first.sync.withheld());
    await here.time.run(first.sync.synced());
    const by = (author: object) => bad.map(({ cid }) => ({ cid, why: 'malformed', ...author })).reverse();
    expect(await listed()).toEqual(by({ author: userId }));
    const makeRole = async (role: string) => {
      const users = here.db.updateTable('TenantUsers').set({ role }).where('tenantId', '=', tenant);
      await users.execute();
      await here.recheckRights();
    };
    await makeRole('member');
    expect(await listed()).toEqual(by({}));
    const removal = here.time.run(first.sync.removeEntries(['bad', 'absent']));
    await expect(removal).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await makeRole('admin');
    await here.time.run(first.sync.removeEntries(['bad']));
    expect(await listed()).toEqual([{ cid: '', why: 'malformed', author: userId }]);
    await here.time.run(first.sync.removeEntries(['']));
    expect(await listed()).toEqual([]);
    await here.time.until(() => first.sync.status().rejected === undefined);
    expect(await idsOf(first)).toHaveLength(1);
  });

  test('[R20] reports which objects an entry lacks and since when, and lets admins remove the entry', async () => {
    const given = await arranged(kind);
    const { here, first } = given;
    await write(given, 0, 2);
    first.replica.line.set('cut');
    for (const file of await objectFiles(here)) await rm(file);
    const other = await device(given.world);
    await here.time.until(async () => (await here.time.run(other.sync.withheld())).length > 0);
    const [entry] = await here.time.run(other.sync.withheld());
    expect(entry).toMatchObject({ why: 'absent', since: expect.any(Number) });
    expect(entry?.objects?.length).toBeGreaterThan(0);
    await here.time.run(other.sync.removeEntries([entry?.cid ?? '']));
    expect(await here.time.run(other.sync.withheld())).toEqual([]);
  });
});
