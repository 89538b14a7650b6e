/**
 * The membership log of a sealed ledger at the real gateway, from its start to removals, recovery
 * and devices of earlier versions (docs/internals/membership-rules.md).
 */
import { isEntryText } from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import { newLedger, newMember, testCloud } from '../../packages/cloud/tests/cloud.fixture.ts';
import {
  again,
  codeOf,
  type Device,
  devicesOf,
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

test('[L1, J2, C11] lets a founder add a device and a colleague, remove the colleague, and recover', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const { founder, code } = await founded(cloud, notes);
  expect(await logOf(founder)).toMatchObject({
    ...{ isCompared: true, role: 'admin', forks: [], waits: undefined },
    members: [{ user: notes.userId, name: 'Ada', role: 'admin' }],
  });
  const phone = await openDevice(cloud, notes);
  await join(founder, phone);
  const colleague = await openDevice(cloud, await newMember(cloud, notes, 'write'));
  expect(await codeOf(colleague.attached.synced())).toBe('DEVICE_NOT_APPROVED');
  const asked = await colleague.attached.devices.code();
  // The server says whose device it is, so the founder must say it, too.
  expect(await codeOf(phone.attached.devices.approve(asked))).toBe('REQUEST_INVALID');
  await join(phone, colleague, { name: 'Bob', role: 'write' });
  await write(colleague, 'of Bob');
  await seen(founder, 'first', 'of Bob');
  await expect.poll(async () => (await logOf(founder))?.members.length, PATIENT).toBe(2);
  const numbers = [founder, phone, colleague].map(async (one) => (await logOf(one))?.safetyNumber);
  expect(new Set(await Promise.all(numbers)).size).toBe(1);
  expect(await founder.attached.devices.list()).toMatchObject([
    { isRecovery: true, name: 'Ada', isOwn: true },
    { isThis: true, name: 'Ada', isOwn: true },
    { name: 'Ada', approvedBy: 'Ada', isOwn: true },
    { name: 'Bob', approvedBy: 'Ada', isOwn: false },
  ]);

  const before = await keyOf(founder);
  await phone.attached.devices.setRole(colleague.place.userId, 'read');
  await founder.attached.devices.remove(await devicesOf(founder, 'Bob'));
  await write(founder, 'after');
  expect(await keyOf(founder)).not.toBe(before);
  await expect.poll(async () => (await logOf(colleague))?.waits, PATIENT).toBe('DEVICE_NOT_APPROVED');
  expect(await idsOf(colleague)).toEqual(['first', 'of Bob']);
  expect(await keyOf(colleague)).toBe(before);

  const next = await phone.attached.devices.newLogCode();
  await founder.attached.devices.newRecoveryCode({ previous: code, code: next });
  await write(founder, 'replaced');
  // The code opens the ledger although the key changed, and adds the device to its person.
  const recovered = await openDevice(cloud, notes);
  expect(await codeOf(recovered.attached.synced())).toBe('DEVICE_NOT_APPROVED');
  expect(await codeOf(recovered.attached.devices.recover(code))).toBe('DEVICE_NOT_APPROVED');
  await recovered.attached.devices.recover(next);
  await recovered.attached.synced();
  await write(recovered, 'recovered');
  await seen(phone, 'first', 'of Bob', 'after', 'replaced', 'recovered');
  expect(await keyOf(recovered)).toBe(await keyOf(phone));
});

test('[S-12] brings a device that was offline during three rotations up to date, and a new one, too', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const { founder } = await founded(cloud, notes);
  const phone = await openDevice(cloud, notes);
  await join(founder, phone);
  await phone.db.close();
  const ids = ['first'];
  for (const name of ['a', 'b', 'c']) {
    await founder.attached.devices.remove([]);
    await write(founder, name);
    ids.push(name);
  }
  const back = await again(cloud, phone);
  await write(back, 'back');
  await seen(founder, ...ids, 'back');
  await seen(back, ...ids, 'back');
  const late = await openDevice(cloud, notes);
  await join(back, late);
  await seen(late, ...ids, 'back');
});

test('[L6] reports to the member who approves a device of an earlier version that it needs an update', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const { founder } = await founded(cloud, notes);
  const member = await newMember(cloud, notes, 'write');
  const earlier = await openDevice(cloud, member, { isEarlier: true });
  expect(await codeOf(earlier.attached.synced())).toBe('DEVICE_NOT_APPROVED');
  const approved = founder.attached.devices.approve(await earlier.attached.devices.code(), {
    ...{ name: 'Bob', role: 'write' },
  });
  await expect(approved).rejects.toMatchObject({
    code: 'FORMAT_NEWER',
    message: expect.stringContaining('update the device'),
  });
  // After the update, the same device asks with another code.
  await earlier.db.put({ _id: 'of Bob' });
  const updated = await again(cloud, earlier);
  await join(founder, updated, { name: 'Bob', role: 'write' });
  await seen(founder, 'first', 'of Bob');
});

