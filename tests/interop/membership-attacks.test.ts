/**
 * Attacks on a sealed ledger with a membership log, at the real gateway: by a writer, by a removed
 * member, and by the server itself (docs/internals/membership-rules.md).
 */
import { isEntryText, parseKeyRecord } from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import {
  about,
  httpClient,
  newLedger,
  newMember,
  testCloud,
} from '../../packages/cloud/tests/cloud.fixture.ts';
import { device, recordOf, rotation } from '../../packages/cloud/tests/key-records.fixture.ts';
import {
  again,
  codeOf,
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

async function withColleague() {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const { founder } = await founded(cloud, notes);
  const place = await newMember(cloud, notes, 'write');
  const bob = await openDevice(cloud, place);
  await join(founder, bob, { name: 'Bob', role: 'write' });
  return { cloud, notes, founder, bob, list: await listOf(cloud, place) };
}

const recipientsIn = (texts: readonly string[]) =>
  texts.flatMap((text) => {
    const record = parseKeyRecord(text);
    return record?.t === 'rotate' ? [record.pubs.length] : [];
  });

test('[S-4, S-6] lets a writer exclude nobody, and stop no rotation', async () => {
  const { cloud, notes, founder, bob, list } = await withColleague();
  const key = Buffer.from((await keyOf(founder)) as string, 'hex');
  const noPoint = recordOf([
    ['t', 'device'],
    ['pub', Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)])],
  ]);
  expect(await list.put(noPoint)).toBe('REQUEST_INVALID');
  expect(await list.put(rotation(key, []))).toBe('REQUEST_INVALID');
  const texts = await (await listOf(cloud, notes)).keys();
  const client = await httpClient(cloud, bob.place);
  for (const text of texts.filter(isEntryText)) {
    const fields = { ...about(bob.place, 'meta', 'DELETE'), meta: { metas: [], keys: [text] } };
    expect((await client.request('reqDelMeta', fields)).code).toBe('FORBIDDEN');
  }
  const ofAda = (await bob.attached.devices.list()).filter(({ name }) => name === 'Ada');
  expect(ofAda).toHaveLength(2);
  for (const { id } of ofAda) expect(await codeOf(bob.attached.devices.remove([id]))).toBe('FORBIDDEN');
  expect(await codeOf(bob.attached.devices.setRole(bob.place.userId, 'admin'))).toBe('FORBIDDEN');
  const asking = await openDevice(cloud, await newMember(cloud, notes, 'write'));
  expect(await codeOf(asking.attached.synced())).toBe('DEVICE_NOT_APPROVED');
  const code = await asking.attached.devices.code();
  const admission = { name: 'Eve', role: 'write' } as const;
  expect(await codeOf(bob.attached.devices.approve(code, admission))).toBe('FORBIDDEN');

  await founder.attached.devices.remove([]);
  await write(founder, 'after');
  await expect.poll(() => idsOf(bob), PATIENT).toEqual(['after', 'first']);
  // The founder's device and code, and the device of the writer.
  expect(recipientsIn(await list.keys())).toEqual([3]);
});

test('[S-3] gives a removed member no later key, whatever devices they announce or give keys to', async () => {
  const { cloud, founder, bob, list } = await withColleague();
  const second = await openDevice(cloud, bob.place);
  await join(bob, second);
  await expect.poll(() => devicesOf(founder, 'Bob').then(({ length }) => length), PATIENT).toBe(2);
  const third = await openDevice(cloud, bob.place);
  expect(await codeOf(third.attached.synced())).toBe('DEVICE_NOT_APPROVED');
  const code = await third.attached.devices.code();
  await founder.attached.devices.remove(await devicesOf(founder, 'Bob'));
  await write(founder, 'after');
  // They still have access at the server, which isn't told of the removal.
  for (const own of [bob, second]) {
    await expect.poll(async () => (await logOf(own))?.waits, PATIENT).toBe('DEVICE_NOT_APPROVED');
    expect(await codeOf(own.attached.devices.approve(code))).toBe('DEVICE_NOT_APPROVED');
    expect(await codeOf(own.attached.devices.remove([]))).toBe('DEVICE_NOT_APPROVED');
  }
  expect(await list.put(device())).toBe('taken');
  await founder.attached.devices.remove([]);
  await write(founder, 'later');
  expect(recipientsIn(await list.keys())).toEqual([2, 2]);
  for (const own of [bob, second, third]) expect(await idsOf(own)).not.toContain('after');
  expect((await logOf(founder))?.members.map(({ name }) => name)).toEqual(['Ada']);
});

test('[S-5, L1] puts a removal again that the server dropped, and never returns to the earlier key', async () => {
  const { cloud, notes, founder, bob } = await withColleague();
  const phone = await openDevice(cloud, notes);
  await join(founder, phone);
  const before = await cloud.db.selectFrom('LedgerKeys').select('keyHash').execute();
  const kept = before.map(({ keyHash }) => keyHash);
  await founder.attached.devices.remove(await devicesOf(founder, 'Bob'));
  await write(founder, 'after');
  await expect.poll(() => idsOf(phone), PATIENT).toEqual(['after', 'first']);
  const key = await keyOf(phone);
  await founder.db.close();
  await phone.db.close();

  await cloud.db.deleteFrom('LedgerKeys').where('keyHash', 'not in', kept).execute();
  const back = await again(cloud, phone);
  await write(back, 'later');
  expect(await keyOf(back)).toBe(key);
  const { keys } = await listOf(cloud, notes);
  await expect.poll(async () => recipientsIn(await keys()), PATIENT).toEqual([3]);
  expect((await logOf(back))?.members.map(({ name }) => name)).toEqual(['Ada']);
  expect(await idsOf(bob)).toEqual(['first']);
});

test('[S-11] sends no key to a server that calls the ledger open-key, or shows an empty list', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const { founder } = await founded(cloud, notes);
  await join(founder, await openDevice(cloud, notes));
  const key = await keyOf(founder);
  await founder.db.close();
  await cloud.db.deleteFrom('LedgerKeys').execute();
  await cloud.db.deleteFrom('Metas').execute();
  const empty = await again(cloud, founder);
  await write(empty, 'later');
  expect(await keyOf(empty)).toBe(key);
  await cloud.db.updateTable('Ledgers').set({ kind: 'open-key' }).execute();
  const open = await again(cloud, empty);
  expect(await codeOf(open.attached.synced())).toBe('LEDGER_KIND');
  const texts = await (await listOf(cloud, notes)).keys();
  expect(texts.filter((text) => !text.startsWith('S'))).toEqual([]);
  expect(texts.filter(isEntryText)).toHaveLength(2);
});
