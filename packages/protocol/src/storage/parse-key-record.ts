/**
 * Records in the `keys` list of a sealed ledger: `docs/internals/sealed-ledgers.md`, "Key records".
 */
import { isP256Point } from './p256-point.ts';
import { type RecordField, recordFields } from './record-fields.ts';

/** Maximum length of a record's text. */
export const RECORD_CHARS_MAX = 32_768;
const KEY_ID_BYTES = 16;
const PROOF_BYTES = 28;
const ROTATE_BOX_BYTES = 48;
/** Minimum length of `back`: a nonce and a tag. */
const BACK_BYTES_MIN = 28;
/** Length of `once`: a nonce, a private key and a tag. */
const ONCE_BYTES = 60;
const VOUCH_BYTES = KEY_ID_BYTES + PROOF_BYTES;
const SIGNING_KEY_BYTES = 33;
const SIGNATURE_BYTES = 64;
const USER_BYTES_MAX = 200;
const TIME_BYTES = 6;
const ENTRY_ID_BYTES = 32;

/** A device requests access. */
export interface DeviceRecord {
  readonly t: 'device';
  readonly pub: Uint8Array;
}
/**
 * A device that has the keys grants them to another device, or with `locked` to a recovery code.
 */
export interface GrantRecord {
  readonly t: 'grant';
  readonly key: Uint8Array;
  readonly pub: Uint8Array;
  readonly eph: Uint8Array;
  readonly box: Uint8Array;
  readonly proof: Uint8Array;
  readonly locked?: Uint8Array;
}
/**
 * A new data key for the listed devices. `back` contains the previous key, encrypted with the new
 * one. `once` contains the private key of `eph`, encrypted with the new key, so that each recipient
 * can check all boxes. Only ledgers with a membership log need it.
 */
export interface RotateRecord {
  readonly t: 'rotate';
  readonly key: Uint8Array;
  readonly prev: Uint8Array;
  readonly pubs: readonly Uint8Array[];
  readonly eph: Uint8Array;
  readonly boxes: readonly Uint8Array[];
  readonly proof: Uint8Array;
  readonly back?: Uint8Array;
  readonly once?: Uint8Array;
}
/**
 * Earlier keys, encrypted with `key`. Each of `proofs` was made with an earlier key, and proves
 * that `key` followed that earlier key.
 */
export interface ChainRecord {
  readonly t: 'chain';
  readonly key: Uint8Array;
  readonly box: Uint8Array;
  readonly proofs: readonly Uint8Array[];
}
/**
 * A device that requests access to a ledger with a membership log consents to be added to it: the
 * field `ok` of the entry that introduces the device.
 */
export interface ConsentRecord {
  readonly t: 'consent';
  readonly pub: Uint8Array;
  /** The key that signs entries and events, compressed. */
  readonly sign: Uint8Array;
  /** The user id of the device's user: UTF-8. */
  readonly user: Uint8Array;
  readonly ok: Uint8Array;
  /** Proves to the founder of the log that the device that has `pub` chose `sign`. */
  readonly bond?: Uint8Array;
}
/**
 * A member of a membership log asks an admin to add a recovery code to the log. The fields `sign`,
 * `pub` and `ok` are `csign`, `cseal` and `cok` of the entry.
 */
export interface CodeRecord {
  readonly t: 'code';
  readonly pub: Uint8Array;
  readonly sign: Uint8Array;
  /** The user id of the member: UTF-8. */
  readonly user: Uint8Array;
  readonly ok: Uint8Array;
  /** When the device of the member signed the record: 6 bytes, in ms since 1970. */
  readonly at: Uint8Array;
  /** The signing key of a device of the member, and the entry that introduced it. */
  readonly by: Uint8Array;
  readonly in: Uint8Array;
  /** The signature of this device. */
  readonly sig: Uint8Array;
}
export type KeyRecord = DeviceRecord | GrantRecord | RotateRecord | ChainRecord | ConsentRecord | CodeRecord;

/**
 * Parses a record. Returns undefined for anything that this version doesn't know, and for a record
 * with public keys that aren't points of P-256.
 */
export function parseKeyRecord(text: string): KeyRecord | undefined {
  if (text.length > RECORD_CHARS_MAX) return undefined;
  const fields = recordFields(text);
  return fields && recordOf(fields);
}

