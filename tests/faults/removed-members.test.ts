/**
 * Sealed ledgers at the real gateway: their creation, access for readers, and keys after a member
 * was removed.
 */
import { expect, test } from 'vitest';
import { mint, newMember } from '../../packages/cloud/tests/cloud.fixture.ts';
// Imports lazy modules before the tests start, because simulated time doesn't wait for imports.
import '../../packages/engine/src/sync/lazy-sync-chunk.ts';
import type { Attached } from '../../packages/engine/src/sync/remote.ts';
import { haveSameHead, type Replica } from '../../packages/engine/tests/sync-world.fixture.ts';
import { type GatewayWorld, gatewayWorld, type LedgerWorld } from './gateway-world.fixture.ts';

interface Device {
  readonly replica: Replica;
  readonly sync: Attached;
}

const idsOf = async ({ replica }: Device) => (await replica.db.allDocs()).rows.map(({ key }) => key);
const inSync = ({ time }: GatewayWorld, ...devices: readonly Device[]) =>
  time.until(
    async () =>
      devices.every(({ sync }) => sync.status().state === 'in-sync') &&
      (await haveSameHead(devices.map(({ replica }) => replica))),
  );

async function sealedLedger(here: GatewayWorld) {
  const world = await here.ledger(1);
  await here.db
    .updateTable('Ledgers')
    .set({ kind: 'sealed' })
    .where('ledgerId', '=', world.notes.ledger)
    .execute();
  return world;
}

async function device(world: LedgerWorld, token = world.notes.token): Promise<Device> {
  const replica = world.replica();
  return { replica, sync: await replica.attach({ token }) };
}

async function letIn({ time }: GatewayWorld, by: Device, asking: Device): Promise<void> {
  const code = await time.run(asking.sync.devices.code());
  await time.until(() => asking.sync.status().error?.code === 'DEVICE_NOT_APPROVED');
  await time.run(by.sync.devices.approve(code));
}

test('opens a sealed ledger for a client that specifies no kind, and rejects a client that specifies open-key', async () => {
  const here = await gatewayWorld();
  const world = await sealedLedger(here);
  const first = await device(world);
  await first.replica.db.put({ _id: 'secret' });
  await inSync(here, first);
  expect(first.sync.kind()).toBe('sealed');
  const other = world.replica();
  const open = await other.attach({ kind: 'open-key' });
  await expect(here.time.run(open.synced())).rejects.toMatchObject({ code: 'LEDGER_KIND' });
  for (const { db } of [first.replica, other]) await here.time.run(db.close());
});

test('[S1] gives readers of a sealed ledger access to current and later documents, but no right to write', async () => {
  const here = await gatewayWorld();
  const world = await sealedLedger(here);
  const member = await newMember({ db: here.db, tokens: here.tokens }, world.notes, 'read');
  const owner = await device(world);
  await owner.replica.db.put({ _id: 'before' });
  await inSync(here, owner);
  const reader = await device(world, member.token);
  await letIn(here, owner, reader);
  await here.time.until(async () => (await idsOf(reader)).length === 1);
  await owner.replica.db.put({ _id: 'after' });
  await here.time.until(async () => (await idsOf(reader)).length === 2);
  await reader.replica.db.put({ _id: 'own' });
  await here.time.until(() => reader.sync.status().state === 'refused');
  expect(reader.sync.status()).toMatchObject({ error: { code: 'FORBIDDEN' } });
  await owner.replica.db.put({ _id: 'last' });
  await here.time.until(async () => (await idsOf(reader)).includes('last'));
  expect(await idsOf(owner)).toEqual(['after', 'before', 'last']);
  for (const { replica } of [owner, reader]) await here.time.run(replica.db.close());
  expect(here.reports).toEqual([]);
});

test('[S5] encrypts later writes with a key that devices and recovery codes of a removed member lack', async () => {
  const here = await gatewayWorld();
  const { time, db } = here;
  const world = await sealedLedger(here);
  const member = await newMember({ db, tokens: here.tokens }, world.notes, 'write');
  const owner = await device(world);
  await owner.replica.db.put({ _id: 'before' });
  await inSync(here, owner);
  const second = await device(world);
  await letIn(here, owner, second);
  const leaver = await device(world, member.token);
  await letIn(here, owner, leaver);
  await inSync(here, owner, second, leaver);
  const ownCode = await time.run(owner.sync.devices.newRecoveryCode());
  const leaversCode = await time.run(leaver.sync.devices.newRecoveryCode());
  // Waits until the key records of the other device have arrived.
  await time.pass(1000);
  expect(await time.run(owner.sync.devices.list())).toHaveLength(5);

  for (const table of ['LedgerUsers', 'TenantUsers'] as const)
    await db.deleteFrom(table).where('userId', '=', member.userId).execute();
  await here.recheckRights();
  await time.pass(1000);
  // The next write of any remaining device rotates the key. No device requests a rotation.
  await second.replica.db.put({ _id: 'after' });
  await inSync(here, owner, second);
  const left = await time.run(owner.sync.devices.list());
  expect(left).toHaveLength(3);
  expect(left.filter(({ isRecovery }) => isRecovery)).toHaveLength(1);
  await owner.replica.db.put({ _id: 'after that' });
  await inSync(here, owner, second);
  const rotations = (await db.selectFrom('LedgerKeys').select('keyText').execute()).filter(({ keyText }) =>
    Buffer.from(keyText.slice(3), 'base64url').includes('rotate'),
  );
  expect(rotations).toHaveLength(1);
  expect(await idsOf(leaver)).toEqual(['before']);

  // After rejoining, the member receives all objects, but can't decrypt them until a device
  // approves the member's device.
  const dates = { createdAt: '', updatedAt: '', status: 'active', statusReason: '' };
  await db
    .insertInto('TenantUsers')
    .values({
      userId: member.userId,
      tenantId: member.tenant,
      role: 'admin',
      name: null,
      default: 0,
      ...dates,
    })
    .execute();
  await here.recheckRights();
  await time.run(leaver.sync.detach());
  const token = () => mint(here.tokens, member.userId, member.tenant, member.ledger);
  const again = { ...leaver, sync: await leaver.replica.attach({ token: await token() }) };
  await time.until(() => again.sync.status().error?.code === 'DEVICE_NOT_APPROVED');
  await expect(time.run(again.sync.devices.recover(leaversCode))).rejects.toMatchObject({
    code: 'DEVICE_NOT_APPROVED',
  });
  await time.pass(5000);
  expect(await idsOf(again)).toEqual(['before']);
  await time.run(owner.sync.devices.approve(await time.run(again.sync.devices.code())));
  await inSync(here, owner, second, again);
  expect(await idsOf(again)).toEqual(['after', 'after that', 'before']);

  const saved = await device(world);
  await time.until(() => saved.sync.status().error?.code === 'DEVICE_NOT_APPROVED');
  await time.run(saved.sync.devices.recover(ownCode));
  await inSync(here, owner, saved);
  for (const { replica } of [owner, second, leaver, saved]) {
    expect(replica.reports).toEqual([]);
    await time.run(replica.db.close());
  }
  expect(here.reports).toEqual([]);
});

