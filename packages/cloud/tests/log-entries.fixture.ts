/** Creates entries of the membership log of a sealed ledger, with real signatures. */
import { createECDH, createHash } from 'node:crypto';
import {
  consentOf,
  decodeEntry,
  type EntryFields,
  type EntrySigners,
  ledgerBytes,
  P256_ORDER,
  type RecordField,
  type Signer,
  signedEntry,
  signedGreeting,
} from '@fixpoint/protocol/storage';
import type { Ledger } from './cloud.fixture.ts';

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const utf8 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));
const bytesOf = (digits: string): Uint8Array => Uint8Array.from(Buffer.from(digits, 'hex'));

/** The keys of a device or of a recovery code. */
export interface SeatKeys {
  readonly signer: Signer;
  readonly seal: Uint8Array;
}

export async function newKeys(): Promise<SeatKeys> {
  const pair = await crypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
  const point = Buffer.from(await crypto.subtle.exportKey('raw', pair.publicKey));
  const publicKey = Uint8Array.of(2 + ((point[64] as number) & 1), ...point.subarray(1, 33));
  const sign = async (bytes: Uint8Array) => {
    const given = bytes as Uint8Array<ArrayBuffer>;
    const signature = Buffer.from(await crypto.subtle.sign(ECDSA, pair.privateKey, given));
    const s = BigInt(`0x${signature.toString('hex', 32)}`);
    const low = 2n * s > P256_ORDER ? P256_ORDER - s : s;
    return Uint8Array.of(...signature.subarray(0, 32), ...bytesOf(low.toString(16).padStart(64, '0')));
  };
  return { signer: { publicKey, sign }, seal: Uint8Array.from(createECDH('prime256v1').generateKeys()) };
}

/** Writes entries for a ledger. */
export function logWriter({ tenant, ledger: name }: Pick<Ledger, 'tenant' | 'ledger'>) {
  const ledger = ledgerBytes(tenant, name);

  async function written(fields: Record<string, RecordField>, signers: EntrySigners) {
    const all: EntryFields = { at: bytesOf('0190a0b0c0d0'), ...fields };
    const text = await signedEntry(all, ledger, signers);
    return { text, id: decodeEntry(text, sha256).entry.id };
  }

  async function deviceOf(user: string, { signer, seal }: SeatKeys, code?: SeatKeys) {
    const both = code && ([code.signer.publicKey, code.seal] as const);
    const consent = { ledger, user: utf8(user), kind: 'device' as const, seal, code: both };
    return { dev: signer.publicKey, seal, ok: await consentOf(signer, consent) };
  }

  /** Links an entry to others. @param own the previous entry of the same seat */
  const after = (seat: string, prev: readonly string[], own?: string) => ({
    in: bytesOf(seat),
    prev: [...prev].sort().map(bytesOf),
    ...(own !== undefined && { own: bytesOf(own) }),
  });

  return {
    start: async (user: string, device: SeatKeys, code: SeatKeys) => {
      const consent = { ledger, user: utf8(user), kind: 'code' as const, seal: code.seal };
      const ofCode = {
        csign: code.signer.publicKey,
        cseal: code.seal,
        cok: await consentOf(code.signer, consent),
      };
      const founder = { t: 'start', user: utf8(user), name: utf8(user) };
      const proven = { key: new Uint8Array(16), proof: new Uint8Array(28) };
      const fields = { ...founder, ...proven, ...(await deviceOf(user, device, code)), ...ofCode };
      return written(fields, { signer: device.signer, code: code.signer });
    },
    person: async (user: string, role: string, device: SeatKeys, by: SeatKeys, ...place: Place) => {
      const person = { t: 'person', user: utf8(user), name: utf8(user), role };
      return written(
        { ...person, ...after(...place), ...(await deviceOf(user, device)) },
        { signer: by.signer },
      );
    },
    /** Adds a device to a person. */
    device: async (person: string, user: string, device: SeatKeys, by: SeatKeys, ...place: Place) => {
      const named = { t: 'device', person: bytesOf(person), name: utf8('phone') };
      return written({ ...named, ...after(...place), ...(await deviceOf(user, device)) }, by);
    },
    /** Names the next code of a person. @param other the device that signs, too, and its entry */
    code: async (
      [person, user]: readonly [id: string, user: string],
      code: SeatKeys,
      by: SeatKeys,
      other: readonly [device: SeatKeys, entry: string],
      ...place: Place
    ) => {
      const consent = { ledger, user: utf8(user), kind: 'code' as const, seal: code.seal };
      const ofCode = { csign: code.signer.publicKey, cseal: code.seal };
      const cok = await consentOf(code.signer, consent);
      const fields = { t: 'code', person: bytesOf(person), with: bytesOf(other[1]), ...ofCode, cok };
      return written({ ...fields, ...after(...place) }, { signer: by.signer, cosigner: other[0].signer });
    },
    /** Removes a person. */
    remove: (person: string, by: SeatKeys, ...place: Place) =>
      written({ t: 'remove', person: bytesOf(person), ...after(...place) }, by),
    /** Returns the text of a greeting. */
    hello: (by: SeatKeys, seat: string, heads: readonly string[], at: number): Promise<string> => {
      const time = bytesOf(at.toString(16).padStart(12, '0'));
      return signedGreeting(
        { at: time, in: bytesOf(seat), heads: [...heads].sort().map(bytesOf) },
        ledger,
        by.signer,
      );
    },
    leave: (by: SeatKeys, ...place: Place) => written({ t: 'leave', ...after(...place) }, by),
    /** @param record the text of a rotation */
    key: (keyId: Uint8Array, record: string, by: SeatKeys, ...place: Place) => {
      const rot = Uint8Array.of(...keyId, ...sha256(Buffer.from(record)));
      return written({ t: 'key', rot, ...after(...place) }, by);
    },
  };
}
type Place = readonly [seat: string, prev: readonly string[], own?: string];
