/** Writes and checks the first entry of a membership log: rule L1 of membership-rules.md. */
import { consentOf, type EntryFields, type Signer, signedEntry } from '@fixpoint/protocol/storage';
import { hex, utf8 } from '../../base/bytes.ts';
import { encode } from '../../codec/dag-cbor.ts';
import type { Random } from '../../ports/random.ts';
import { isStartProof, proveStart } from '../grant.ts';
import type { LedgerKey } from '../sealed-object.ts';

/** The keys of a device or of a recovery code. */
interface SeatKeys {
  readonly signer: Signer;
  /** The public key that receives data keys. */
  readonly seal: Uint8Array;
}

export interface Founding {
  /** See `ledgerBytes`. */
  readonly ledger: Uint8Array;
  /** The id and the name of the founder. */
  readonly user: string;
  readonly name: string;
  readonly device: SeatKeys;
  readonly code: SeatKeys;
  /** The current data key of the ledger. */
  readonly key: LedgerKey;
  /** The heads of the founder's database: CIDs of events in bytes, sorted, at most 16 (L5). */
  readonly cut?: readonly Uint8Array[];
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly random: Random;
}

/**
 * Returns the text of `start`, which the founder's device and recovery code sign.
 * @throws InvalidEntryError if the name is empty, too long, or has hidden characters
 */
export async function newStart(founding: Founding): Promise<string> {
  const { ledger, device, code, key, random, cut = [] } = founding;
  const user = utf8(founding.user);
  const both = [code.signer.publicKey, code.seal] as const;
  const ofDevice = { ledger, user, kind: 'device' as const, seal: device.seal, code: both };
  const ofCode = { ledger, user, kind: 'code' as const, seal: code.seal };
  const fields: EntryFields = {
    t: 'start',
    at: timeBytes(founding.timeMs),
    by: device.signer.publicKey,
    user,
    name: utf8(founding.name),
    dev: device.signer.publicKey,
    seal: device.seal,
    ok: await consentOf(device.signer, ofDevice),
    csign: code.signer.publicKey,
    cseal: code.seal,
    cok: await consentOf(code.signer, ofCode),
    key: key.id,
    ...(cut.length > 0 && { cut }),
  };
  const proof = await proveStart(ledger, provenBytes(fields), key, random);
  return signedEntry({ ...fields, proof }, ledger, { signer: device.signer, code: code.signer });
}

/**
 * Returns whether the author of `start` knew the data key in it. Returns undefined if this device
 * doesn't have that key.
 */
export async function isProvenStart(
  ledger: Uint8Array,
  fields: EntryFields,
  keys: ReadonlyMap<string, LedgerKey>,
): Promise<boolean | undefined> {
  const key = keys.get(hex(fields['key'] as Uint8Array));
  return key && isStartProof(ledger, provenBytes(fields), key, fields['proof'] as Uint8Array);
}

/** Returns the bytes that the proof covers: all fields but the proof and the signatures over it. */
function provenBytes(fields: EntryFields): Uint8Array {
  const { proof: _proof, csig: _csig, sig: _sig, ...covered } = fields;
  return encode(covered);
}

/** Returns a time in 6 bytes, most significant byte first. */
const timeBytes = (timeMs: number): Uint8Array =>
  Uint8Array.from({ length: 6 }, (_, at) => Math.floor(timeMs / 256 ** (5 - at)) % 256);
