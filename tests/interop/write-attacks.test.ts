/**
 * Attacks on the documents of a ledger with a membership log, at the real gateway: somebody whom
 * the gateway lets write, although the log doesn't (docs/internals/membership-rules.md, "Events").
 */
import type { LedgerLog } from 'fixpoint';
import { expect, test } from 'vitest';
import { newLedger, newMember, testCloud } from '../../packages/cloud/tests/cloud.fixture.ts';
import { packArchive } from '../../packages/engine/src/archive/pack.ts';
import { signerOf } from '../../packages/engine/src/base/signatures.ts';
import { type ClockEvent, encodeEvent } from '../../packages/engine/src/clock/event.ts';
import { signedEvent } from '../../packages/engine/src/clock/signature.ts';
import { encodeStamp } from '../../packages/engine/src/clock/stamp.ts';
import type { Snapshot } from '../../packages/engine/src/commit/snapshot.ts';
import { insideOf } from '../../packages/engine/src/database/inside.ts';
import { parseDocKey } from '../../packages/engine/src/documents/doc-key.ts';
import { encodeDocument } from '../../packages/engine/src/documents/encode.ts';
import { putMany } from '../../packages/engine/src/trie/put-many.ts';
import {
  again,
  codeOf,
  type Device,
  devicesOf,
  founded,
  idsOf,
  join,
  logOf,
  openDevice,
  PATIENT,
  write,
} from './membership-log.fixture.ts';

const coreOf = async ({ db }: Device) => {
  const core = await insideOf(db)?.open();
  if (core === undefined) throw new Error('no core');
  return core;
};

/** The key of a device, and the name that its events have now. */
async function secretsOf(device: Device) {
  const { local } = (await coreOf(device)).commits;
  const [pair, row] = [await local.read('signer'), await local.read('log-name')];
  if (pair === undefined || row === undefined) throw new Error('not in a log');
  return { signer: await signerOf(pair), name: row.slice(0, 16) };
}

type Base = Pick<Snapshot, 'head' | 'root'>;
type MakeStamp = (event: ClockEvent) => ClockEvent | Promise<ClockEvent>;

/**
 * Writes a document with any stamp, and sends it as if this device had written it.
 * @param on what it follows; by default the current head
 */
async function forge(device: Device, id: string, stamp: MakeStamp, on?: Base): Promise<string> {
  const { commits } = await coreOf(device);
  const { head, root: before } = on ?? commits.snapshot();
  const document = encodeDocument({ _id: id }, parseDocKey(id));
  const { root, added } = await putMany(commits.readers.shard, before, [[id, document.cid]]);
  const operations = [{ key: id, value: document.cid }];
  const event = encodeEvent(await stamp({ operations, root, parents: head }));
  const archive = await packArchive({ cars: [], compact: [], head: [event.cid] }, [
    document,
    ...added,
    event,
  ]);
  await commits.mergeRemote({ head: [event.cid], archives: [archive], remember: [], isOwn: true });
  await device.attached.synced();
  return event.cid;
}

const withheldBy = async (device: Device) =>
  Object.fromEntries(((await logOf(device))?.withheld ?? []).map(({ event, reason }) => [event, reason]));

test('[S-3, E1] counts nothing that a reader writes in any name, although the gateway takes it', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const { founder } = await founded(cloud, notes);
  const writer = await openDevice(cloud, await newMember(cloud, notes, 'write'));
  await join(founder, writer, { name: 'Will', role: 'write' });
  // The gateway lets the reader write.
  const reader = await openDevice(cloud, await newMember(cloud, notes, 'write'));
  await join(founder, reader, { name: 'Rhea', role: 'read' });
  await write(writer, 'by the writer');
  await expect.poll(() => idsOf(founder), PATIENT).toContain('by the writer');

  const [own, ofWriter] = [await secretsOf(reader), await secretsOf(writer)];
  const idOfWriter = ofWriter.signer.publicKey.slice(1, 17);
  const asWriter = { ...own.signer, publicKey: ofWriter.signer.publicKey };
  const now = Date.now();
  const attacks: readonly (readonly [string, string, MakeStamp])[] = [
    ['without a stamp', 'unknown device', (event) => event],
    ['version 1 of the writer', 'not signed', (event) => ({ ...event, by: encodeStamp(now, idOfWriter) })],
    ['version 2', 'names nothing', (event) => signedEvent(event, now, own.signer)],
    ['version 2 of the writer', 'not signed', (event) => signedEvent(event, now, asWriter)],
    ['version 3', 'no right', (event) => signedEvent(event, now, own.signer, own.name)],
    ['no name', 'names nothing', (event) => signedEvent(event, now, own.signer, new Uint8Array(16))],
    ['version 3 of the writer', 'not signed', (event) => signedEvent(event, now, asWriter, own.name)],
  ];
  const founderHead = await founder.db.head();
  for (const [id, reason, stamp] of attacks) {
    const event = await forge(reader, id, stamp);
    for (const one of [founder, writer])
      await expect.poll(async () => (await withheldBy(one))[event], PATIENT).toBe(reason);
  }
  for (const one of [founder, writer]) expect(await idsOf(one)).toEqual(['by the writer', 'first']);
  expect(await founder.db.head()).toEqual(founderHead);
  expect(await idsOf(reader)).toContain('no name');
  // Honest writes continue.
  await write(writer, 'later');
  await expect.poll(() => idsOf(founder), PATIENT).toEqual(['by the writer', 'first', 'later']);
  const [newest] = await founder.db.events({ limit: 1 });
  expect(newest).toMatchObject({ author: { status: 'verified', name: 'Will' }, signature: 'valid' });
  expect((await founder.db.verify()).byLog).toMatchObject({ notAccepted: [] });
});

