/** Tests which entries of a membership log the gateway accepts: rules G1 to G5 and F14. */
import { createHash } from 'node:crypto';
import { decodeEntry, isGreetingText } from '@fixpoint/protocol/storage';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { logPolicy } from '../src/gateway/keys/log-policy.ts';
import { testDatabaseKind } from '../src/tables/postgres.fixture.ts';
import {
  about,
  bind,
  httpClient,
  type Ledger,
  mint,
  newLedger,
  newMember,
  putMetas,
  type TestCloud,
  testCloud,
} from './cloud.fixture.ts';
import { chain, device, grant, keyId, publicKey, recordOf, rotation } from './key-records.fixture.ts';
import { logWriter, newKeys } from './log-entries.fixture.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

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
  const cloud = await testCloud({ startsLogs: true });
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
    // A greeting without fields.
    'S2.oWF0ZWhlbGxv',
  ];
  for (const text of texts) expect(await reader.put(text)).toBe('REQUEST_INVALID');
  expect((await reader.listed()).keys).toEqual([start.text, person.text].sort());
});

test.each([
  [true, ['presence', 'membership-log'], 'taken'],
  [false, ['presence'], 'FORBIDDEN'],
])(
  '[G2, G6] reports that it supports logs, and accepts a start, if set: %s',
  async (startsLogs, said, taken) => {
    const cloud = await testCloud({ startsLogs });
    const notes = await newLedger(cloud);
    const { gestalt } = await (await httpClient(cloud, notes)).request('reqGestalt');
    expect(gestalt.features).toEqual(said);
    const admin = await personOf(cloud, notes);
    const start = await logWriter(notes).start(admin.userId, admin, await newKeys());
    expect(await admin.put(start.text)).toBe(taken);
  },
);

