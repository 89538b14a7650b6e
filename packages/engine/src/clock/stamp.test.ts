import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hex } from '../base/bytes.ts';
import { encodeBlock } from '../codec/block.ts';
import { link } from '../codec/dag-cbor.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { encodeDocument } from '../documents/encode.ts';
import { decodeEvent, decodeRoot, encodeEvent, isEvent } from './event.ts';
import { decodeStamp, encodeNamingStamp, encodeStamp, isJoinedStamp, loggedIn } from './stamp.ts';

const device = Uint8Array.from({ length: 16 }, (_, at) => 16 * at + 1);
const { cid } = encodeDocument({ _id: 'a' }, parseDocKey('a'));
const event = { operations: [{ key: 'a', value: cid }], root: cid, parents: [cid] };

test('reads the time and the device that it wrote', () => {
  const times = fc.integer({ min: 0, max: 2 ** 48 - 1 });
  fc.assert(
    fc.property(times, fc.uint8Array({ minLength: 16, maxLength: 16 }), (time, id) => {
      expect(decodeStamp(encodeStamp(time, id))).toEqual({ time, device: hex(id) });
    }),
  );
});

test('writes the nearest time that it can for a clock that is far off', () => {
  const timeOf = (time: number) => decodeStamp(encodeStamp(time, device))?.time;
  expect([-5, 1.9, 2 ** 60].map(timeOf)).toEqual([0, 1, 2 ** 48 - 1]);
});

test.each([
  ['no bytes', undefined],
  ['a later version', Uint8Array.of(2, ...encodeStamp(5, device).subarray(1))],
  ['too few bytes', encodeStamp(5, device).subarray(1)],
  ['too many bytes', Uint8Array.of(...encodeStamp(5, device), 0)],
])('ignores %s', (_, bytes) => {
  expect(decodeStamp(bytes)).toBeUndefined();
});

test('reads a stamp in the middle of other bytes', () => {
  const bytes = Uint8Array.of(9, ...encodeStamp(7, device), 9);
  expect(decodeStamp(bytes.subarray(1, -1))).toEqual({ time: 7, device: hex(device) });
});

test('adds a stamp to an event in at most 120 bytes, and keeps its other parts', () => {
  for (const operations of [event.operations, [...event.operations, { key: 'b', value: cid }]]) {
    const plain = encodeEvent({ ...event, operations });
    const stamped = encodeEvent({ ...event, operations, by: encodeStamp(7, device) });
    expect(stamped.bytes.length - plain.bytes.length).toBeLessThanOrEqual(120);
    expect(decodeEvent(stamped.bytes)).toEqual({ ...event, operations, by: encodeStamp(7, device) });
    expect(decodeRoot(stamped.bytes)).toBe(cid);
    expect(isEvent(stamped.bytes)).toBe(true);
    expect(decodeEvent(plain.bytes)).toEqual({ ...event, operations });
  }
});

test('ignores a stamp that is not bytes', () => {
  const data = { type: 'put', key: 'a', value: link(cid), root: link(cid), by: 'me' };
  expect(decodeEvent(encodeBlock({ data, parents: [link(cid)] }).bytes)).toEqual(event);
});

describe('a stamp for a ledger with a membership log', () => {
  const publicKey = Uint8Array.of(2, ...device, ...new Uint8Array(16).fill(9));
  const name = new Uint8Array(16).fill(0xee);
  const signature = new Uint8Array(64).fill(0xcc);

  test('consists of version, time, device, name and signature', () => {
    const unsigned = encodeNamingStamp(0x0102_0304_0506, publicKey, name);
    expect(hex(unsigned)).toBe(`03${'010203040506'}${hex(device)}${'ee'.repeat(16)}`);
    const stamp = Uint8Array.of(...unsigned, ...signature);
    expect(loggedIn(stamp)).toEqual({ device, name, signature, unsigned });
    expect(decodeStamp(stamp)).toEqual({ time: 0x0102_0304_0506, device: hex(device) });
    expect(isJoinedStamp(stamp)).toBe(false);
  });

  test('names nothing with a name of zeros', () => {
    const unsigned = encodeNamingStamp(5, publicKey, new Uint8Array(16));
    expect(loggedIn(Uint8Array.of(...unsigned, ...signature))).toMatchObject({ name: undefined });
  });

  test('takes at most 120 bytes more in an event', () => {
    const by = Uint8Array.of(...encodeNamingStamp(5, publicKey, name), ...signature);
    const stamped = encodeEvent({ ...event, by }).bytes.length;
    expect(stamped - encodeEvent(event).bytes.length).toBe(108);
  });

  test.each([
    ['without a signature', encodeNamingStamp(5, publicKey, name)],
    ['of version 2', Uint8Array.of(2, ...encodeNamingStamp(5, publicKey, name).subarray(1), ...signature)],
    ['that is too long', Uint8Array.of(...encodeNamingStamp(5, publicKey, name), ...signature, 0)],
  ])('returns nothing for bytes %s', (_, bytes) => {
    expect([loggedIn(bytes), decodeStamp(bytes)]).toEqual([undefined, undefined]);
  });
});
