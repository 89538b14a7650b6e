import { describe, expect, test } from 'vitest';
import { newPair } from '../base/p256.ts';
import { signerOf } from '../base/signatures.ts';
import { type ClockEvent, encodeEvent } from '../clock/event.ts';
import { signatureBy, signatureOf } from '../clock/signature.ts';
import { decodeStamp, loggedIn } from '../clock/stamp.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { encodeDocument } from '../documents/encode.ts';
import { memoryStore } from '../platform/memory-store.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { createLocalRows } from './local-rows.ts';
import { createStamps, LOG_NAME_ROW } from './stamps.ts';

const { cid } = encodeDocument({ _id: 'a' }, parseDocKey('a'));
const event = { operations: [{ key: 'a', value: cid }], root: cid, parents: [cid] };

function stampsOf(values: Map<string, Uint8Array>, seed: number, isSigned = false) {
  const { bytes } = seededRandom(seed);
  const rows = createLocalRows(memoryStore(values));
  return { rows, stamps: createStamps({ rows, time: { now: () => 5 }, random: bytes, isSigned }) };
}

test('stamps events with the time and the device', async () => {
  const { stamps } = stampsOf(new Map(), 1);
  const device = await stamps.device();
  expect(device).toMatch(/^[0-9a-f]{32}$/);
  expect(decodeStamp((await stamps.stamp(event, {})).by)).toEqual({ time: 5, device });
  expect(decodeStamp((await stamps.stamp(event, { timeMs: 9 })).by)).toEqual({ time: 9, device });
});

test('signs events with a key that all tabs and later opens share', async () => {
  const values = new Map<string, Uint8Array>();
  const tabs = [1, 2].map((seed) => stampsOf(values, seed, true).stamps);
  const devices = await Promise.all(tabs.map((tab) => tab.device()));
  const { stamps } = stampsOf(values, 3, true);
  expect(new Set([...devices, await stamps.device()]).size).toBe(1);
  const signed: ClockEvent = await stamps.stamp(event, { timeMs: 9 });
  expect(decodeStamp(signed.by)).toEqual({ time: 9, device: devices[0] });
  expect(await signatureOf(encodeEvent(signed).cid, signed)).toBe('valid');
});

test('keeps the id of the device when the database is opened again', async () => {
  const values = new Map<string, Uint8Array>();
  const device = await stampsOf(values, 1).stamps.device();
  expect(await stampsOf(values, 2).stamps.device()).toBe(device);
});

test('gives two databases different ids', async () => {
  const ids = await Promise.all([1, 2].map((seed) => stampsOf(new Map(), seed).stamps.device()));
  expect(new Set(ids).size).toBe(2);
});

test('uses one id in all tabs, also if two tabs create it at the same time', async () => {
  const values = new Map<string, Uint8Array>();
  const tabs = [1, 2, 3].map((seed) => stampsOf(values, seed).stamps);
  const ids = await Promise.all(tabs.map((tab) => tab.device()));
  expect(new Set(ids).size).toBe(1);
});

test('replaces a damaged id', async () => {
  const values = new Map<string, Uint8Array>();
  const { rows, stamps } = stampsOf(values, 1);
  await rows.write([{ name: 'device', bytes: Uint8Array.of(1) }]);
  const device = await stamps.device();
  expect(device).toHaveLength(32);
  expect(await stampsOf(values, 2).stamps.device()).toBe(device);
});

test('stamps nothing and creates no id without a source of random bytes', async () => {
  const values = new Map<string, Uint8Array>();
  const rows = createLocalRows(memoryStore(values));
  const { stamp, device } = createStamps({ rows, time: { now: () => 5 }, random: undefined });
  const stamped = await stamp(event, { isAttached: true });
  expect([stamped, await device(), values.size]).toEqual([event, undefined, 0]);
});

describe('in a ledger with a membership log', () => {
  const name = new Uint8Array(16).fill(7);

  test.each([
    ['that doesn’t sign its events', 5, false],
    ['that signs its events', 5, true],
    ['without stamps', undefined, false],
  ])('names an entry in the signed events of a database %s', async (_, seed, isSigned) => {
    const values = new Map<string, Uint8Array>();
    const rows = createLocalRows(memoryStore(values));
    const pair = await newPair(new Uint8Array(32).fill(3));
    await rows.write([
      { name: 'signer', bytes: pair.both },
      { name: LOG_NAME_ROW, bytes: Uint8Array.of(...name, 1, 2) },
    ]);
    const random = seed === undefined ? undefined : seededRandom(seed).bytes;
    const { stamp, device } = createStamps({ rows, time: { now: () => 5 }, random, isSigned });
    const signed = await stamp(event, { isAttached: true });
    const { publicKey } = await signerOf(pair.both);
    expect(loggedIn(signed.by)).toMatchObject({ name, device: publicKey.slice(1, 17) });
    expect(decodeStamp(signed.by)).toEqual({ time: 5, device: await device() });
    expect(await signatureBy(encodeEvent(signed).cid, signed, publicKey)).toBe('valid');
  });

  test('names an entry only after the database was attached, and once its key exists', async () => {
    const { rows, stamps } = stampsOf(new Map(), 1);
    await rows.write([{ name: LOG_NAME_ROW, bytes: name }]);
    const stamped = await stamps.stamp(event, { isAttached: true });
    expect([loggedIn(stamped.by), decodeStamp(stamped.by)?.time]).toEqual([undefined, 5]);
    await rows.write([{ name: 'signer', bytes: (await newPair(new Uint8Array(32).fill(3))).both }]);
    expect(loggedIn((await stamps.stamp(event, {})).by)).toBeUndefined();
    expect(loggedIn((await stamps.stamp(event, { isAttached: true })).by)).toMatchObject({ name });
  });
});
