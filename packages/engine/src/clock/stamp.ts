/**
 * The stamp of an event: when it was written, by the clock of the device, and on which device.
 * Bytes: version 1 (1), milliseconds since 1970 (6, big-endian), id of the device (16). Readers
 * ignore stamps of other versions.
 */

import { hex } from '../base/bytes.ts';

const VERSION = 1;
const TIME_BYTES = 6;
export const DEVICE_ID_BYTES = 16;
const DEVICE_AT = 1 + TIME_BYTES;
const STAMP_BYTES = DEVICE_AT + DEVICE_ID_BYTES;
const TIME_MAX = 2 ** (8 * TIME_BYTES) - 1;
const LOW = 2 ** 32;

export interface Stamp {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The id of the device, in hexadecimal digits. */
  readonly device: string;
}

/** @param device the 16 bytes of the device's id */
export function encodeStamp(timeMs: number, device: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(STAMP_BYTES);
  const view = new DataView(bytes.buffer);
  const time = Math.min(Math.max(Math.floor(timeMs), 0), TIME_MAX);
  bytes[0] = VERSION;
  view.setUint16(1, Math.floor(time / LOW));
  view.setUint32(3, time % LOW);
  bytes.set(device, DEVICE_AT);
  return bytes;
}

/** Returns undefined for a stamp that this version can't read. */
export function decodeStamp(bytes: Uint8Array | undefined): Stamp | undefined {
  if (bytes?.length !== STAMP_BYTES || bytes[0] !== VERSION) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return { time: view.getUint16(1) * LOW + view.getUint32(3), device: hex(bytes.subarray(DEVICE_AT)) };
}
