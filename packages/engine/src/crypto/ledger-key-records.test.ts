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
  ])('restores $t after encoding', (record) => {
    expect(parseKeyRecord(encodeRecord(record))).toEqual(record);
    expect(textOf(record)).toBe(encodeRecord(record));
  });

  test('rejects a record that is longer than the gateway accepts', () => {
    expect(() => encodeRecord(rotateTo(MEMBERS_MAX + 10))).toThrow(
      expect.objectContaining({ code: 'LIMIT_REACHED' }),
    );
  });

  test.each([
    ['another mark', encodeRecord(grant).replace('S1.', 'S2.')],
    ['nothing behind the mark', 'S1.'],
    ['no base64', 'S1.*'],
    ['a blank in it', encodeRecord(grant).replace('S1.', 'S1. ')],
    ['no CBOR', 'S1.____'],
    ['a kind of a later version', textOf({ ...grant, t: 'lend' })],
    ['a short key', textOf({ ...grant, key: bytes(15) })],
    ['a text for bytes', textOf({ ...grant, box: 'box' })],
    ['no proof', textOf({ t: 'grant', ...shared, proof: null, pub, box: bytes(3) })],
    ['a pair for recovery that is none', textOf({ ...grant, locked: 'x' })],
    ['a box for nobody', textOf({ ...rotateTo(2), pubs: [pub] })],
    ['a box of another length', textOf({ ...rotateTo(1), boxes: [bytes(47)] })],
    ['a device whose key is no point of the curve', textOf({ t: 'device', pub: bytes(65, 4) })],
    ['a grant to a key that is no point', textOf({ ...grant, pub: bytes(65) })],
    ['a rotation with a key that is no point', textOf({ ...rotateTo(1), pubs: [bytes(65)] })],
    ['an ephemeral key that is no point', textOf({ ...rotateTo(1), eph: bytes(65) })],
    [
      'names in another order',
      `S1.${Buffer.from([0xa2, 0x63, 112, 117, 98, 0x58, 65, ...pub, 0x61, 116, 0x66, ...Buffer.from('device')]).toString('base64url')}`,
    ],
    ['a number in it', textOf({ t: 'device', pub, n: 1 })],
    [
      'a chain with a proof of another length',
      textOf({ t: 'chain', key: bytes(16), box: bytes(9), proofs: [bytes(43)] }),
    ],
    ['no list of boxes', textOf({ ...rotateTo(1), boxes: bytes(48) })],
    ['more than the gateway takes', textOf({ ...grant, box: bytes(RECORD_CHARS_MAX) })],
  ])('[R20] rejects %s as a record', (_, text) => {
    expect(parseKeyRecord(text)).toBeUndefined();
  });
});
