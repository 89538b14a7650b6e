import { describe, expect, test } from 'vitest';
import { newPair } from '../base/p256.ts';
import { signerOf } from '../base/signatures.ts';
import { encodeBlock } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { link } from '../codec/dag-cbor.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { encodeDocument } from '../documents/encode.ts';
import { type ClockEvent, decodeEvent, encodeEvent } from './event.ts';
import { signatureOf, signedEvent } from './signature.ts';
import { decodeStamp } from './stamp.ts';

const cidOf = (n: number): Cid => encodeDocument({ n }, parseDocKey('a')).cid;
const event: ClockEvent = {
  operations: [
    { key: 'a', value: cidOf(1) },
    { key: 'b', value: cidOf(2) },
  ],
  root: cidOf(3),
  parents: [cidOf(4)],
};
const signer = async (seed = 1) => signerOf((await newPair(new Uint8Array(32).fill(seed))).both);
const stored = (signed: ClockEvent) => encodeEvent(signed);
const stateOf = (signed: ClockEvent) => signatureOf(stored(signed).cid, decodeEvent(stored(signed).bytes));

describe('a signed event', () => {
  test('has a valid signature, its time and the device of the key, also after it was stored', async () => {
    const signed = await signedEvent(event, 1234, await signer());
    expect(await stateOf(signed)).toBe('valid');
    const { publicKey } = await signer();
    const device = Buffer.from(publicKey.subarray(1, 17)).toString('hex');
    expect(decodeStamp(decodeEvent(stored(signed).bytes).by)).toEqual({ time: 1234, device });
  });

  test('takes at most 120 bytes more than an event without author and time', async () => {
    const signed = await signedEvent(event, Date.now(), await signer());
    expect(stored(signed).bytes.length - encodeEvent(event).bytes.length).toBe(109);
  });

  test.each<[string, (signed: ClockEvent) => ClockEvent]>([
    ['a document', (one) => ({ ...one, operations: [{ key: 'a', value: cidOf(9) }] })],
    ['an id', (one) => ({ ...one, operations: one.operations.map((op) => ({ ...op, key: `${op.key}x` })) })],
    ['the order of writes', (one) => ({ ...one, operations: one.operations.toReversed() })],
    ['the root', (one) => ({ ...one, root: cidOf(9) })],
    ['the earlier events', (one) => ({ ...one, parents: [cidOf(9)] })],
    ['the time', (one) => ({ ...one, by: one.by?.with(6, 1 + (one.by[6] ?? 0)) })],
    ['the device', (one) => ({ ...one, by: one.by?.with(20, 1 + (one.by[20] ?? 0)) })],
    ['the signature', (one) => ({ ...one, by: one.by?.with(103, 1 ^ (one.by[103] ?? 0)) })],
  ])('has a bad signature once somebody changed %s', async (_, change) => {
    expect(await stateOf(change(await signedEvent(event, 1234, await signer())))).toBe('bad');
  });

  test('has a bad signature if somebody added a field that decoding ignores', async () => {
    const signed = await signedEvent(
      { ...event, operations: event.operations.slice(0, 1) },
      5,
      await signer(),
    );
    const { by, root, parents } = signed;
    const data = { type: 'put', key: 'a', value: link(cidOf(1)), root: link(root), by };
    const encode = (more: object) => encodeBlock({ data: { ...data, ...more }, parents: parents.map(link) });
    const states = [encode({}), encode({ more: 1 })].map(({ cid, bytes }) =>
      signatureOf(cid, decodeEvent(bytes)),
    );
    expect(await Promise.all(states)).toEqual(['valid', 'bad']);
  });
});

test('finds no signature in an event without one', async () => {
  expect(await stateOf(event)).toBeUndefined();
  expect(await stateOf({ ...event, by: new Uint8Array(23).fill(1) })).toBeUndefined();
});
