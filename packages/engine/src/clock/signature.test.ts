import { describe, expect, test } from 'vitest';
import { newPair } from '../base/p256.ts';
import { signerOf } from '../base/signatures.ts';
import { encodeBlock } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { link } from '../codec/dag-cbor.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { encodeDocument } from '../documents/encode.ts';
import { type ClockEvent, decodeEvent, encodeEvent } from './event.ts';
import { signatureBy, signatureOf, signedEvent } from './signature.ts';
import { decodeStamp, loggedIn } from './stamp.ts';

const cidOf = (n: number): Cid => encodeDocument({ n }, parseDocKey('a')).cid;
const event: ClockEvent = {
  operations: [
    { key: 'a', value: cidOf(1) },
    { key: 'b', value: cidOf(2) },
  ],
  root: cidOf(3),
  parents: [cidOf(4)],
};
/** An event as a device wrote it, signed by the key of `signer`. */
const GOLDEN = [
  'a26464617461a4626279586703019b2dcd7c006ff03b949241ce1dadd43519e6960e0aababababababababab',
  'abababababababcf95ce5ec212a732f4175d397e7cfe202ae18a263c49195788a23a61d7f7ea0f19b848fe49',
  '0c8b5e1c34f684a73cf00ee8d91119d6422cb59bc3c1949b412367636f707382a3636b657961616474797065',
  '637075746576616c7565d82a58250001711220327a988dbb8172dd730829412bb477d446a8337ea7ffc99228',
  '30a4aaf58d5790a3636b657961626474797065637075746576616c7565d82a582500017112200f5cd4ff5a90',
  '902b804bd2ced1c31495eccae5bde1fb881136d1d0303dfba87a64726f6f74d82a58250001711220ae06ed41',
  '4397ac45ce63e8bad680e5a5c5d186ba432012b0fa8dc7060aa96a9864747970656562617463686770617265',
  '6e747381d82a5825000171122097e129cd08e075d678fff1249dae8aebe97b99d23093caba249eb5456d3e41',
  'a6',
].join('');
const GOLDEN_CID = 'bafyreid63pjlb4ievvatphrlnhyeqkvdhihfmcwgqsbiawlln75e2lvtgy';

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

describe('a signed event that names an entry of a membership log', () => {
  const name = new Uint8Array(16).fill(0xab);
  const byKey = async (signed: ClockEvent, seed = 1) => {
    const { cid, bytes } = stored(signed);
    return signatureBy(cid, decodeEvent(bytes), (await signer(seed)).publicKey);
  };

  test('has a valid signature by the key of its device only', async () => {
    const signed = await signedEvent(event, 1234, await signer(), name);
    expect(loggedIn(signed.by)).toMatchObject({ name });
    expect([await byKey(signed), await byKey(signed, 2), await stateOf(signed)]).toEqual([
      'valid',
      'bad',
      undefined,
    ]);
  });

  test.each<[string, (signed: ClockEvent) => ClockEvent]>([
    ['the name', (one) => ({ ...one, by: one.by?.with(30, 1 + (one.by[30] ?? 0)) })],
    ['the device', (one) => ({ ...one, by: one.by?.with(20, 1 + (one.by[20] ?? 0)) })],
    ['the earlier events', (one) => ({ ...one, parents: [cidOf(9)] })],
    ['the version', (one) => ({ ...one, by: one.by?.with(0, 1) })],
  ])('has a bad signature once somebody changed %s', async (_, change) => {
    expect(await byKey(change(await signedEvent(event, 1234, await signer(), name)))).toBe('bad');
  });

  test('keeps the form that devices of all versions must read', async () => {
    const bytes = Buffer.from(GOLDEN, 'hex');
    const golden = decodeEvent(bytes);
    expect(encodeEvent(golden)).toEqual({ cid: GOLDEN_CID, bytes: new Uint8Array(bytes) });
    expect(decodeStamp(golden.by)?.time).toBe(1_766_000_000_000);
    const { publicKey } = await signer();
    expect(await signatureBy(encodeEvent(golden).cid, golden, publicKey)).toBe('valid');
  });
});
