import { expect, test } from 'vitest';
import { type ClockEvent, encodeEvent } from '../clock/event.ts';
import { signatureOf } from '../clock/signature.ts';
import { decodeStamp } from '../clock/stamp.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { encodeDocument } from '../documents/encode.ts';
import { memoryStore } from '../platform/memory-store.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { createLocalRows } from './local-rows.ts';
import { createStamps } from './stamps.ts';

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
  expect(decodeStamp((await stamps.stamp?.(event, {}))?.by)).toEqual({ time: 5, device });
  expect(decodeStamp((await stamps.stamp?.(event, { timeMs: 9 }))?.by)).toEqual({ time: 9, device });
});

test('signs events with a key that all tabs and later opens share', async () => {
  const values = new Map<string, Uint8Array>();
  const tabs = [1, 2].map((seed) => stampsOf(values, seed, true).stamps);
  const devices = await Promise.all(tabs.map((tab) => tab.device()));
  const { stamps } = stampsOf(values, 3, true);
  expect(new Set([...devices, await stamps.device()]).size).toBe(1);
  const signed: ClockEvent = (await stamps.stamp?.(event, { timeMs: 9 })) ?? event;
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
  expect([stamp, await device(), values.size]).toEqual([undefined, undefined, 0]);
});
