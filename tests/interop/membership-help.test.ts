/**
 * Members of a log help each other at the real gateway: greetings, recovery codes that an admin
 * confirms, confirmations that somebody left, and devices from before the log
 * (docs/internals/membership-rules.md).
 */
import { isGreetingText, readGreeting } from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import { newLedger, newMember, testCloud } from '../../packages/cloud/tests/cloud.fixture.ts';
import {
  again,
  codeOf,
  type Device,
  founded,
  idsOf,
  join,
  keyOf,
  listOf,
  logOf,
  openDevice,
  PATIENT,
  write,
} from './membership-log.fixture.ts';

const seen = (device: Device, ...ids: string[]) =>
  expect.poll(() => idsOf(device), PATIENT).toEqual(ids.sort());

/** Reads the list of the ledger again. */
const refresh = async ({ attached }: Device) => void (await attached.devices.list());

/** A founder, and a member who may only read. */
async function withReader() {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const { founder } = await founded(cloud, notes);
  const reader = await openDevice(cloud, await newMember(cloud, notes, 'read'));
  await join(founder, reader, { name: 'Rob', role: 'read' });
  await seen(reader, 'first');
  return { cloud, notes, founder, reader };
}

test('[N2] greets as a member who may only read, and the server keeps one greeting of each device', async () => {
  const { cloud, notes, founder, reader } = await withReader();
  const { keys } = await listOf(cloud, notes);
  const greetings = async () => (await keys()).filter(isGreetingText);
  await expect.poll(async () => (await greetings()).length, PATIENT).toBe(2);
  const seats = (await greetings()).map((text) => readGreeting(text)?.greeting.seat.key);
  expect(new Set(seats).size).toBe(2);
  const before = await greetings();
  await refresh(founder);
  await again(cloud, reader);
  expect(await greetings()).toEqual(before);
  await write(founder, 'second');
  const heardAt = async () => (await logOf(founder))?.members.find(({ name }) => name === 'Rob')?.heardAt;
  await expect.poll(heardAt, PATIENT).toBeGreaterThan(Date.now() - 60_000);
});

test('[J5] lets a reader ask for a recovery code, which works once an admin confirmed it', async () => {
  const { cloud, founder, reader } = await withReader();
  const code = await reader.attached.devices.newRecoveryCode();
  const requests = async () => (await logOf(founder))?.codeRequests ?? [];
  await expect.poll(async () => (await requests()).length, PATIENT).toBe(1);
  const [request] = await requests();
  expect(request).toMatchObject({ name: 'Rob', isYou: false });
  const lost = await openDevice(cloud, reader.place);
  expect(await codeOf(lost.attached.synced())).toBe('DEVICE_NOT_APPROVED');
  expect(await codeOf(lost.attached.devices.recover(code))).toBe('DEVICE_NOT_APPROVED');
  await founder.attached.devices.approve(request?.id as string);
  expect(await requests()).toEqual([]);
  await lost.attached.devices.recover(code);
  await expect.poll(() => lost.attached.status().state, PATIENT).toBe('in-sync');
  await seen(lost, 'first');
  expect((await logOf(lost))?.role).toBe('read');
  expect(await codeOf(founder.attached.devices.newRecoveryCode())).toBe('FORBIDDEN');
});

test('[C4] confirms that a member left, and the others continue with a new key', async () => {
  const { founder, reader } = await withReader();
  const before = await keyOf(founder);
  const own = (await reader.attached.devices.list()).find(({ isThis }) => isThis);
  await reader.attached.devices.remove([own?.id as string]);
  expect(reader.attached.devices.isApproved()).toBe(false);
  await expect
    .poll(async () => (await logOf(founder))?.members.map(({ name }) => name), PATIENT)
    .toEqual(['Ada']);
  await expect.poll(() => keyOf(founder), PATIENT).not.toBe(before);
  await write(founder, 'second');
  expect(await idsOf(reader)).toEqual(['first']);
});

