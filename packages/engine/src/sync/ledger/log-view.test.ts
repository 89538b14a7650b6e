/**
 * Attacks on a sealed ledger with a membership log, with real keys and signatures. A server and
 * members can send nothing to a device but the list of texts. So each test adds the texts of an
 * attacker to it.
 */
import {
  decodeEntry,
  type EntryFields,
  type EntryId,
  parseKeyRecord,
  type RotateRecord,
  recordText,
} from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import { concatBytes, equalBytes, utf8 } from '../../base/bytes.ts';
import { newPair, type OpenKeyPair } from '../../base/p256.ts';
import { encode } from '../../codec/dag-cbor.ts';
import { sha256 } from '../../codec/sha256.ts';
import { encodeRecord } from '../../crypto/ledger-key-records.ts';
import { type Founding, isProvenStart, newStart } from '../../crypto/log/start-entry.ts';
import { makeLogRotation, makeRotation } from '../../crypto/rotation-record.ts';
import { type LedgerKey, ledgerKey } from '../../crypto/sealed-object.ts';
import { newEntry, placeOf } from '../../membership/form/new-entry.ts';
import {
  bytesOf,
  deviceFields,
  keysNamed,
  LEDGER,
  personFields,
  type TestKeys,
} from '../../membership/form/signed-log.fixture.ts';
import { recipientsIn } from '../../membership/keys.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import { type LogView, newChecks, viewOfLog } from './log-view.ts';

const random = seededRandom(5);
const FIRST = ledgerKey(new Uint8Array(32).fill(1));

/** A device of a member: its keys, its seat, and the data keys that it has. */
interface Device extends TestKeys {
  readonly pair: OpenKeyPair;
  readonly entry: EntryId;
  readonly keys: Map<string, LedgerKey>;
}

async function deviceNamed(
  name: string,
  entry: EntryId,
  keys: readonly LedgerKey[] = [FIRST],
): Promise<Device> {
  const pair = await newPair(sha256(utf8(`seal of ${name}`)));
  const all = new Map(keys.map((key) => [key.name, key]));
  return { ...(await keysNamed(name)), pair, entry, keys: all };
}

const nameOf = ({ signer, entry }: Device) => ({ key: Buffer.from(signer.publicKey).toString('hex'), entry });

interface RotateOptions {
  /** The texts that the signer pretends to have seen; by default all. */
  readonly seen?: readonly string[];
  /** The recipients; by default those that the rules give. */
  readonly recipients?: readonly Uint8Array[];
  /** Changes the record before its hash is signed. */
  readonly changed?: (record: RotateRecord) => RotateRecord;
}

/** The founder F with a code. */
const founding = async (): Promise<Founding> => ({
  ...{ ledger: LEDGER, user: 'F', name: 'Fay', key: FIRST, timeMs: 1_800_000_000_000, random },
  ...{ device: await keysNamed('F'), code: await keysNamed('C0') },
});

