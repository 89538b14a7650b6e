/**
 * Attacks on greetings and on requests for recovery codes, at the real gateway and against real
 * devices (docs/internals/membership-rules.md, N2, J5).
 */
import { createECDH, randomBytes } from 'node:crypto';
import {
  decodeEntry,
  isEntryText,
  isGreetingText,
  type LogEntry,
  ledgerBytes,
  type Signer,
  signedGreeting,
} from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import { newLedger, newMember, testCloud } from '../../packages/cloud/tests/cloud.fixture.ts';
import { newKeys } from '../../packages/cloud/tests/log-entries.fixture.ts';
import { sha256 } from '../../packages/engine/src/codec/sha256.ts';
import { encodeRecord } from '../../packages/engine/src/crypto/ledger-key-records.ts';
import { founded, join, listOf, logOf, openDevice, PATIENT } from './membership-log.fixture.ts';

const bytesOf = (digits: string) => Uint8Array.from(Buffer.from(digits, 'hex'));
const timeOf = (ms: number) => bytesOf(ms.toString(16).padStart(12, '0'));

/** A founder, a writer, and the list of the ledger as any program of the writer changes it. */
async function ledgerWithWriter() {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const { founder } = await founded(cloud, notes);
  const place = await newMember(cloud, notes, 'write');
  const writer = await openDevice(cloud, place);
  await join(founder, writer, { name: 'Wim', role: 'write' });
  const list = await listOf(cloud, place);
  const entries = async () =>
    (await list.keys()).filter(isEntryText).map((text) => decodeEntry(text, sha256).entry);
  const greetings = async () => (await list.keys()).filter(isGreetingText);
  await expect.poll(async () => (await greetings()).length, PATIENT).toBe(2);
  return { cloud, notes, founder, writer, place, list, entries, greetings };
}

const entryOf = (entries: readonly LogEntry[], kind: LogEntry['kind']): LogEntry =>
  entries.find((one) => one.kind === kind) as LogEntry;

/** Signs with other keys than those that the greeting names. */
const forgedBy = ({ sign }: Signer, key: Uint8Array): Signer => ({ publicKey: key, sign });

test('[N2] rejects greetings in the name of somebody else, and of keys outside of the log', async () => {
  const { notes, place, list, entries, greetings } = await ledgerWithWriter();
  const before = await greetings();
  const [own, all] = [await newKeys(), await entries()];
  const start = entryOf(all, 'start');
  const person = entryOf(all, 'person');
  const ofFounder = bytesOf('device' in start ? start.device.sign : '');
  const ofWriter = bytesOf('device' in person ? person.device.sign : '');
  const ledger = ledgerBytes(notes.tenant, notes.ledger);
  const at = timeOf(Date.now() + 1000);
  const heads = [bytesOf(person.id)];
  const hello = (signer: Signer, seat: string, named: readonly Uint8Array[] = heads, in_ = ledger) =>
    signedGreeting({ at, in: bytesOf(seat), heads: named }, in_, signer);
  const other = ledgerBytes(place.tenant, 'other');
  const attempts = [
    await hello(forgedBy(own.signer, ofFounder), start.id),
    await hello(forgedBy(own.signer, ofWriter), person.id),
    await hello(own.signer, person.id),
    await hello(forgedBy(own.signer, ofWriter), person.id, heads, other),
  ];
  for (const text of attempts) expect(await list.put(text)).toBe('REQUEST_INVALID');
  const unknown = [Uint8Array.from(randomBytes(32))];
  expect(await list.put(await hello(own.signer, start.id, unknown))).toBe('CONFLICT');
  expect(await greetings()).toEqual(before);
});

test('[N2] keeps the newest greeting if somebody puts an older one again', async () => {
  const { list, greetings } = await ledgerWithWriter();
  const before = await greetings();
  for (const text of before) expect(await list.put(text)).toBe('taken');
  expect(await greetings()).toEqual(before);
});

test('[J5] shows no admin a code that a writer, or the server, made for somebody else', async () => {
  const { founder, writer, list, entries } = await ledgerWithWriter();
  const all = await entries();
  const [start, person] = [entryOf(all, 'start'), entryOf(all, 'person')];
  const ofWriter = bytesOf('device' in person ? person.device.sign : '');
  const code = await newKeys();
  const fields = {
    ...{ t: 'code' as const, pub: Uint8Array.from(createECDH('prime256v1').generateKeys()) },
    ...{ sign: code.signer.publicKey, at: timeOf(Date.now()), ok: Uint8Array.from(randomBytes(64)) },
  } as const;
  const user = 'user' in person ? person.user : '';
  for (const seat of [person.id, start.id]) {
    const request = { ...fields, user: Buffer.from(user), by: ofWriter, in: bytesOf(seat) };
    expect(await list.put(encodeRecord({ ...request, sig: Uint8Array.from(randomBytes(64)) }))).toBe('taken');
  }
  await founder.attached.devices.list();
  await founder.db.put({ _id: 'later' });
  await founder.attached.synced();
  expect((await logOf(founder))?.codeRequests).toEqual([]);
  // The member's own request is the only one that the founder sees.
  await writer.attached.devices.newRecoveryCode();
  await expect
    .poll(async () => (await logOf(founder))?.codeRequests?.map(({ name }) => name), PATIENT)
    .toEqual(['Wim']);
});
