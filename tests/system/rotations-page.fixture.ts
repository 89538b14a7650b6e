/** The page of `rotations.test.ts`: creates and checks rotations with the browser's ciphers. */
import { parseKeyRecord, type RotateRecord } from '@fixpoint/protocol/storage';
import { newPair, pairOf } from '../../packages/engine/src/base/p256.ts';
import {
  isSealedForAll,
  makeLogRotation,
  openRotation,
} from '../../packages/engine/src/crypto/rotation-record.ts';
import { ledgerKey } from '../../packages/engine/src/crypto/sealed-object.ts';

const LEDGER = new Uint8Array(8).fill(1);
const random = {
  bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
  fraction: Math.random,
};

/** Returns the private and the public key of a new device. */
export async function newDevice(): Promise<number[]> {
  return [...(await newPair(random.bytes(32))).both];
}

/** Creates a rotation for these devices, and returns the text of the record. */
export async function rotate(devices: readonly number[][], place: readonly number[]): Promise<string> {
  const current = ledgerKey(random.bytes(32));
  const recipients = devices.map((both) => Uint8Array.from(both.slice(32)));
  const parts = { ledger: LEDGER, random, current, recipients, back: [current] };
  return (await makeLogRotation({ ...parts, prev: [Uint8Array.from(place)] })).text;
}

/** Returns whether a device can open a rotation, and compute all of its boxes again. */
export async function check(
  text: string,
  device: readonly number[],
  at: number,
  place: readonly number[],
): Promise<boolean> {
  const record = parseKeyRecord(text) as RotateRecord;
  const pair = await pairOf(Uint8Array.from(device));
  const next = await openRotation(LEDGER, record, record.boxes[at] as Uint8Array, pair);
  return next !== undefined && isSealedForAll(LEDGER, record, [Uint8Array.from(place)], next);
}

if (typeof window !== 'undefined') Object.assign(window, { newDevice, rotate, check });
