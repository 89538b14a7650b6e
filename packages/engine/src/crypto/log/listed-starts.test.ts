/** Which entries in a list start a log, and the consents of devices that ask to be added to one. */
import { type ConsentRecord, encodeEntry, ledgerBytes, parseKeyRecord } from '@fixpoint/protocol/storage';
import { beforeAll, describe, expect, test } from 'vitest';
import { hex, utf8 } from '../../base/bytes.ts';
import { newPair } from '../../base/p256.ts';
import { sha256 } from '../../codec/sha256.ts';
import {
  bytesOf,
  keysNamed,
  LEDGER,
  linkFields,
  type TestKeys,
  type Written,
  written,
} from '../../membership/form/signed-log.fixture.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import { readDeviceCode } from '../device-pair.ts';
import { encodeRecord } from '../ledger-key-records.ts';
import { makeLogRotation } from '../rotation-record.ts';
import { type LedgerKey, ledgerKey } from '../sealed-object.ts';
import { comparedCode, comparedIdOf, consentText, isBonded, isSameConsent } from './consent.ts';
import { entriesIn, isListedLog, startsIn, withEarlier } from './listed-starts.ts';
import { newStart } from './start-entry.ts';

const random = seededRandom(7);
let [founder, code]: TestKeys[] = [];
let [key, otherKey]: LedgerKey[] = [];
let start = '';
let id = '';
let rotation: Written;

beforeAll(async () => {
  [founder, code] = [await keysNamed('F'), await keysNamed('C')];
  [key, otherKey] = [ledgerKey(random.bytes(32)), ledgerKey(random.bytes(32))];
  start = await started();
  [id = ''] = startsIn([start]).keys();
  rotation = await written(
    { ...linkFields('key', id, [id]), rot: random.bytes(48) },
    { signer: (founder as TestKeys).signer },
  );
});

const started = (ledger = LEDGER, known = key as LedgerKey) =>
  newStart({
    ...{ ledger, user: 'F', name: 'F', key: known, timeMs: 1, random },
    ...{ device: founder as TestKeys, code: code as TestKeys },
  });

const keysOf = (...keys: readonly (LedgerKey | undefined)[]) =>
  new Map(keys.flatMap((one) => (one === undefined ? [] : [[one.name, one] as const])));
const checks = (starts: ReadonlyMap<string, string>, keys = keysOf(key)) => ({
  ...{ ledger: LEDGER, starts, keys, records: new Map() },
});

describe('the reader of a list', () => {
  test('returns the starts by their ids, and the hashes of the records of rotations', () => {
    const { starts, records } = entriesIn([start, 'S1.record', rotation.text, start]);
    expect([...starts]).toEqual([[id, start]]);
    expect([...records]).toEqual([hex((rotation.fields['rot'] as Uint8Array).subarray(16))]);
  });

  test.each<[string, () => string]>([
    ['nothing', () => ''],
    ['a mark only', () => 'S2.'],
    ['no base64url', () => 'S2.%%%'],
    ['a part of an entry', () => start.slice(0, -8)],
    ['an entry with more bytes', () => `${start}AAAA`],
    ['an entry with padding', () => `${start}==`],
    ['a later form', () => start.replace('S2.', 'S3.')],
    ['another entry', () => rotation.text],
    ['a join', () => encodeEntry({ t: 'join', prev: [id, rotation.id].sort().map(bytesOf) })],
  ])('finds no log in %s', (_, text) => {
    expect(startsIn([text()]).size).toBe(0);
    expect([...startsIn([text(), start]).keys()]).toEqual([id]);
  });
});

describe('the log of a grant', () => {
  test('[L2] is listed if its start proves a data key of the device, or of the grant', async () => {
    const log = bytesOf(id);
    const starts = startsIn([start]);
    expect(await isListedLog(checks(starts), log)).toBe(true);
    expect(await isListedLog(checks(starts, keysOf(otherKey)), log)).toBe(false);
    expect(await isListedLog(checks(starts, keysOf()), log)).toBe(false);
    expect(await isListedLog(checks(starts, keysOf(otherKey)), log, [key as LedgerKey])).toBe(true);
  });

  test('[L2] is not listed without its start, or with that of another log', async () => {
    const log = bytesOf(id);
    expect(await isListedLog(checks(startsIn([])), log)).toBe(false);
    expect(await isListedLog(checks(startsIn([start])), random.bytes(32))).toBe(false);
    expect(await isListedLog(checks(startsIn([start])), new Uint8Array())).toBe(false);
  });

  test('[F6] is not listed if its start was signed for another ledger', async () => {
    const foreign = await started(utf8('another ledger'));
    const [other = ''] = startsIn([foreign]).keys();
    expect(await isListedLog(checks(startsIn([foreign])), bytesOf(other))).toBe(false);
  });

  test('[L1] is not listed if its author only knows the id of the data key', async () => {
    const forged = { ...(otherKey as LedgerKey), id: (key as LedgerKey).id, name: (key as LedgerKey).name };
    const text = await started(LEDGER, forged);
    const [other = ''] = startsIn([text]).keys();
    expect(await isListedLog(checks(startsIn([text])), bytesOf(other))).toBe(false);
  });

  test('[L2] is listed if records lead from the keys of the device to the key of the start', async () => {
    const given = { ledger: LEDGER, random, recipients: [(founder as TestKeys).seal], prev: [bytesOf(id)] };
    const first = await makeLogRotation({ ...given, current: key as LedgerKey, back: [key as LedgerKey] });
    const second = await makeLogRotation({ ...given, current: first.next, back: [first.next] });
    // In any order: the later record leads to the key that opens the earlier one.
    for (const texts of [
      [first.text, second.text],
      [second.text, first.text],
    ]) {
      const records = new Map(texts.flatMap((text) => [[text, parseKeyRecord(text)] as const]));
      const known = [...records.values()].flatMap((record) => record ?? []);
      const all = await withEarlier(LEDGER, keysOf(second.next), known);
      expect([...all.keys()]).toEqual([second.next.name, first.next.name, key?.name]);
      expect((await withEarlier(LEDGER, keysOf(otherKey), known)).size).toBe(1);
      const place = { ...checks(startsIn([start]), keysOf(second.next)), records: records as never };
      expect(await isListedLog(place, bytesOf(id))).toBe(true);
    }
    const gap = [parseKeyRecord(first.text)].flatMap((record) => record ?? []);
    expect((await withEarlier(LEDGER, keysOf(second.next), gap)).size).toBe(1);
  });
});

