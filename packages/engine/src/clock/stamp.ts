/**
 * The stamp of an event: when it was written, by the clock of the device, and on which device. It
 * begins with the version (1 byte) and the milliseconds since 1970 (6 bytes, big-endian). Version 1
 * continues with the id of the device (16). Version 2 continues with the device's compressed public
 * key (33) and a signature of the event (64); the 16 bytes after the first one of the key are the
 * device's id. Version 3, for ledgers with a membership log, continues with the id of the device
 * (16), the name of an entry of the log (16) and a signature (64); the log contains the key. A
 * stamp can also be the single byte 0 or 3: see {@link MERGE_STAMP} and {@link JOINED_STAMP}.
 * Readers ignore all other stamps.
 */

import { concatBytes, hex } from '../base/bytes.ts';
import { SIGNATURE_BYTES, SIGNING_KEY_BYTES } from '../base/signatures.ts';

const VERSION = 1;
const SIGNED_VERSION = 2;
const LOGGED_VERSION = 3;
const TIME_BYTES = 6;
export const DEVICE_ID_BYTES = 16;
const DEVICE_AT = 1 + TIME_BYTES;
const STAMP_BYTES = DEVICE_AT + DEVICE_ID_BYTES;
const UNSIGNED_BYTES = DEVICE_AT + SIGNING_KEY_BYTES;
const SIGNED_BYTES = UNSIGNED_BYTES + SIGNATURE_BYTES;
/** Length of the name of an entry: the start of its hash. */
export const ENTRY_NAME_BYTES = 16;
const NAMED_BYTES = STAMP_BYTES + ENTRY_NAME_BYTES;
const LOGGED_BYTES = NAMED_BYTES + SIGNATURE_BYTES;
const TIME_MAX = 2 ** (8 * TIME_BYTES) - 1;
const LOW = 2 ** 32;

export interface Stamp {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The id of the device, in hexadecimal digits. */
  readonly device: string;
}

/** @param device the 16 bytes of the device's id */
export const encodeStamp = (timeMs: number, device: Uint8Array): Uint8Array =>
  encoded(VERSION, timeMs, device);

/** Returns a stamp of version 2 without its signature, which the caller must append. */
export const encodeUnsignedStamp = (timeMs: number, publicKey: Uint8Array): Uint8Array =>
  encoded(SIGNED_VERSION, timeMs, publicKey);

/**
 * Returns a stamp of version 3 without its signature, which the caller must append.
 * @param name the entry of the log that the event names; zeros name none
 */
export const encodeNamingStamp = (timeMs: number, publicKey: Uint8Array, name: Uint8Array): Uint8Array =>
  encoded(LOGGED_VERSION, timeMs, concatBytes([deviceOfKey(publicKey), name]));

/** Returns the id of the device that has this signing key. */
export const deviceOfKey = (publicKey: Uint8Array): Uint8Array => publicKey.subarray(1, 1 + DEVICE_ID_BYTES);

function encoded(version: number, timeMs: number, rest: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(DEVICE_AT + rest.length);
  const view = new DataView(bytes.buffer);
  const time = Math.min(Math.max(Math.floor(timeMs), 0), TIME_MAX);
  bytes[0] = version;
  view.setUint16(1, Math.floor(time / LOW));
  view.setUint32(3, time % LOW);
  bytes.set(rest, DEVICE_AT);
  return bytes;
}

/**
 * The stamp of an event that merges concurrent versions of documents (decision 0168). It contains
 * neither time nor device, so that all devices write the same event.
 */
export const MERGE_STAMP = new Uint8Array([0]);

/** The stamp of an event that replaces a history whose past was dropped (commit/rebuild.ts). */
export const JOINED_STAMP = new Uint8Array([3]);

export const isMergeStamp = (bytes: Uint8Array | undefined): boolean => isByte(bytes, MERGE_STAMP);

export const isJoinedStamp = (bytes: Uint8Array | undefined): boolean => isByte(bytes, JOINED_STAMP);

const isByte = (bytes: Uint8Array | undefined, [only]: Uint8Array): boolean =>
  bytes?.length === 1 && bytes[0] === only;

/** Returns undefined for a stamp that this version can't read. */
export function decodeStamp(bytes: Uint8Array | undefined): Stamp | undefined {
  const device = deviceIn(bytes);
  if (bytes === undefined || device === undefined) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return { time: view.getUint16(1) * LOW + view.getUint32(3), device: hex(device) };
}

function deviceIn(bytes: Uint8Array | undefined): Uint8Array | undefined {
  if (bytes?.length === STAMP_BYTES && bytes[0] === VERSION) return bytes.subarray(DEVICE_AT);
  const key = signatureIn(bytes)?.key;
  return key === undefined ? loggedIn(bytes)?.device : deviceOfKey(key);
}

/** Returns whether a stamp contains a signature. */
export const isSigned = (bytes: Uint8Array | undefined): boolean =>
  (signatureIn(bytes) ?? loggedIn(bytes)) !== undefined;

/** Returns the parts of a stamp of version 2; undefined for others. */
export function signatureIn(bytes: Uint8Array | undefined):
  | {
      readonly key: Uint8Array;
      readonly signature: Uint8Array;
      /** The stamp without its signature: the bytes that were signed. */
      readonly unsigned: Uint8Array;
    }
  | undefined {
  if (bytes?.length !== SIGNED_BYTES || bytes[0] !== SIGNED_VERSION) return undefined;
  return {
    key: bytes.subarray(DEVICE_AT, UNSIGNED_BYTES),
    signature: bytes.subarray(UNSIGNED_BYTES),
    unsigned: bytes.subarray(0, UNSIGNED_BYTES),
  };
}

/** Returns the parts of a stamp of version 3; undefined for others. */
export function loggedIn(bytes: Uint8Array | undefined):
  | {
      /** The 16 bytes of the device's id. */
      readonly device: Uint8Array;
      /** The name of an entry of the log; undefined if the event names none. */
      readonly name: Uint8Array | undefined;
      readonly signature: Uint8Array;
      /** The stamp without its signature: the bytes that were signed. */
      readonly unsigned: Uint8Array;
    }
  | undefined {
  if (bytes?.length !== LOGGED_BYTES || bytes[0] !== LOGGED_VERSION) return undefined;
  const name = bytes.subarray(STAMP_BYTES, NAMED_BYTES);
  return {
    device: bytes.subarray(DEVICE_AT, STAMP_BYTES),
    name: name.some((byte) => byte !== 0) ? name : undefined,
    signature: bytes.subarray(NAMED_BYTES),
    unsigned: bytes.subarray(0, NAMED_BYTES),
  };
}
