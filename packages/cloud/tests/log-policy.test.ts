/** Tests which entries of a membership log the gateway accepts: rules G1 to G5 and F14. */
import { expect, test } from 'vitest';
import {
  about,
  bind,
  httpClient,
  type Ledger,
  newLedger,
  newMember,
  putMetas,
  type TestCloud,
  testCloud,
} from './cloud.fixture.ts';
import { device, grant, keyId, publicKey, rotation } from './key-records.fixture.ts';
import { logWriter, newKeys } from './log-entries.fixture.ts';

async function personOf(cloud: TestCloud, ledger: Ledger) {
  const client = await httpClient(cloud, ledger);
  const keys = await newKeys();
  const asked = async (...texts: string[]) => putMetas(client, ledger, [], texts);
  const put = async (...texts: string[]) => {
    const { type, code } = await asked(...texts);
    return type === 'resPutMeta' ? 'taken' : code;
  };
  const remove = async (...texts: string[]) => {
    const fields = { ...about(ledger, 'meta', 'DELETE'), meta: { metas: [], keys: texts } };
    const { type, code } = await client.request('reqDelMeta', fields);
    return type === 'resDelMeta' ? 'removed' : code;
  };
  const listed = async () => {
    const { meta, removed } = await client.request('bindGetMeta', bind(ledger));
    return { keys: meta.keys as string[], removed: removed as string[] | undefined };
  };
  return { ...ledger, ...keys, put, asked, remove, listed };
}

/** A sealed ledger with an admin, a writer and a reader, and a log with its start only. */
async function ledgerWithLog() {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const admin = await personOf(cloud, notes);
  const writer = await personOf(cloud, await newMember(cloud, notes, 'write'));
  const reader = await personOf(cloud, await newMember(cloud, notes, 'read'));
  const log = logWriter(notes);
  const start = await log.start(admin.userId, admin, await newKeys());
  const admitted = async () => {
    const place = [start.id, [start.id]] as const;
    const person = await log.person(reader.userId, 'read', reader, admin, ...place);
    expect(await admin.put(start.text, person.text)).toBe('taken');
    return person;
  };
  return { cloud, notes, admin, writer, reader, log, start, admitted };
}

test('[G1] stores entries of everybody who may read, and lists them for all members', async () => {
  const { admin, writer, reader, log, start, admitted } = await ledgerWithLog();
  const person = await admitted();
  const leave = await log.leave(reader, person.id, [person.id]);
  expect(await reader.put(leave.text)).toBe('taken');
  expect(await reader.put(leave.text, person.text)).toBe('taken');
  for (const one of [admin, writer, reader])
    expect((await one.listed()).keys).toEqual([start.text, person.text, leave.text].sort());
});

test('[G1] accepts entries in any order within a request, but none whose parents are missing', async () => {
  const { admin, writer, log, start, reader } = await ledgerWithLog();
  const person = await log.person(reader.userId, 'read', reader, admin, start.id, [start.id]);
  const leave = await log.leave(reader, person.id, [person.id]);
  expect(await writer.put(person.text)).toBe('CONFLICT');
  expect(await admin.put(leave.text, person.text)).toBe('CONFLICT');
  expect(await admin.put(leave.text, person.text, start.text)).toBe('taken');
});

test('[T69, G1] rejects entries with a wrong signature, of another ledger, or of another form', async () => {
  const { notes, admin, reader, log, start, admitted } = await ledgerWithLog();
  const person = await admitted();
  const place = [person.id, [person.id]] as const;
  const stranger = await newKeys();
  const forged = { ...reader, signer: { ...stranger.signer, publicKey: reader.signer.publicKey } };
  const elsewhere = logWriter({ ...notes, ledger: 'other' });
  // The author of an entry can't add a key that hasn't consented.
  const unwilling = { ...stranger, signer: { ...stranger.signer, sign: reader.signer.sign } };
  const texts = [
    (await log.leave(forged, ...place)).text,
    (await elsewhere.leave(reader, ...place)).text,
    (await log.person('someone', 'admin', unwilling, admin, start.id, [start.id], person.id)).text,
    `${(await log.leave(reader, ...place)).text}A`,
    'S2.oWF0ZWhlbGxv',
  ];
  for (const text of texts) expect(await reader.put(text)).toBe('REQUEST_INVALID');
  expect((await reader.listed()).keys).toEqual([start.text, person.text].sort());
});