/** A founder F with a code, writers W and X, and a reader R, who all have the first data key. */
async function team() {
  const text = await newStart(await founding());
  const start = decodeEntry(text, sha256).entry;
  const list: string[] = [text];
  const view = (device: Device, texts: readonly string[] = list) =>
    viewOfLog(texts, { ledger: LEDGER, start: start.id, pair: device.pair, keys: device.keys });
  const put = async (by: Device, fields: EntryFields, seen: readonly string[] = list) => {
    const { membership } = await view(by, seen);
    const texts = await newEntry(
      placeOf(membership, nameOf(by)),
      LEDGER,
      fields,
      by.signer,
      1_800_000_000_000,
    );
    list.push(...texts);
    return {
      texts,
      id: Buffer.from(sha256(Buffer.from(texts.at(-1)?.slice(3) ?? '', 'base64url'))).toString('hex'),
    };
  };
  const F = await deviceNamed('F', start.id);
  const admit = async (name: string, role: string) => {
    const { seen: _, ...fields } = await personFields(name, await keysNamed(name));
    const { id } = await put(F, { t: 'person', ...fields, role });
    return deviceNamed(name, id);
  };
  /** Rotates to a new key, for the recipients that the rules give or for others. */
  const rotate = async (
    by: Device,
    fields: EntryFields = { t: 'key' },
    { seen = list, recipients, changed = (record) => record }: RotateOptions = {},
  ) => {
    const { membership, keys, key } = await view(by, seen);
    const place = placeOf(membership, nameOf(by));
    // The recipients of a removal are those without the removed seats, so they are found by trying.
    const trial = await newEntry(
      place,
      LEDGER,
      { ...fields, ...(fields['t'] === 'key' && { rot: new Uint8Array(48) }) },
      by.signer,
      1_800_000_000_000,
    );
    const after = await view(by, [...seen, ...trial]);
    const rightful = recipientsIn(after.membership).map(bytesOf);
    const current = keys.get(key?.key ?? '') ?? FIRST;
    const { next, text: rightText } = await makeLogRotation({
      ...{ ledger: LEDGER, random, current, recipients: recipients ?? rightful },
      ...{ prev: place.fields['prev'] as Uint8Array[], back: [current] },
    });
    const text = encodeRecord(changed(parseKeyRecord(rightText) as RotateRecord));
    const rot = concatBytes([next.id, sha256(utf8(text))]);
    const texts = await newEntry(place, LEDGER, { ...fields, rot }, by.signer, 1_800_000_000_000);
    list.push(...texts, text);
    return { next, text };
  };
  const W = await admit('W', 'write');
  const X = await admit('X', 'write');
  const R = await admit('R', 'read');
  return { list, view, put, rotate, F, W, X, R };
}

const removalOf = ({ entry }: Device): EntryFields => ({ t: 'remove', person: bytesOf(entry) });
const currentOf = ({ key }: LogView) => key?.key;
const sealOf = ({ pair }: Device) => Buffer.from(pair.publicKey).toString('hex');

test('gives a removed writer no later key, whatever devices they announce or add', async () => {
  const { list, view, put, rotate, F, W, X } = await team();
  const before = [...list];
  const { next } = await rotate(F, removalOf(W));
  // W adds a device and rotates for it, and claims to have signed both before the removal.
  const hidden = await keysNamed('W2');
  const own = {
    t: 'device',
    person: bytesOf(W.entry),
    name: utf8('W2'),
    ...(await deviceFields('W', hidden)),
  };
  await put(W, own, before);
  await rotate(
    W,
    { t: 'key' },
    { seen: before, recipients: [W.pair.publicKey, hidden.seal, X.pair.publicKey] },
  );
  const seen = await view(X);
  expect(currentOf(seen)).toBe(next.name);
  expect(seen.key?.isStale).toBe(false);
  const later = await rotate(X);
  expect((await view(F)).key?.key).toBe(later.next.name);
  const attacker = await view({ ...W, keys: new Map([...W.keys]) });
  expect(attacker.keys.has(next.name)).toBe(false);
  expect(attacker.keys.has(later.next.name)).toBe(false);
  expect(attacker.membership.members.map(({ user }) => user).sort()).toEqual(['F', 'R', 'X']);
});

test('ignores a person whose public key is not a point, and rotates for all others', async () => {
  const { list, view, rotate, F, X, R } = await team();
  const { seen: _, ...fields } = await personFields('B', await keysNamed('B'));
  const { membership } = await view(F);
  const place = placeOf(membership, nameOf(F)).fields;
  const wrong = {
    ...fields,
    ...place,
    t: 'person',
    role: 'read',
    seal: Uint8Array.of(4, ...random.bytes(64)),
  };
  const signed = { ...wrong, at: bytesOf('0190a0b0c0d0'), by: F.signer.publicKey, sig: random.bytes(64) };
  const text = recordText(encode(signed), 'S2.');
  list.push(text);
  const { next } = await rotate(X);
  const seen = await view(R);
  expect(seen.invalid.get(text)).toBe('F5');
  expect(currentOf(seen)).toBe(next.name);
});

