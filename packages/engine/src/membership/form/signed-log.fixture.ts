/** Writes entries with real signatures for tests. */
import {
  consentOf,
  decodeEntry,
  type EntryFields,
  type EntryId,
  type EntrySigners,
  ledgerBytes,
  type RecordField,
  signedEntry,
} from '@fixpoint/protocol/storage';
import { utf8 } from '../../base/bytes.ts';
import { newPair } from '../../base/p256.ts';
import { type Signer, signerOf } from '../../base/signatures.ts';
import { sha256 } from '../../codec/sha256.ts';

export const LEDGER = ledgerBytes('tenant', 'ledger');

/** The keys of a device or of a recovery code. */
export interface TestKeys {
  readonly signer: Signer;
  readonly seal: Uint8Array;
}

/** Creates keys that depend only on the name. */
export async function keysNamed(name: string): Promise<TestKeys> {
  const pair = (purpose: string) => newPair(sha256(utf8(`${purpose} of ${name}`)));
  const seal = await pair('seal');
  return { signer: await signerOf((await pair('signer')).both), seal: seal.publicKey };
}

export const bytesOf = (id: EntryId): Uint8Array => Uint8Array.from(Buffer.from(id, 'hex'));

/** @param timeMs milliseconds since 1970 */
const timeBytes = (timeMs: number): Uint8Array => bytesOf(timeMs.toString(16).padStart(12, '0'));

/** Returns the fields of a device with its consent. */
export async function deviceFields(user: string, { signer, seal }: TestKeys, code?: TestKeys) {
  const both = code && ([code.signer.publicKey, code.seal] as const);
  const consent = { ledger: LEDGER, user: utf8(user), kind: 'device' as const, seal, code: both };
  return { dev: signer.publicKey, seal, ok: await consentOf(signer, consent) };
}

/** Returns the fields of a recovery code with its consent. */
export async function codeFields(user: string, { signer, seal }: TestKeys) {
  const consent = { ledger: LEDGER, user: utf8(user), kind: 'code' as const, seal };
  return { csign: signer.publicKey, cseal: seal, cok: await consentOf(signer, consent) };
}

export interface Written {
  readonly text: string;
  readonly id: EntryId;
  readonly fields: EntryFields;
}

export async function written(fields: EntryFields, signers: EntrySigners, ledger = LEDGER): Promise<Written> {
  const text = await signedEntry(fields, ledger, signers);
  const read = decodeEntry(text, sha256);
  return { text, id: read.entry.id, fields: read.fields };
}

/** Writes the first entry of a log. */
export async function writtenStart(user: string, device: TestKeys, code: TestKeys): Promise<Written> {
  const start = {
    ...{ t: 'start', at: timeBytes(1_800_000_000_000), user: utf8(user), name: utf8(user) },
    ...{ key: new Uint8Array(16), proof: new Uint8Array(28) },
    ...(await deviceFields(user, device, code)),
    ...(await codeFields(user, code)),
  };
  return written(start, { signer: device.signer, code: code.signer });
}

/** Returns the fields that each entry but `start` and joins has. */
export const linkFields = (t: string, seat: EntryId, prev: readonly EntryId[], own?: EntryId) => ({
  ...{ t, at: timeBytes(1_800_000_001_000), prev: [...prev].sort().map(bytesOf), in: bytesOf(seat) },
  ...(own === undefined ? {} : { own: bytesOf(own) }),
});

/** Returns the fields of an entry that admits a person. */
export async function personFields(
  user: string,
  device: TestKeys,
  code?: TestKeys,
): Promise<Record<string, RecordField>> {
  return {
    ...{ user: utf8(user), name: utf8(user), role: 'admin', seen: Uint8Array.of(1) },
    ...(await deviceFields(user, device, code)),
    ...(code && (await codeFields(user, code))),
  };
}
