/**
 * The consent of a device that asks for approval in a ledger with a membership log: rules F7 and J2
 * of docs/internals/membership-rules.md. The device's code contains a hash of both its keys, so the
 * person who types the code compares them.
 */
import { type ConsentRecord, consentOf, parseKeyRecord, type Signer } from '@fixpoint/protocol/storage';
import { concatBytes, equalBytes, hex, utf8 } from '../../base/bytes.ts';
import { sha256 } from '../../codec/sha256.ts';
import { encodeRecord } from '../ledger-key-records.ts';
import { encodeCode } from '../secret-code.ts';

const ID_BYTES = 16;

/** The keys of a device: one receives data keys, the other one signs. */
export interface DeviceKeys {
  readonly pub: Uint8Array;
  readonly sign: Uint8Array;
}

/** Returns what a code contains of the keys of a device. */
export const comparedIdOf = ({ pub, sign }: DeviceKeys): Uint8Array =>
  sha256(concatBytes([utf8('fixpoint device 2'), pub, sign])).slice(0, ID_BYTES);

/** Returns the code of a device that asks to be added to a log. */
export const comparedCode = (keys: DeviceKeys, secret: Uint8Array): string =>
  encodeCode(concatBytes([comparedIdOf(keys), secret]));

/** Returns the text of a record by which a device consents to be added to the log of a ledger. */
export async function consentText(
  ledger: Uint8Array,
  signer: Signer,
  { pub, user }: { readonly pub: Uint8Array; readonly user: string },
): Promise<string> {
  const consent = { ledger, user: utf8(user), kind: 'device' as const, seal: pub };
  const ok = await consentOf(signer, consent);
  return encodeRecord({ t: 'consent', pub, sign: signer.publicKey, user: utf8(user), ok });
}

export const consentIn = (text: string): ConsentRecord | undefined => {
  const record = parseKeyRecord(text);
  return record?.t === 'consent' ? record : undefined;
};

/** Returns whether a record is the consent of a device for the same user. */
export const isSameConsent = (record: ConsentRecord, { pub, sign }: DeviceKeys, user: string): boolean =>
  equalBytes(record.pub, pub) && equalBytes(record.sign, sign) && hex(record.user) === hex(utf8(user));