test('[F14] rejects forms that it does not know', async () => {
  const { admin } = await ledgerWithLog();
  expect(await admin.put('S3.oA')).toBe('REQUEST_INVALID');
});

test('[G2] accepts one start from an admin, who may withdraw it while it is alone', async () => {
  const { admin, writer, log, start } = await ledgerWithLog();
  const other = await log.start(writer.userId, writer, await newKeys());
  expect(await writer.put(other.text)).toBe('FORBIDDEN');
  expect(await admin.put(start.text)).toBe('taken');
  expect(await admin.put(other.text)).toBe('FORBIDDEN');
  expect(await writer.remove(start.text)).toBe('FORBIDDEN');
  expect(await admin.remove(start.text)).toBe('removed');
  expect(await admin.put(other.text)).toBe('taken');
});

test('[T70, G3] never removes an entry, not even for its author or an admin', async () => {
  const { admin, reader, start, log, admitted } = await ledgerWithLog();
  const person = await admitted();
  const leave = await log.leave(reader, person.id, [person.id]);
  expect(await reader.put(leave.text)).toBe('taken');
  for (const one of [admin, reader])
    for (const text of [start.text, person.text, leave.text])
      expect(await one.remove(text)).toBe('FORBIDDEN');
  expect((await admin.listed()).keys).toHaveLength(3);
});

test('[T69, G4] limits the entries of an account, regardless of their signers', async () => {
  const { admin, reader, log, admitted } = await ledgerWithLog();
  const person = await admitted();
  const texts: string[] = [];
  for (let own: string | undefined; texts.length < 201; ) {
    const leave = await log.leave(reader, person.id, [own ?? person.id], own);
    own = leave.id;
    texts.push(leave.text);
  }
  expect(await reader.put(...texts)).toBe('LIMIT_REACHED');
  expect(await reader.put(...texts.slice(0, 200))).toBe('taken');
  expect(await reader.put(...texts.slice(200))).toBe('LIMIT_REACHED');
  expect(await admin.put(...texts.slice(200))).toBe('taken');
});

test('[T71, G5] accepts any number of rotations of one key, but only with an entry that has its hash', async () => {
  const { admin, writer, log, start } = await ledgerWithLog();
  const first = keyId();
  const [pub, stranger] = [publicKey(), publicKey()];
  expect(await admin.put(device(pub), grant(pub, undefined, { key: first }), start.text)).toBe('taken');
  const pubs = [pub, stranger];
  const [one, two] = [rotation(first, pubs), rotation(first, pubs)];
  expect(await admin.put(one)).toBe('REQUEST_INVALID');
  const place = [start.id, [start.id]] as const;
  const entry = await log.key(keyId(), one, admin, ...place);
  expect(await admin.put(two, entry.text)).toBe('REQUEST_INVALID');
  expect(await admin.put(one, entry.text)).toBe('taken');
  expect(await admin.put(one, entry.text)).toBe('taken');
  const later = await log.key(keyId(), two, admin, start.id, [entry.id], entry.id);
  expect(await writer.put(two, later.text)).toBe('taken');
  expect((await admin.listed()).keys).toEqual(expect.arrayContaining([one, two, entry.text, later.text]));
});

test('[G5] keeps the rules for rotations in a ledger without a log', async () => {
  const { admin, writer } = await ledgerWithLog();
  const first = keyId();
  const pub = publicKey();
  expect(await admin.put(device(pub), grant(pub, undefined, { key: first }))).toBe('taken');
  expect(await writer.put(rotation(first, [pub, publicKey()]))).toBe('CONFLICT');
  expect(await writer.put(rotation(first, [pub]))).toBe('taken');
  expect(await writer.put(rotation(first, [pub]))).toBe('CONFLICT');
});