test('[G2] does not let an admin start a log with a token that only reads', async () => {
  const { cloud, notes, admin, start } = await ledgerWithLog();
  const token = await mint(cloud.tokens, notes.userId, notes.tenant, notes.ledger, 'read');
  const reading = await personOf(cloud, { ...notes, token });
  expect(await reading.put(start.text)).toBe('FORBIDDEN');
  expect(await admin.put(start.text)).toBe('taken');
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

test('[G2] rejects a start whose data key another key follows, also after its rotation was removed', async () => {
  const { admin, writer, start } = await ledgerWithLog();
  const own = publicKey();
  const first = Buffer.from((decodeEntry(start.text, sha256).fields['key'] as Uint8Array).slice());
  const rotated = rotation(first, [own]);
  expect(await writer.put(device(own), rotated)).toBe('taken');
  expect(await admin.put(start.text)).toBe('CONFLICT');
  expect(await writer.put(chain(keyId(), [first]))).toBe('taken');
  expect(await writer.remove(rotated)).toBe('removed');
  expect(await admin.put(start.text)).toBe('CONFLICT');
  expect((await admin.listed()).keys.filter((text) => text.startsWith('S2.'))).toEqual([]);
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
  for (let at = 0; at < 180; at += 60) expect(await reader.put(...texts.slice(at, at + 60))).toBe('taken');
  expect(await reader.put(...texts.slice(180, 201))).toBe('LIMIT_REACHED');
  expect(await reader.put(...texts.slice(180, 200))).toBe('taken');
  expect(await reader.put(...texts.slice(200))).toBe('LIMIT_REACHED');
  expect(await admin.put(...texts.slice(200))).toBe('taken');
});

test('[G4] limits the characters that an account put, even in a list that has room', async () => {
  const { cloud, notes, admin, reader, log, admitted } = await ledgerWithLog();
  const person = await admitted();
  const row = { ledgerId: notes.ledger, userId: reader.userId, entryKind: 'leave' };
  const at = new Date(0).toISOString();
  const rows = Array.from({ length: 125 }, (_, n) => {
    const entryId = n.toString(16).padStart(64, '0');
    return { ...row, entryId, keyHash: `k${n}`, keyText: `S2.${n}`.padEnd(8000, '-'), createdAt: at };
  });
  await cloud.db.insertInto('LedgerKeys').values(rows.slice(1)).execute();
  const first = await log.leave(reader, person.id, [person.id]);
  expect(await reader.put(first.text)).toBe('taken');
  await cloud.db.insertInto('LedgerKeys').values(rows.slice(0, 1)).execute();
  const second = await log.leave(reader, person.id, [first.id], first.id);
  expect(await reader.put(second.text)).toBe('LIMIT_REACHED');
  expect(await admin.put(second.text)).toBe('taken');
});

test('[G4] has room for the rotation of an admin in a list that a writer filled', async () => {
  const { cloud, notes, admin, writer, log, start } = await ledgerWithLog();
  expect(await admin.put(start.text)).toBe('taken');
  const row = { ledgerId: notes.ledger, userId: writer.userId, createdAt: new Date(0).toISOString() };
  const rows = Array.from({ length: 1000 }, () => {
    const keyText = device();
    return { ...row, keyText, keyHash: createHash('sha256').update(keyText).digest('hex') };
  });
  await cloud.db.insertInto('LedgerKeys').values(rows).execute();
  const place = [start.id, [start.id]] as const;
  const rotated = rotation(Buffer.alloc(16), [Buffer.from(admin.seal)]);
  const entry = await log.key(keyId(), rotated, admin, ...place);
  expect(await writer.put(rotated, entry.text)).toBe('LIMIT_REACHED');
  expect(await admin.put(device())).toBe('LIMIT_REACHED');
  expect(await admin.put(rotated, entry.text)).toBe('taken');
  // The reserve is for rotations only.
  const also = rotation(Buffer.alloc(16), [Buffer.from(admin.seal)]);
  const next = await log.key(keyId(), also, admin, start.id, [entry.id], entry.id);
  expect(await admin.put(also, device(), next.text)).toBe('LIMIT_REACHED');
  // A put without new records needs no room, so the full list doesn't reject it.
  expect(await writer.put(rotated, entry.text)).toBe('taken');
  // A ledger without a log has no reserve.
  const other = await newLedger(cloud);
  const owner = await personOf(cloud, other);
  await cloud.db
    .insertInto('LedgerKeys')
    .values(rows.map((one) => ({ ...one, ledgerId: other.ledger, userId: other.userId })))
    .execute();
  expect(await owner.put(rotation(keyId(), []))).toBe('LIMIT_REACHED');
});

test('[G4] leaves room for the rotation of an admin after another admin used up their own', async () => {
  const { cloud, notes, admin, log, start } = await ledgerWithLog();
  const other = await personOf(cloud, await newMember(cloud, notes, 'write'));
  await cloud.db
    .updateTable('TenantUsers')
    .set({ role: 'admin' })
    .where('tenantId', '=', notes.tenant)
    .where('userId', '=', other.userId)
    .execute();
  expect(await admin.put(start.text)).toBe('taken');
  const person = await log.person(other.userId, 'write', other, admin, start.id, [start.id]);
  expect(await admin.put(person.text)).toBe('taken');
  const row = { ledgerId: notes.ledger, userId: other.userId, createdAt: new Date(0).toISOString() };
  const rows = Array.from({ length: 1000 }, () => {
    const keyText = device();
    return { ...row, keyText, keyHash: createHash('sha256').update(keyText).digest('hex') };
  });
  await cloud.db.insertInto('LedgerKeys').values(rows).execute();
  let own: string | undefined;
  const answers: unknown[] = [];
  for (let n = 0; n < 17; n++) {
    const rotated = rotation(keyId(), [Buffer.from(other.seal)]);
    const entry = await log.key(keyId(), rotated, other, person.id, [own ?? person.id], own);
    answers.push(await other.put(rotated, entry.text));
    own = entry.id;
  }
  expect(answers).toEqual([...Array.from({ length: 16 }, () => 'taken'), 'LIMIT_REACHED']);
  const rotated = rotation(keyId(), [Buffer.from(admin.seal)]);
  const removal = await log.key(keyId(), rotated, admin, start.id, [person.id], person.id);
  expect(await admin.put(rotated, removal.text)).toBe('taken');
});

test('[G4] rejects more than 64 new entries and long ones before it decodes any', async () => {
  const { reader, log, admitted } = await ledgerWithLog();
  const person = await admitted();
  const texts: string[] = [];
  for (let own: string | undefined; texts.length < 66; ) {
    const leave = await log.leave(reader, person.id, [own ?? person.id], own);
    own = leave.id;
    texts.push(leave.text);
  }
  const verify = vi.spyOn(crypto.subtle, 'verify');
  const decode = vi.spyOn(globalThis, 'atob');
  onTestFinished(() => verify.mockRestore());
  onTestFinished(() => decode.mockRestore());
  expect(await reader.put(...texts.slice(0, 65))).toBe('REQUEST_INVALID');
  expect(await reader.put(...texts.slice(0, 64), `S2.${'A'.repeat(8190)}`)).toBe('REQUEST_INVALID');
  expect(await reader.put(texts[0] as string, `S2.${'A'.repeat(8190)}`)).toBe('REQUEST_INVALID');
  expect(verify).not.toHaveBeenCalled();
  expect(decode).not.toHaveBeenCalled();
  expect(await reader.put(...texts.slice(0, 64))).toBe('taken');
  // Known entries don't count, and aren't checked again.
  verify.mockClear();
  expect(await reader.put(...texts.slice(0, 65))).toBe('taken');
  expect(verify).toHaveBeenCalledTimes(1);
});

test('[G1] stops at the first wrong signature', async () => {
  const { reader, log, admitted } = await ledgerWithLog();
  const person = await admitted();
  const stranger = await newKeys();
  const forged = { ...reader, signer: { ...stranger.signer, publicKey: reader.signer.publicKey } };
  const texts: string[] = [];
  for (let own: string | undefined; texts.length < 20; ) {
    const leave = await log.leave(forged, person.id, [own ?? person.id], own);
    own = leave.id;
    texts.push(leave.text);
  }
  const verify = vi.spyOn(crypto.subtle, 'verify');
  onTestFinished(() => verify.mockRestore());
  expect(await reader.put(...texts)).toBe('REQUEST_INVALID');
  expect(verify).toHaveBeenCalledTimes(1);
});

test('[G4] limits how often an account puts new entries, valid or not, but not known ones', async () => {
  const { admin, reader, log, admitted } = await ledgerWithLog();
  const person = await admitted();
  const codes = new Set<string>();
  for (let n = 0; n < 60; n++) codes.add(await reader.put('S2.oA'));
  expect([...codes]).toEqual(['REQUEST_INVALID', 'RATE_LIMITED']);
  expect(await reader.put(person.text)).toBe('taken');
  const leave = await log.leave(reader, person.id, [person.id]);
  expect(await reader.put(leave.text)).toBe('RATE_LIMITED');
  expect(await admin.put(leave.text)).toBe('taken');
});

test('[G4] lets a reader with many entries put the records of their devices', async () => {
  const { reader, log, admitted } = await ledgerWithLog();
  const person = await admitted();
  for (let own: string | undefined, count = 0; count < 21; count++) {
    const leave = await log.leave(reader, person.id, [own ?? person.id], own);
    own = leave.id;
    expect(await reader.put(leave.text)).toBe('taken');
  }
  expect(await reader.put(device())).toBe('taken');
});

test('[F8] rejects an entry whose signer isn’t introduced by the entry that it names', async () => {
  const { admin, reader, log, start, admitted } = await ledgerWithLog();
  const person = await admitted();
  const stranger = await newKeys();
  // A valid signature, but nobody admitted this key.
  expect(await reader.put((await log.leave(stranger, person.id, [person.id])).text)).toBe('REQUEST_INVALID');
  // A key of another entry.
  expect(await reader.put((await log.leave(reader, start.id, [person.id])).text)).toBe('REQUEST_INVALID');
  const [code, phone] = [await newKeys(), await newKeys()];
  const founder = [start.id, admin.userId] as const;
  const withStranger = await log.code(founder, code, admin, [stranger, person.id], start.id, [person.id]);
  expect(await admin.put(withStranger.text)).toBe('REQUEST_INVALID');
  const added = await log.device(start.id, admin.userId, phone, admin, start.id, [person.id]);
  const withPhone = await log.code(founder, code, admin, [phone, added.id], start.id, [added.id], added.id);
  expect(await admin.put(withPhone.text, added.text)).toBe('taken');
});

test('[F9, F10] rejects an entry that names no person, or an entry of another seat as its own', async () => {
  const { admin, reader, log, start, admitted } = await ledgerWithLog();
  const person = await admitted();
  const leave = await log.leave(reader, person.id, [person.id]);
  expect(await reader.put(leave.text)).toBe('taken');
  const nobody = await log.remove(leave.id, admin, start.id, [leave.id], person.id);
  expect(await admin.put(nobody.text)).toBe('REQUEST_INVALID');
  const foreign = await log.remove(person.id, admin, start.id, [leave.id], leave.id);
  expect(await admin.put(foreign.text)).toBe('REQUEST_INVALID');
  const right = await log.remove(person.id, admin, start.id, [leave.id], person.id);
  expect(await admin.put(right.text)).toBe('taken');
});

test('[G2] lets programs with API tokens put entries, but neither start nor withdraw a log', async () => {
  const { cloud, notes, admin, start, log, reader } = await ledgerWithLog();
  const [tokenId, createdAt] = ['token', new Date(0).toISOString()];
  const row = { tokenId, hash: 'h', userId: admin.userId, tenantId: notes.tenant, name: 'build' };
  const lasting = { right: 'write' as const, createdAt, expiresAt: '2999-01-01T00:00:00.000Z' };
  await cloud.db
    .insertInto('ApiTokens')
    .values({ ...row, ...lasting, lastUsedAt: null })
    .execute();
  const claims = await cloud.tokens.verify(notes.token);
  const token = await cloud.tokens.mint({ ...claims, apiToken: tokenId });
  const program = await personOf(cloud, { ...notes, token });
  expect(await program.put(start.text)).toBe('FORBIDDEN');
  expect(await admin.put(start.text)).toBe('taken');
  expect(await program.remove(start.text)).toBe('FORBIDDEN');
  const person = await log.person(reader.userId, 'read', reader, admin, start.id, [start.id]);
  expect(await program.put(person.text)).toBe('taken');
});

test('[G2] removes a start only after a put that runs has ended', async () => {
  const { cloud, notes, admin, reader, log, start } = await ledgerWithLog();
  expect(await admin.put(start.text)).toBe('taken');
  const person = await log.person(reader.userId, 'read', reader, admin, start.id, [start.id]);
  // SQLite runs one transaction after another.
  if (testDatabaseKind === 'sqlite') return;
  const removing = await cloud.db.transaction().execute(async (tx) => {
    await tx
      .updateTable('Ledgers')
      .set({ metaSeq: 0 })
      .where('ledgerId', '=', notes.ledger)
      .executeTakeFirstOrThrow();
    const asked = admin.remove(start.text);
    await waitForLock(cloud.db);
    const row = { ledgerId: notes.ledger, userId: admin.userId, createdAt: new Date().toISOString() };
    const entry = { entryId: person.id, entryKind: 'person', keyHash: 'k', keyText: person.text };
    await tx
      .insertInto('LedgerKeys')
      .values({ ...row, ...entry })
      .execute();
    return { asked };
  });
  expect(await removing.asked).toBe('FORBIDDEN');
  expect((await admin.listed()).keys).toEqual([start.text, person.text].sort());
});

/** Waits until a transaction waits for a lock of another one. */
async function waitForLock(db: TestCloud['db']): Promise<void> {
  const waiting = sql<{ count: string }>`select count(*) as count from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`;
  while ((await waiting.execute(db)).rows[0]?.count === '0') await new Promise((done) => setTimeout(done, 5));
}

test('[G1] ignores entries that an earlier version of the server stored unchecked', async () => {
  const { cloud, notes, admin, writer, start } = await ledgerWithLog();
  const pub = publicKey();
  const first = keyId();
  expect(await admin.put(device(pub), grant(pub, undefined, { key: first }))).toBe('taken');
  const row = { ledgerId: notes.ledger, userId: writer.userId, createdAt: new Date(0).toISOString() };
  const keyHash = createHash('sha256').update(start.text).digest('hex');
  await cloud.db
    .insertInto('LedgerKeys')
    .values({ ...row, keyHash, keyText: start.text })
    .execute();
  expect((await admin.listed()).keys).not.toContain(start.text);
  // Without a log, a rotation must not contain keys that nobody announced.
  expect(await writer.put(rotation(first, [pub, publicKey()]))).toBe('CONFLICT');
  expect(await writer.put(start.text)).toBe('FORBIDDEN');
  expect(await admin.put(start.text)).toBe('taken');
  expect((await admin.listed()).keys).toContain(start.text);
});

test('[G1] answers CONFLICT when an entry that a put repeats was withdrawn before it is stored', async () => {
  const { notes, start } = await ledgerWithLog();
  const entry = { id: start.id, kind: 'start' };
  const stored = { keyText: start.text, entry, userId: null, createdAt: '2026-11-28', removedAt: null };
  const before = { keys: [start.text], records: [stored], recordsOf: new Map() };
  const putter = {
    id: notes,
    userId: notes.userId,
    right: 'admin' as const,
    mayStart: true,
    now: 0,
    takeTurn: () => undefined,
  };
  const policy = await logPolicy(putter, [start.text], [], before);
  expect(policy.check(before)).toBe(true);
  expect(() => policy.check({ keys: [], records: [], recordsOf: new Map() })).toThrow(
    expect.objectContaining({ code: 'CONFLICT' }),
  );
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
  expect(await admin.remove(one)).toBe('removed');
  expect(await admin.put(one)).toBe('REQUEST_INVALID');
  expect(await admin.put(one, entry.text)).toBe('taken');
  const later = await log.key(keyId(), two, admin, start.id, [entry.id], entry.id);
  expect(await writer.put(two, later.text)).toBe('taken');
  expect((await admin.listed()).keys).toEqual(expect.arrayContaining([one, two, entry.text, later.text]));
});

test('[F7] lets a reader put the consent of their own device, and no other one', async () => {
  const { admin, reader, start } = await ledgerWithLog();
  expect(await admin.put(start.text)).toBe('taken');
  const [own, other] = [publicKey(), publicKey()];
  const sign = Buffer.from(reader.signer.publicKey);
  const consent = (pub: Buffer, ok = Buffer.alloc(64)) =>
    recordOf([
      ['t', 'consent'],
      ['ok', ok],
      ['pub', pub],
      ['sign', sign],
      ['user', Buffer.from(reader.userId)],
    ]);
  expect(await admin.put(device(other))).toBe('taken');
  expect(await reader.put(consent(own))).toBe('FORBIDDEN');
  expect(await reader.put(device(own), consent(own))).toBe('taken');
  expect(await reader.put(consent(other))).toBe('FORBIDDEN');
  expect(await admin.put(consent(other, Buffer.alloc(63)))).toBe('REQUEST_INVALID');
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

test('[N2] keeps only the newest greeting of each seat', async () => {
  const { admin, reader, log, start, admitted } = await ledgerWithLog();
  const person = await admitted();
  const greetings = async () => (await reader.listed()).keys.filter(isGreetingText).sort();
  const first = await log.hello(reader, person.id, [person.id], 1);
  const later = await log.hello(reader, person.id, [start.id], 3);
  const ofAdmin = await log.hello(admin, start.id, [person.id], 2);
  for (const text of [first, first, ofAdmin, later]) expect(await reader.put(text)).toBe('taken');
  expect(await greetings()).toEqual([later, ofAdmin].sort());
  // An old one has no effect, also if somebody else repeats it.
  const between = await log.hello(reader, person.id, [person.id], 2);
  for (const text of [first, between]) expect(await admin.put(text)).toBe('taken');
  expect(await greetings()).toEqual([later, ofAdmin].sort());
  // A greeting takes no room of the reader, and no entry of the log.
  expect(await reader.put((await log.leave(reader, person.id, [person.id])).text)).toBe('taken');
});

test('[N2] rejects greetings that nobody in the log signed, or that name unknown entries', async () => {
  const { notes, admin, reader, log, start, admitted } = await ledgerWithLog();
  const person = await admitted();
  const stranger = await newKeys();
  const forged = { ...reader, signer: { ...stranger.signer, publicKey: reader.signer.publicKey } };
  const elsewhere = logWriter({ ...notes, ledger: 'other' });
  const hello = (by: Parameters<typeof log.hello>[0]) => log.hello(by, person.id, [person.id], 1);
  const asked = [
    [await hello(forged), 'REQUEST_INVALID'],
    [await hello(stranger), 'REQUEST_INVALID'],
    [await log.hello(admin, person.id, [person.id], 1), 'REQUEST_INVALID'],
    [await elsewhere.hello(reader, person.id, [person.id], 1), 'REQUEST_INVALID'],
    [await log.hello(reader, person.id, ['ab'.repeat(32)], 1), 'CONFLICT'],
    [await log.hello(reader, 'ab'.repeat(32), [start.id], 1), 'CONFLICT'],
  ] as const;
  for (const [text, code] of asked) expect(await reader.put(text)).toBe(code);
  const two = [await hello(reader), await log.hello(admin, start.id, [start.id], 1)];
  expect(await reader.put(...two)).toBe('REQUEST_INVALID');
  expect((await reader.listed()).keys.filter(isGreetingText)).toEqual([]);
});

test('[J5, L5] lets a reader ask for a code and bond a consent, but not with a key of somebody else', async () => {
  const { admin, writer, reader, admitted } = await ledgerWithLog();
  await admitted();
  type Fields = Readonly<Record<string, Buffer | string>>;
  const isBehind = (a: string, b: string) => a.length - b.length || (a < b ? -1 : 1);
  const textOf = (fields: Fields) => recordOf(Object.entries(fields).sort(([a], [b]) => isBehind(a, b)));
  const [own, theirs] = [publicKey(), publicKey()];
  const keys = { pub: own, sign: Buffer.alloc(33, 2), user: Buffer.from('a'), ok: Buffer.alloc(64) };
  const consent = { t: 'consent', ...keys };
  const place = { at: Buffer.alloc(6), by: Buffer.alloc(33, 2), in: Buffer.alloc(32) };
  const asked = { ...keys, ...place, t: 'code', sig: Buffer.alloc(64) };
  const bond = Buffer.alloc(28);
  expect(await writer.put(device(theirs))).toBe('taken');
  expect(await reader.put(textOf({ ...asked, pub: theirs }))).toBe('FORBIDDEN');
  expect(await reader.put(textOf({ ...consent, pub: theirs, bond }))).toBe('FORBIDDEN');
  expect(await reader.put(textOf({ ...asked, more: Buffer.alloc(1) }))).toBe('FORBIDDEN');
  expect(await admin.put(textOf({ ...asked, sig: Buffer.alloc(63) }))).toBe('REQUEST_INVALID');
  const [code, bonded] = [textOf(asked), textOf({ ...consent, bond })];
  expect(await reader.put(code)).toBe('taken');
  expect(await reader.put(device(own), bonded)).toBe('taken');
  expect((await admin.listed()).keys).toEqual(expect.arrayContaining([code, bonded]));
});