test('[L5] adds a device from before the log without its code, which follows once it was compared', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const founder = await openDevice(cloud, notes);
  await write(founder, 'first');
  const member = await openDevice(cloud, await newMember(cloud, notes, 'write'));
  await join(founder, member);
  const { devices } = founder.attached;
  await devices.startLog({ name: 'Ada', code: await devices.newLogCode() });
  await expect.poll(async () => (await logOf(founder))?.earlierDevices?.length, PATIENT).toBe(1);
  const [earlier] = (await logOf(founder))?.earlierDevices ?? [];
  expect(earlier?.user).toBe(member.place.userId);
  const id = earlier?.id as string;
  expect(await codeOf(devices.approve(id, { name: 'Bob', role: 'admin' }))).toBe('FORBIDDEN');
  await devices.approve(id, { name: 'Bob', role: 'write' });
  expect((await logOf(founder))?.earlierDevices).toEqual([]);
  const log = await logOf(member);
  await member.attached.devices.compareLog(log?.id as string, true);
  await write(member, 'of Bob');
  await seen(founder, 'first', 'of Bob');
  await devices.remove([]);
  await expect.poll(() => keyOf(member), PATIENT).toBe(await keyOf(founder));
});

test('[G2] withdraws a log that has no other entry, and starts another one', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const { founder } = await founded(cloud, notes);
  const { devices } = founder.attached;
  const first = (await logOf(founder))?.id as string;
  await devices.compareLog(first, false);
  expect(await logOf(founder)).toBeUndefined();
  await write(founder, 'second');
  await devices.startLog({ name: 'Ada', code: await devices.newLogCode() });
  const next = (await logOf(founder))?.id as string;
  expect(next).not.toBe(first);
  const phone = await openDevice(cloud, notes);
  await join(founder, phone);
  expect(await codeOf(devices.compareLog(next, false))).toBe('CONFLICT');
  await seen(phone, 'first', 'second');
});

test.each(['with', 'without'])(
  'tells a device that an admin rejected its request, %s a log',
  async (kind) => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const founder = kind === 'with' ? (await founded(cloud, notes)).founder : await openDevice(cloud, notes);
    for (const id of ['first', 'second']) await write(founder, id);
    const asker = await openDevice(cloud, await newMember(cloud, notes, 'write'));
    expect(await codeOf(asker.attached.synced())).toBe('DEVICE_NOT_APPROVED');
    const askingAt = async (one: Device) => (await one.attached.devices.keyring())?.asking ?? [];
    await expect.poll(async () => (await askingAt(founder)).length, PATIENT).toBe(1);
    const rejected = async () => (await asker.attached.devices.keyring())?.isRejected;
    expect(await rejected()).toBeUndefined();
    const before = await keyOf(founder);
    // Only admins of the tenant may reject.
    const writer = await openDevice(cloud, await newMember(cloud, notes, 'write'));
    await join(founder, writer, ...(kind === 'with' ? [{ name: 'Will', role: 'write' } as const] : []));
    expect(await codeOf(writer.attached.devices.reject(await askingAt(writer)))).toBe('FORBIDDEN');
    const [own = ''] = await askingAt(founder);
    await founder.attached.devices.reject([own]);
    expect([await askingAt(founder), await keyOf(founder)]).toEqual([[], before]);
    await expect.poll(rejected, PATIENT).toBe(true);
    // It doesn't ask again by itself, also not when it is attached again. Its user can.
    await write(founder, 'third');
    const later = await again(cloud, asker);
    expect(await codeOf(later.attached.synced())).toBe('DEVICE_NOT_APPROVED');
    expect((await later.attached.devices.keyring())?.isRejected).toBe(true);
    await refresh(founder);
    expect(await askingAt(founder)).toEqual([]);
    await later.attached.devices.ask();
    expect((await later.attached.devices.keyring())?.isRejected).toBeUndefined();
    await expect.poll(async () => (await askingAt(founder)).length, PATIENT).toBe(1);
    await founder.attached.devices.approve(
      await later.attached.devices.code(),
      ...(kind === 'with' ? [{ name: 'Asa', role: 'write' } as const] : []),
    );
    await seen(later, 'first', 'second', 'third');
  },
);