const consentIn = (text: string) => {
  const record = parseKeyRecord(text);
  return record?.t === 'consent' ? record : undefined;
};

describe('a consent', () => {
  const device = () => ({ pub: (code as TestKeys).seal, sign: (founder as TestKeys).signer.publicKey });
  const given = (user: string) =>
    consentText(LEDGER, (founder as TestKeys).signer, { pub: device().pub, user });

  test.each(['F', 'é😀', '__proto__', 'x'.repeat(200)])('[F7] names its user: %j', async (user) => {
    const record = consentIn(await given(user));
    if (record === undefined) throw new Error('no consent');
    expect([record.user, record.pub, record.sign]).toEqual([utf8(user), device().pub, device().sign]);
    expect(isSameConsent(record, device(), user)).toBe(true);
    expect(isSameConsent(record, device(), `${user}x`)).toBe(false);
    expect(isSameConsent(record, { ...device(), pub: (founder as TestKeys).seal }, user)).toBe(false);
    const sign = (code as TestKeys).signer.publicKey;
    expect(isSameConsent(record, { ...device(), sign }, user)).toBe(false);
    expect(consentIn(encodeRecord(record))).toEqual(record);
  });

  describe('with a bond', () => {
    const pairOf = (name: string) => newPair(sha256(utf8(`pair of ${name}`)));
    const bonded = async (name: string, { pub, as = name }: { pub?: Uint8Array; as?: string } = {}) => {
      const [pair, first] = [await pairOf(as), await pairOf('founder')];
      const bond = { pair, founder: first.publicKey, random };
      const own = pub ?? (await pairOf(name)).publicKey;
      const text = await consentText(LEDGER, (code as TestKeys).signer, { pub: own, user: name, bond });
      return consentIn(text) as ConsentRecord;
    };

    test('[L5] convinces only the founder, and only in its ledger', async () => {
      const record = await bonded('W');
      const [first, other] = [await pairOf('founder'), await pairOf('R')];
      expect(record.bond).toHaveLength(28);
      expect(await isBonded(LEDGER, record, first)).toBe(true);
      expect(await isBonded(LEDGER, record, other)).toBe(false);
      expect(await isBonded(ledgerBytes('tenant', 'other'), record, first)).toBe(false);
    });

    test('[L5] is worth nothing from another device, or for other fields', async () => {
      const [record, first] = [await bonded('W'), await pairOf('founder')];
      const ofW = (await pairOf('W')).publicKey;
      expect(await isBonded(LEDGER, await bonded('W', { pub: ofW, as: 'R' }), first)).toBe(false);
      const changes = [
        { sign: (founder as TestKeys).signer.publicKey },
        { user: utf8('F') },
        { ok: new Uint8Array(64) },
        { pub: (await pairOf('R')).publicKey },
        { bond: new Uint8Array(28) },
      ];
      for (const change of changes)
        expect(await isBonded(LEDGER, { ...record, ...change }, first)).toBe(false);
      const { bond: _, ...without } = record;
      expect(await isBonded(LEDGER, without, first)).toBe(false);
    });
  });

  test('is in no other text', async () => {
    for (const text of ['', 'S1.', start, rotation.text, (await given('F')).slice(0, -4)])
      expect(consentIn(text)).toBeUndefined();
  });

  test('[J2] is compared by a code, which has a hash of both keys and the secret', () => {
    const secret = random.bytes(16);
    const read = readDeviceCode(comparedCode(device(), secret));
    expect([read.id, read.secret]).toEqual([comparedIdOf(device()), secret]);
    const swapped = { pub: device().sign, sign: device().pub };
    const others = [swapped, { ...device(), pub: (founder as TestKeys).seal }];
    for (const other of others) expect(comparedIdOf(other)).not.toEqual(read.id);
    expect(read.id).toHaveLength(16);
  });
});
