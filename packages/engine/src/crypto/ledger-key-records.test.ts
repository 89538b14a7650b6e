import {
  type KeyRecord,
  parseKeyRecord,
  RECORD_CHARS_MAX,
  type RotateRecord,
} from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { newPair } from '../base/p256.ts';
import { encode } from '../codec/dag-cbor.ts';
import { encodeRecord, MEMBERS_MAX } from './ledger-key-records.ts';

const bytes = (length: number, fill = length % 251) => new Uint8Array(length).fill(fill);
const { publicKey: pub } = await newPair(bytes(32, 7));
const shared = { key: bytes(16), eph: pub, proof: bytes(28) };
const grant: KeyRecord = { t: 'grant', ...shared, pub, box: bytes(60) };
const rotateTo = (members: number): RotateRecord => ({
  t: 'rotate',
  ...shared,
  prev: bytes(16, 9),
  pubs: Array.from({ length: members }, () => pub),
  boxes: Array.from({ length: members }, (_, n) => bytes(48, n)),
});
const consent = {
  ...{ t: 'consent', pub, sign: bytes(33, 2), user: bytes(3, 97), ok: bytes(64) },
} as const satisfies KeyRecord;
const codeRequest = {
  ...{ ...consent, t: 'code', at: bytes(6), by: bytes(33, 3), in: bytes(32), sig: bytes(64) },
} as const satisfies KeyRecord;
/** Encodes any value as the text of a record. */
const textOf = (map: object) => `S1.${Buffer.from(encode({ ...map })).toString('base64url')}`;

describe('key records', () => {
  test.each<KeyRecord>([
    { t: 'device', pub },
    grant,
    { ...grant, locked: bytes(113) },
    rotateTo(0),
    rotateTo(MEMBERS_MAX),
    { ...rotateTo(MEMBERS_MAX), back: bytes(63) },
    { t: 'chain', key: bytes(16), box: bytes(62), proofs: [bytes(44), bytes(44, 3)] },
    consent,
    { ...consent, bond: bytes(28) },
    codeRequest,
  ])('decodes an encoded $t record to the same fields', (record) => {
    expect(parseKeyRecord(encodeRecord(record))).toEqual(record);
    expect(textOf(record)).toBe(encodeRecord(record));
  });

  test('rejects a record that is longer than the gateway accepts', () => {
    expect(() => encodeRecord(rotateTo(MEMBERS_MAX + 10))).toThrow(
      expect.objectContaining({ code: 'LIMIT_REACHED' }),
    );
  });

  test.each([
    ['another prefix', encodeRecord(grant).replace('S1.', 'S2.')],
    ['nothing after the prefix', 'S1.'],
    ["text that isn't base64", 'S1.*'],
    ['a blank', encodeRecord(grant).replace('S1.', 'S1. ')],
    ["bytes that aren't CBOR", 'S1.____'],
    ['a type of a later version', textOf({ ...grant, t: 'lend' })],
    ['a short key', textOf({ ...grant, key: bytes(15) })],
    ['text in place of bytes', textOf({ ...grant, box: 'box' })],
    ['no proof', textOf({ t: 'grant', ...shared, proof: null, pub, box: bytes(3) })],
    ['text in place of a recovery pair', textOf({ ...grant, locked: 'x' })],
    ['a box without a recipient', textOf({ ...rotateTo(2), pubs: [pub] })],
    ['a box of the wrong length', textOf({ ...rotateTo(1), boxes: [bytes(47)] })],
    ['a consent without a user', textOf({ ...consent, user: bytes(0) })],
    ['a consent of a user with 201 bytes', textOf({ ...consent, user: bytes(201) })],
    ['a request for a code with a short time', textOf({ ...codeRequest, at: bytes(5) })],
    ['a request for a code by no device', textOf({ ...codeRequest, by: null })],
    ['a request for a code by an uncompressed key', textOf({ ...codeRequest, by: bytes(65, 4) })],
    ['a request for a code of no entry', textOf({ ...codeRequest, in: bytes(31) })],
    ['a request for a code without a signature', textOf({ ...codeRequest, sig: bytes(63) })],
    ['a request for a code without consent', textOf({ ...codeRequest, ok: bytes(63) })],
    ["a code that isn't on the curve", textOf({ ...codeRequest, pub: bytes(65, 4) })],
    ["a device key that isn't on the curve", textOf({ t: 'device', pub: bytes(65, 4) })],
    ["a grant to a key that isn't on the curve", textOf({ ...grant, pub: bytes(65) })],
    ["a rotation to a key that isn't on the curve", textOf({ ...rotateTo(1), pubs: [bytes(65)] })],
    ["an ephemeral key that isn't on the curve", textOf({ ...rotateTo(1), eph: bytes(65) })],
    [
      'names in the wrong order',
      `S1.${Buffer.from([0xa2, 0x63, 112, 117, 98, 0x58, 65, ...pub, 0x61, 116, 0x66, ...Buffer.from('device')]).toString('base64url')}`,
    ],
    ['an additional number', textOf({ t: 'device', pub, n: 1 })],
    [
      'a chain with a proof of the wrong length',
      textOf({ t: 'chain', key: bytes(16), box: bytes(9), proofs: [bytes(43)] }),
    ],
    ['bytes in place of a list of boxes', textOf({ ...rotateTo(1), boxes: bytes(48) })],
    ['more characters than the gateway accepts', textOf({ ...grant, box: bytes(RECORD_CHARS_MAX) })],
  ])('[R20] rejects a record with %s', (_, text) => {
    expect(parseKeyRecord(text)).toBeUndefined();
  });

  test('ignores a bond of the wrong length, which only the founder needs', () => {
    expect(parseKeyRecord(textOf({ ...consent, bond: bytes(27) }))).toEqual(consent);
    expect(parseKeyRecord(textOf({ ...consent, bond: 'bond' }))).toEqual(consent);
  });
});