test('[C1, item 6] counts no late write of a removed member, whatever date and name it claims', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const { founder } = await founded(cloud, notes);
  const bob = await openDevice(cloud, await newMember(cloud, notes, 'write'));
  await join(founder, bob, { name: 'Bob', role: 'write' });
  // A reader has the later keys, and sends for Bob.
  const reader = await openDevice(cloud, await newMember(cloud, notes, 'write'));
  await join(founder, reader, { name: 'Rhea', role: 'read' });
  await write(bob, 'before');
  for (const one of [founder, reader]) await expect.poll(() => idsOf(one), PATIENT).toContain('before');
  const { signer, name } = await secretsOf(bob);
  const { head, root } = (await coreOf(bob)).commits.snapshot();

  await founder.attached.devices.remove(await devicesOf(founder, 'Bob'));
  await write(founder, 'after');
  await expect.poll(() => idsOf(reader), PATIENT).toEqual(['after', 'before', 'first']);
  expect(await idsOf(founder)).toEqual(['after', 'before', 'first']);
  const late = await forge(reader, 'late', (event) => signedEvent(event, 1, signer, name), { head, root });
  await expect.poll(async () => (await withheldBy(founder))[late], PATIENT).toBe('removed');
  expect((await logOf(founder))?.withheld).toMatchObject([{ signer: 'Bob' }]);
  const restarted = await again(cloud, founder);
  await restarted.attached.synced();
  expect(await idsOf(restarted)).toEqual(['after', 'before', 'first']);
  expect(await withheldBy(restarted)).toEqual({ [late]: 'removed' });
  // A reader can't accept it. The founder may, and it then counts for others.
  expect(await codeOf(reader.attached.devices.approve(late))).toBe('FORBIDDEN');
  await restarted.attached.devices.approve(late);
  await restarted.attached.synced();
  expect(await idsOf(restarted)).toEqual(['after', 'before', 'first', 'late']);
  const phone = await openDevice(cloud, notes);
  await join(restarted, phone);
  await expect.poll(() => idsOf(phone), PATIENT).toEqual(['after', 'before', 'first', 'late']);
  expect((await phone.db.history('late'))[0]).toMatchObject({
    author: { status: 'vouched for', name: 'Ada' },
  });
});

test('[E7] approves nobody until the user confirms the list, after a member names an entry that is not here', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const { founder } = await founded(cloud, notes);
  const writer = await openDevice(cloud, await newMember(cloud, notes, 'write'));
  await join(founder, writer, { name: 'Will', role: 'write' });
  // The device of Will would vouch for the change, so it's closed, and another device sends it.
  const reader = await openDevice(cloud, await newMember(cloud, notes, 'write'));
  await join(founder, reader, { name: 'Rhea', role: 'read' });
  const { signer } = await secretsOf(writer);
  await writer.db.close();
  const hidden = new Uint8Array(16).fill(7);
  const event = await forge(reader, 'after a hidden entry', (one) => signedEvent(one, 1, signer, hidden));
  await expect.poll(async () => (await withheldBy(founder))[event], PATIENT).toBe('unknown entry');
  const restarted = await again(cloud, founder);
  await restarted.attached.synced();
  const unconfirmed = async () => (await logOf(restarted))?.unconfirmed;
  await expect.poll(unconfirmed, PATIENT).toEqual([expect.objectContaining({ member: 'Will' })]);
  const { devices } = restarted.attached;
  expect(await codeOf(devices.approve(event))).toBe('FORBIDDEN');
  const phone = await openDevice(cloud, notes);
  expect(await codeOf(phone.attached.synced())).toBe('DEVICE_NOT_APPROVED');
  const code = await phone.attached.devices.code();
  expect(await codeOf(devices.approve(code))).toBe('LEDGER_NOT_COMPARED');
  const { id } = (await logOf(restarted)) as LedgerLog;
  // Without these entries, the call says nothing about them.
  expect(await codeOf(devices.compareLog(id, true))).toBe('CONFLICT');
  await devices.compareLog(id, true, await unconfirmed());
  expect(await unconfirmed()).toBeUndefined();
  await devices.approve(code);
  await expect.poll(() => phone.attached.status().state, PATIENT).toBe('in-sync');
  const later = await again(cloud, restarted);
  await later.attached.synced();
  expect((await logOf(later))?.unconfirmed).toBeUndefined();
});
