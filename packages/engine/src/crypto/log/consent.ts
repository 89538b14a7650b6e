/**
 * The consent of a device that asks for approval in a ledger with a membership log: rules F7 and J2
 * of docs/internals/membership-rules.md. The device's code contains a hash of both its keys, so the
 * person who types the code compares them.
 */
import { type ConsentRecord, consentOf, type Signer } from '@fixpoint/protocol/storage';
import { concatBytes, equalBytes, hex, utf8 } from '../../base/bytes.ts';
import type { KeyPair } from '../../base/p256.ts';
import { encode } from '../../codec/dag-cbor.ts';
import { sha256 } from '../../codec/sha256.ts';
import type { Random } from '../../ports/random.ts';
import { aesGcm } from '../aes-gcm.ts';
import { encodeRecord } from '../ledger-key-records.ts';
import { encodeCode } from '../secret-code.ts';

const ID_BYTES = 16;
const NONCE_BYTES = 12;
const NOTHING = new Uint8Array();

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

interface ConsentParts {
  /** The public key of this device that receives data keys. */
  readonly pub: Uint8Array;
  readonly user: string;
  /** Set if this device is from before the log: the founder may then add it without a code. */
  readonly bond?: Bond | undefined;
}

interface Bond {
  /** The pair of this device that receives data keys. */
  readonly pair: KeyPair;
  /** The key of the founder's first device that receives data keys. */
  readonly founder: Uint8Array;
  readonly random: Random;
}

/** Returns the text of a record by which a device consents to be added to the log of a ledger. */
export async function consentText(
  ledger: Uint8Array,
  signer: Signer,
  { pub, user, bond }: ConsentParts,
): Promise<string> {
  const ok = await consentOf(signer, { ledger, user: utf8(user), kind: 'device', seal: pub });
  const record = { t: 'consent', pub, sign: signer.publicKey, user: utf8(user), ok } as const;
  if (bond === undefined) return encodeRecord(record);
  const { pair, founder, random } = bond;
  const nonce = random.bytes(NONCE_BYTES);
  const key = await bondKey(pair, founder, { device: pub, founder });
  const tag = await aesGcm.encrypt(key, nonce, NOTHING, bondBound(ledger, record));
  return encodeRecord({ ...record, bond: concatBytes([nonce, tag]) });
}

/**
 * Returns whether the device that has the sealing key of a consent made it (L5). Only that device
 * and the founder's can create the bond, so neither the server nor another member can offer their
 * own signing key for a device that they know.
 * @param pair that of the founder's first device
 */
export async function isBonded(ledger: Uint8Array, record: ConsentRecord, pair: KeyPair): Promise<boolean> {
  const { bond, pub } = record;
  if (bond === undefined) return false;
  const key = await bondKey(pair, pub, { device: pub, founder: pair.publicKey });
  const [nonce, tag] = [bond.subarray(0, NONCE_BYTES), bond.subarray(NONCE_BYTES)];
  return aesGcm.decrypt(key, nonce, tag, bondBound(ledger, record)).then(
    () => true,
    () => false,
  );
}

const bondKey = async (
  own: KeyPair,
  other: Uint8Array,
  { device, founder }: { readonly device: Uint8Array; readonly founder: Uint8Array },
) => aesGcm.derive(await own.agree(other), concatBytes([device, founder]), 'fixpoint bond 1');

const bondBound = (ledger: Uint8Array, { pub, sign, user, ok }: ConsentRecord) =>
  encode([1, 'bond', ledger, pub, sign, user, ok]);

/** Returns whether a record is the consent of a device for the same user. */
export const isSameConsent = (record: ConsentRecord, { pub, sign }: DeviceKeys, user: string): boolean =>
  equalBytes(record.pub, pub) && equalBytes(record.sign, sign) && hex(record.user) === hex(utf8(user));