test('[S5] lists no device of a removed member, even if the member had deleted the device record', async () => {
  const here = await gatewayWorld();
  const { time, db } = here;
  const world = await sealedLedger(here);
  const member = await newMember({ db, tokens: here.tokens }, world.notes, 'write');
  const owner = await device(world);
  await owner.replica.db.put({ _id: 'before' });
  await inSync(here, owner);
  const leaver = await device(world, member.token);
  await letIn(here, owner, leaver);
  await inSync(here, owner, leaver);
  // An older gateway let members delete their own device record. The record contains the id of the
  // owner of the device.
  const isTheirs = ['userId', '=', member.userId] as const;
  await db
    .deleteFrom('LedgerKeys')
    .where(...isTheirs)
    .execute();
  for (const table of ['LedgerUsers', 'TenantUsers'] as const)
    await db
      .deleteFrom(table)
      .where(...isTheirs)
      .execute();
  await here.recheckRights();
  await time.pass(1000);
  await owner.replica.db.put({ _id: 'after' });
  await time.until(async () => {
    const list = await owner.sync.devices.list();
    return list.length === 1 && owner.sync.status().state === 'in-sync';
  });
  expect(await time.run(owner.sync.devices.list())).toMatchObject([
    { isThis: true, isOwn: true, owner: world.notes.userId },
  ]);
  for (const { replica } of [owner, leaver]) await time.run(replica.db.close());
  expect(here.reports).toEqual([]);
});

test('[S5] agrees on one key when two devices rotate the key at the same time, one of them while approving a device', async () => {
  const here = await gatewayWorld();
  const { time } = here;
  const world = await sealedLedger(here);
  const owner = await device(world);
  await owner.replica.db.put({ _id: 'before' });
  await inSync(here, owner);
  const second = await device(world);
  await letIn(here, owner, second);
  await inSync(here, owner, second);
  const late = await device(world);
  const code = await time.run(late.sync.devices.code());
  await time.until(() => late.sync.status().error?.code === 'DEVICE_NOT_APPROVED');
  await time.run(
    Promise.all([
      owner.sync.devices.remove([]),
      second.sync.devices.remove([]),
      owner.sync.devices.approve(code),
    ]),
  );
  await late.replica.db.put({ _id: 'late' });
  await inSync(here, owner, second, late);
  const currents = await Promise.all(
    [owner, second, late].map(async ({ sync }) => (await sync.devices.keyring())?.current),
  );
  expect(new Set(currents).size).toBe(1);
  expect(await idsOf(late)).toEqual(['before', 'late']);
  for (const { replica } of [owner, second, late]) await time.run(replica.db.close());
  expect(here.reports).toEqual([]);
});

test('[S1] lets writers who aren’t admins remove only their own devices', async () => {
  const here = await gatewayWorld();
  const { time, db } = here;
  const world = await sealedLedger(here);
  const member = await newMember({ db, tokens: here.tokens }, world.notes, 'write');
  const owner = await device(world);
  await owner.replica.db.put({ _id: 'x' });
  await inSync(here, owner);
  const [phone, laptop] = [await device(world, member.token), await device(world, member.token)];
  for (const one of [phone, laptop]) await letIn(here, owner, one);
  await inSync(here, owner, phone, laptop);
  await time.run(owner.sync.devices.remove([]));
  await time.pass(5000);
  const list = await time.run(phone.sync.devices.list());
  expect(list.map(({ isOwn }) => isOwn).sort()).toEqual([false, true, true]);
  const [ofOwner] = list.filter(({ isOwn }) => !isOwn);
  const [ofLaptop] = list.filter(({ isOwn, isThis }) => isOwn && !isThis);
  await expect(time.run(phone.sync.devices.remove([ofOwner?.id ?? '']))).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
  await time.run(phone.sync.devices.remove([ofLaptop?.id ?? '']));
  await time.until(() => !laptop.sync.devices.isApproved());
  expect(await time.run(phone.sync.devices.list())).toHaveLength(2);
  for (const { replica } of [owner, phone, laptop]) await time.run(replica.db.close());
  expect(here.reports).toEqual([]);
});