test('leaves the key of a removed member and the server as soon as the removal arrives', async () => {
  const { list, view, rotate, F, W, X } = await team();
  const before = [...list];
  // Two rotations form a longer path than the honest one.
  await rotate(W, { t: 'key' }, { seen: before });
  const evil = await rotate(W, { t: 'key' }, { seen: [...list] });
  const shown = [...list];
  const honest = await rotate(F, removalOf(W), { seen: before });
  // The server shows X only the rotation of W, then everything.
  expect(currentOf(await view(X, shown))).toBe(evil.next.name);
  expect(currentOf(await view(X))).toBe(honest.next.name);
  // A rotation of the former kind, which no signed entry contains, is never followed.
  const former = await makeRotation(
    { ledger: LEDGER, random, current: honest.next },
    [X.pair.publicKey],
    () => {
      throw new Error('skipped');
    },
  );
  list.push(encodeRecord(former));
  const seen = await view(X);
  expect(currentOf(seen)).toBe(honest.next.name);
  expect(seen.strayRotations).toHaveLength(1);
});

test('lets no writer exclude a member by a rotation, a removal or a wrong box', async () => {
  const { list, view, put, rotate, F, W, X, R } = await team();
  await rotate(W, { t: 'key' }, { recipients: [W.pair.publicKey] });
  expect(currentOf(await view(X))).toBe(FIRST.name);
  await put(W, removalOf(X));
  await put(R, removalOf(F));
  const seen = await view(F);
  expect(seen.membership.members.map(({ user }) => user).sort()).toEqual(['F', 'R', 'W', 'X']);
  expect(recipientsIn(seen.membership)).toContain(sealOf(X));
  // The recipients are right, but the box of X doesn't contain the key. R notices it, too.
  const forX = (record: RotateRecord) => record.pubs.findIndex((pub) => equalBytes(pub, X.pair.publicKey));
  const spoilt = (record: RotateRecord) => ({
    ...record,
    boxes: record.boxes.map((box, at) => (at === forX(record) ? box.map((byte) => byte ^ 1) : box)),
  });
  await rotate(W, { t: 'key' }, { changed: spoilt });
  for (const one of [R, X, F]) expect(currentOf(await view(one))).toBe(FIRST.name);
  const { next, text } = await rotate(X);
  expect(currentOf(await view(R))).toBe(next.name);
  // Nobody can exchange the record afterwards, and without it nobody follows the rotation.
  const exchanged = encodeRecord(spoilt(parseKeyRecord(text) as RotateRecord));
  const other = list.map((one) => (one === text ? exchanged : one));
  expect(currentOf(await view(R, other))).toBe(FIRST.name);
});

test('gives readers no power over keys', async () => {
  const { view, rotate, F, R } = await team();
  await rotate(R);
  expect(currentOf(await view(F))).toBe(FIRST.name);
});

test('leads from the current key to all earlier ones, however many there are', async () => {
  const { view, rotate, F, X } = await team();
  const names = [FIRST.name];
  for (let n = 0; n < 6; n++) names.push((await rotate(n % 2 === 0 ? X : F)).next.name);
  // A device that was approved just now has only the current key, from a grant.
  const { keys } = await view(X);
  const last = keys.get(names.at(-1) as string) as LedgerKey;
  const stranger = await deviceNamed('new', X.entry, [last]);
  const seen = await view(stranger);
  expect([...seen.keys.keys()].sort()).toEqual([...names].sort());
  expect(currentOf(seen)).toBe(last.name);
});

test('marks the key as stale after a removal without a rotation, so that nothing is sealed under it', async () => {
  const { view, put, rotate, F, W, X } = await team();
  await put(F, removalOf(W));
  expect((await view(X)).key).toMatchObject({ key: FIRST.name, isStale: true });
  const { next } = await rotate(X);
  expect((await view(F)).key).toMatchObject({ key: next.name, isStale: false });
});

