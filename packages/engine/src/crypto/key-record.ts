/** Records of the `keys` list of a sealed ledger: `docs/internals/sealed-ledgers.md`, "Key records". */
import { FixpointError } from '@fixpoint/protocol';
import { PUBLIC_BYTES } from '../base/p256.ts';
import { asArray, decodeMap, encode } from '../codec/dag-cbor.ts';

export const RECORD_CHARS_MAX = 32_768;
/** So many devices and recovery codes a ledger can have: a rotation lists all of them in one record. */
export const MEMBERS_MAX = 200;
const MARK = 'S1.';

export interface DeviceRecord {
  readonly t: 'device';
  readonly pub: Uint8Array;
}
export interface GrantRecord {
  readonly t: 'grant';
  readonly key: Uint8Array;
  readonly pub: Uint8Array;
  readonly eph: Uint8Array;
  readonly box: Uint8Array;
  readonly proof: Uint8Array;
  readonly locked?: Uint8Array;
}
export interface RotateRecord {
  readonly t: 'rotate';
  readonly key: Uint8Array;
  readonly prev: Uint8Array;
  readonly pubs: readonly Uint8Array[];
  readonly eph: Uint8Array;
  readonly boxes: readonly Uint8Array[];
  readonly proof: Uint8Array;
}
export type KeyRecord = DeviceRecord | GrantRecord | RotateRecord;

/** @throws FixpointError LIMIT_REACHED when the gateway would not take it */
export function encodeRecord(record: KeyRecord): string {
  const bytes = encode({ ...record });
  const record64 = MARK + base64Url(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  if (record64.length > RECORD_CHARS_MAX) throw new FixpointError('LIMIT_REACHED', 'devices of one ledger');
  return record64;
}

const base64Url = (chars: string): string =>
  btoa(chars).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Undefined for whatever is no record that this version knows. */
export function parseRecord(text: string): KeyRecord | undefined {
  if (!text.startsWith(MARK) || text.length > RECORD_CHARS_MAX) return undefined;
  try {
    const chars = atob(text.slice(MARK.length).replaceAll('-', '+').replaceAll('_', '/'));
    // The decoder overlooks blanks and spare bits: a record has one text.
    if (MARK + base64Url(chars) !== text) return undefined;
    return recordOf(decodeMap(Uint8Array.from(chars, (char) => char.charCodeAt(0))));
  } catch {
    return undefined;
  }
}

function recordOf(map: Record<string, unknown>): KeyRecord | undefined {
  const bytes = (name: string, length?: number): Uint8Array => bytesOf(map[name], length);
  const list = (name: string, length: number) => asArray(map[name]).map((one) => bytesOf(one, length));
  if (map['t'] === 'device') return { t: 'device', pub: bytes('pub', PUBLIC_BYTES) };
  const shared = { key: bytes('key', 16), eph: bytes('eph', PUBLIC_BYTES), proof: bytes('proof', 28) };
  if (map['t'] === 'grant') {
    const record: GrantRecord = { t: 'grant', ...shared, pub: bytes('pub', PUBLIC_BYTES), box: bytes('box') };
    return map['locked'] === undefined ? record : { ...record, locked: bytes('locked') };
  }
  if (map['t'] !== 'rotate') return undefined;
  const [pubs, boxes] = [list('pubs', PUBLIC_BYTES), list('boxes', 48)];
  if (pubs.length !== boxes.length) return undefined;
  return { t: 'rotate', ...shared, prev: bytes('prev', 16), pubs, boxes };
}

function bytesOf(value: unknown, length?: number): Uint8Array {
  if (value instanceof Uint8Array && (length === undefined || value.length === length)) return value;
  throw new FixpointError('CORRUPT', 'key record');
}