function recordOf(fields: ReadonlyMap<string, RecordField>): KeyRecord | undefined {
  const t = fields.get('t');
  if (t === 'device') {
    const pub = pointOf(fields.get('pub'));
    return pub && { t, pub };
  }
  if (t === 'grant') return grantOf(fields);
  if (t === 'rotate') return rotateOf(fields);
  if (t === 'consent') return consentOf(fields);
  if (t === 'code') return codeOf(fields);
  return t === 'chain' ? chainOf(fields) : undefined;
}

function grantOf(fields: ReadonlyMap<string, RecordField>): GrantRecord | undefined {
  const [pub, eph] = [pointOf(fields.get('pub')), pointOf(fields.get('eph'))];
  const [key, proof] = [bytesOf(fields.get('key'), KEY_ID_BYTES), bytesOf(fields.get('proof'), PROOF_BYTES)];
  const [box, locked] = [bytesOf(fields.get('box')), bytesOf(fields.get('locked'))];
  if (!pub || !eph || !key || !proof || !box || (fields.has('locked') && !locked)) return undefined;
  return { t: 'grant', key, pub, eph, box, proof, ...(locked && { locked }) };
}

function rotateOf(fields: ReadonlyMap<string, RecordField>): RotateRecord | undefined {
  const [key, prev] = [bytesOf(fields.get('key'), KEY_ID_BYTES), bytesOf(fields.get('prev'), KEY_ID_BYTES)];
  const [eph, proof] = [pointOf(fields.get('eph')), bytesOf(fields.get('proof'), PROOF_BYTES)];
  const [pubs, boxes] = [listOf(fields.get('pubs')), listOf(fields.get('boxes'), ROTATE_BOX_BYTES)];
  const back = bytesOf(fields.get('back'));
  if (!key || !prev || !eph || !proof || !pubs || !boxes || pubs.length !== boxes.length) return undefined;
  if (!pubs.every(isP256Point)) return undefined;
  const isRight = back !== undefined && back.length >= BACK_BYTES_MIN;
  const once = bytesOf(fields.get('once'), ONCE_BYTES);
  return { t: 'rotate', key, prev, pubs, eph, boxes, proof, ...(isRight && { back }), ...(once && { once }) };
}

function chainOf(fields: ReadonlyMap<string, RecordField>): ChainRecord | undefined {
  const [key, box] = [bytesOf(fields.get('key'), KEY_ID_BYTES), bytesOf(fields.get('box'))];
  const proofs = listOf(fields.get('proofs'), VOUCH_BYTES);
  return key && box && proofs && { t: 'chain', key, box, proofs };
}

function consentOf(fields: ReadonlyMap<string, RecordField>): ConsentRecord | undefined {
  const [pub, sign] = [pointOf(fields.get('pub')), bytesOf(fields.get('sign'), SIGNING_KEY_BYTES)];
  const [user, ok] = [bytesOf(fields.get('user')), bytesOf(fields.get('ok'), SIGNATURE_BYTES)];
  const isUser = user !== undefined && user.length > 0 && user.length <= USER_BYTES_MAX;
  const bond = bytesOf(fields.get('bond'), PROOF_BYTES);
  return pub && sign && ok && isUser
    ? { t: 'consent', pub, sign, user, ok, ...(bond && { bond }) }
    : undefined;
}

function codeOf(fields: ReadonlyMap<string, RecordField>): CodeRecord | undefined {
  const consent = consentOf(fields);
  const [at, by] = [bytesOf(fields.get('at'), TIME_BYTES), bytesOf(fields.get('by'), SIGNING_KEY_BYTES)];
  const [entry, sig] = [
    bytesOf(fields.get('in'), ENTRY_ID_BYTES),
    bytesOf(fields.get('sig'), SIGNATURE_BYTES),
  ];
  return consent && at && by && entry && sig && { ...consent, t: 'code', at, by, in: entry, sig };
}

function bytesOf(field: RecordField | undefined, length?: number): Uint8Array | undefined {
  return field instanceof Uint8Array && (length === undefined || field.length === length) ? field : undefined;
}

function pointOf(field: RecordField | undefined): Uint8Array | undefined {
  const bytes = bytesOf(field);
  return bytes && isP256Point(bytes) ? bytes : undefined;
}

function listOf(field: RecordField | undefined, length?: number): readonly Uint8Array[] | undefined {
  if (field === undefined || typeof field === 'string' || field instanceof Uint8Array) return undefined;
  return length === undefined || field.every((one) => one.length === length) ? field : undefined;
}