test('[L1] starts a log that the device and the recovery code of the founder signed', async () => {
  const { list, view, F } = await team();
  const { entry } = decodeEntry(list[0] as string, sha256);
  expect(entry).toMatchObject({
    kind: 'start',
    user: 'F',
    name: 'Fay',
    at: 1_800_000_000_000,
    dataKey: FIRST.name,
  });
  const { membership, invalid } = await view(F);
  expect(invalid.size).toBe(0);
  expect(membership.members.find(({ user }) => user === 'F')).toMatchObject({ role: 'admin' });
});

test('shows whether the author of a log knew the data key that it starts with', async () => {
  const { list, view, F } = await team();
  expect((await view(F)).isStartProven).toBe(true);
  expect((await view({ ...F, keys: new Map() })).isStartProven).toBeUndefined();
  // Somebody without the key writes its id, and copies the proof of another log.
  const { proof } = decodeEntry(list[0] as string, sha256).fields;
  const guessed = { ...ledgerKey(random.bytes(32)), id: FIRST.id };
  const forged = await newStart({ ...(await founding()), name: 'Eve', key: guessed });
  const { fields } = decodeEntry(forged, sha256);
  const all = new Map([[FIRST.name, FIRST]]);
  expect(await isProvenStart(LEDGER, fields, all)).toBe(false);
  expect(await isProvenStart(LEDGER, { ...fields, proof: proof as Uint8Array }, all)).toBe(false);
  const { fields: rightful } = decodeEntry(list[0] as string, sha256);
  expect(await isProvenStart(utf8('other'), rightful, all)).toBe(false);
});

test("doesn't count a key that the log itself gives to this device as a proof of the log", async () => {
  const victim = await deviceNamed('victim', 'x' as EntryId);
  const invented = ledgerKey(random.bytes(32));
  const text = await newStart({ ...(await founding()), name: 'Eve', key: invented });
  const { id } = decodeEntry(text, sha256).entry;
  const see = (texts: readonly string[]) =>
    viewOfLog(texts, { ledger: LEDGER, start: id, pair: victim.pair, keys: victim.keys });
  const rotation = await makeLogRotation({
    ...{ ledger: LEDGER, random, current: invented, recipients: [victim.pair.publicKey] },
    ...{ prev: [bytesOf(id)], back: [invented] },
  });
  const founder = await deviceNamed('F', id);
  const place = placeOf((await see([text])).membership, nameOf(founder));
  const fields = { t: 'key', rot: rotation.rot };
  const texts = await newEntry(place, LEDGER, fields, founder.signer, 1_800_000_000_000);
  const { keys, isStartProven } = await see([text, rotation.text, ...texts]);
  expect(keys.has(invented.name)).toBe(true);
  expect(isStartProven).toBeUndefined();
});

test('evaluates the same entries for each log on its own, and again after each new entry', async () => {
  const { list, put, F, W, X } = await team();
  const other = await newStart({ ...(await founding()), timeMs: 1_800_000_000_001 });
  const start = decodeEntry(other, sha256).entry.id;
  const checks = newChecks();
  const see = (id: EntryId, texts: readonly string[]) =>
    viewOfLog(texts, { ledger: LEDGER, start: id, pair: W.pair, keys: W.keys, checks });
  const membersOf = async (id: EntryId) =>
    (await see(id, [...list, other])).membership.members.map(({ user }) => user).sort();
  const all = ['F', 'R', 'W', 'X'];
  expect([await membersOf(F.entry), await membersOf(start), await membersOf(F.entry)]).toEqual([
    ...[all, ['F'], all],
  ]);
  const before = await see(F.entry, list);
  expect((await see(F.entry, list)).membership).toBe(before.membership);
  await put(F, removalOf(X));
  expect(await membersOf(F.entry)).toEqual(['F', 'R', 'W']);
  // A list of a server that hides the removal has its own result.
  expect((await see(F.entry, list.slice(0, -1))).membership.members).toHaveLength(4);
});