test('[L6] loses nothing of devices from before the log, which join it after an update', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const founder = await openDevice(cloud, notes);
  await write(founder, 'first');
  const member = await newMember(cloud, notes, 'write');
  const earlier = await openDevice(cloud, member, { isEarlier: true });
  await join(founder, earlier);
  const { devices } = founder.attached;
  await devices.startLog({ name: 'Ada', code: await devices.newLogCode() });
  // It still has the key, so the list shows it.
  const [unlisted] = (await devices.list()).filter((one) => one.isUnlisted);
  expect(unlisted).toMatchObject({ owner: member.userId });
  await write(earlier, 'before the rotation');
  // It counts once the device joined the log.
  await expect
    .poll(async () => (await logOf(founder))?.withheld.map(({ reason }) => reason), PATIENT)
    .toEqual(['unknown device']);
  expect(await idsOf(founder)).toEqual(['first']);
  // The server rejects a rotation that isn't in the log, and says why.
  await expect(earlier.attached.devices.remove([])).rejects.toThrow('update');

  await devices.remove([unlisted?.id as string]);
  await write(founder, 'after');
  await expect.poll(() => codeOf(earlier.attached.synced()), PATIENT).toBe('DEVICE_NOT_APPROVED');
  await earlier.db.put({ _id: 'while out' });
  expect(await idsOf(earlier)).toEqual(['before the rotation', 'first', 'while out']);

  const updated = await again(cloud, earlier);
  await expect.poll(async () => (await logOf(updated))?.waits, PATIENT).toBe('LEDGER_NOT_COMPARED');
  await devices.approve(await updated.attached.devices.code(), { name: 'Bob', role: 'write' });
  await seen(updated, 'first', 'before the rotation', 'after', 'while out');
  await seen(founder, 'first', 'before the rotation', 'after', 'while out');
  const authorOf = async (id: string) => (await founder.db.history(id))[0]?.author;
  expect(await authorOf('first')).toEqual({ status: 'before the log' });
  expect(await authorOf('after')).toEqual({ status: 'verified', name: 'Ada' });
  for (const id of ['before the rotation', 'while out'])
    expect(await authorOf(id)).toMatchObject({ status: 'vouched for', name: 'Bob', knew: false });
  expect((await founder.db.verify()).byLog).toMatchObject({
    ...{ beforeLog: 1, notAccepted: [], vouchedFor: [{ name: 'Bob', events: 2 }] },
    verified: expect.arrayContaining([expect.objectContaining({ name: 'Ada' })]),
  });
});

test('[L3] lets a device of before the log follow it after its user compared the safety number', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const founder = await openDevice(cloud, notes);
  await write(founder, 'first');
  const phone = await openDevice(cloud, notes);
  await join(founder, phone);
  const { devices } = founder.attached;
  await devices.startLog({ name: 'Ada', code: await devices.newLogCode() });
  await expect.poll(async () => (await logOf(phone))?.isCompared, PATIENT).toBe(false);
  const log = await logOf(phone);
  expect([log?.waits, log?.safetyNumber]).toEqual([undefined, (await logOf(founder))?.safetyNumber]);
  expect(await codeOf(phone.attached.devices.remove([]))).toBe('LEDGER_NOT_COMPARED');
  expect(await codeOf(phone.attached.devices.compareLog('00', true))).toBe('NOT_FOUND');
  await phone.attached.devices.compareLog(log?.id as string, true);
  // It follows the log, which doesn't have it yet.
  expect((await logOf(phone))?.waits).toBe('DEVICE_NOT_APPROVED');
  expect(await codeOf(phone.attached.devices.compareLog(log?.id as string, false))).toBe('CONFLICT');
  await join(founder, phone);
  await write(phone, 'of the phone');
  await seen(founder, 'first', 'of the phone');
});

test('[G2, G6] starts one log only, by an admin, at a server that keeps logs', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const { founder } = await founded(cloud, notes);
  const { devices } = founder.attached;
  const next = await devices.newLogCode();
  expect(await codeOf(devices.startLog({ name: 'Ada', code: next }))).toBe('CONFLICT');
  expect(await codeOf(devices.newRecoveryCode())).toBe('FORBIDDEN');
  const starts = (await (await listOf(cloud, notes)).keys()).filter(isEntryText);
  expect(starts).toHaveLength(1);

  const others = await newLedger(cloud);
  const first = await openDevice(cloud, others);
  await write(first, 'first');
  const member = await openDevice(cloud, await newMember(cloud, others, 'write'));
  await join(first, member);
  const own = member.attached.devices;
  const code = await own.newLogCode();
  expect(await codeOf(own.startLog({ name: 'Bob', code }))).toBe('FORBIDDEN');
  expect(await codeOf(own.startLog({ name: 'Bob', code: 'AAAAA' }))).toBe('REQUEST_INVALID');
  expect(await logOf(member)).toBeUndefined();

  const off = await testCloud({ startsLogs: false });
  const plain = await openDevice(off, await newLedger(off));
  await write(plain, 'first');
  expect(await codeOf(plain.attached.devices.newLogCode())).toBe('NOT_IMPLEMENTED');
});
