/**
 * Creates and opens rotations of ledger keys: `docs/internals/sealed-ledgers.md`, "Key records".
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { RotateRecord } from '@fixpoint/protocol/storage';
import { concatBytes, equalBytes, utf8 } from '../base/bytes.ts';
import { type KeyPair, newPair, pairOf } from '../base/p256.ts';
import { isSignedBy, signerOf } from '../base/signatures.ts';
import { encode } from '../codec/dag-cbor.ts';
import { sha256 } from '../codec/sha256.ts';
import { aesGcm } from './aes-gcm.ts';
import { type GrantParts, NONCE_ZERO, prove } from './grant.ts';
import { sealKeys } from './key-chain.ts';
import { encodeRecord } from './ledger-key-records.ts';
import { type LedgerKey, ledgerKey } from './sealed-object.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;

/**
 * Creates a rotation: a new random key, sealed for each of these public keys.
 * @param skipped is called for each public key that allows no shared secret, so that one bad key
 * doesn't block the others
 */
export async function makeRotation(
  { ledger, random, current: prev }: Omit<GrantParts, 'keys'>,
  all: readonly Uint8Array[],
  skipped: (pub: Uint8Array, cause: unknown) => void,
): Promise<RotateRecord> {
  const next = ledgerKey(random.bytes(KEY_BYTES));
  const pair = await newPair(random.bytes(KEY_BYTES));
  const eph = pair.publicKey;
  const pubs: Uint8Array[] = [];
  const boxes: Uint8Array[] = [];
  for (const pub of all) {
    try {
      boxes.push(await sealBox(ledger, pair, prev.id, next, pub));
      pubs.push(pub);
    } catch (cause) {
      skipped(pub, cause);
    }
  }
  const body = { t: 'rotate', key: next.id, prev: prev.id, pubs, eph, boxes } as const;
  const proof = await prove(ledger, body, prev, random);
  return { ...body, proof, back: await sealKeys(ledger, next, [prev], random) };
}

/** Seals a new key for one public key. @throws FixpointError CORRUPT */
async function sealBox(
  ledger: Uint8Array,
  pair: KeyPair,
  prev: Uint8Array,
  next: LedgerKey,
  pub: Uint8Array,
): Promise<Uint8Array> {
  const eph = pair.publicKey;
  const kek = await rotateKey(await pair.agree(pub), eph, pub);
  return aesGcm.encrypt(kek, NONCE_ZERO, next.material, encode([1, 'rotate', ledger, next.id, prev, pub]));
}

/** A new key for a ledger with a membership log (docs/internals/membership-rules.md, "Keys"). */
export interface LogRotation {
  /** The text of the record. */
  readonly text: string;
  /** The field `rot` of the entry: the id of the new key, and the hash of the text. */
  readonly rot: Uint8Array;
  readonly next: LedgerKey;
}

export interface LogRotationParts extends Omit<GrantParts, 'keys'> {
  /** The sealing keys that the rules of the log give. */
  readonly recipients: readonly Uint8Array[];
  /** The field `prev` of the entry that will contain the rotation. */
  readonly prev: readonly Uint8Array[];
  /** The keys of all key entries that no key entry follows (D2). */
  readonly back: readonly LedgerKey[];
}

/**
 * Creates the record of a rotation in a ledger with a membership log.
 * @throws FixpointError CORRUPT if a recipient isn't a public key; LIMIT_REACHED
 */
export async function makeLogRotation(parts: LogRotationParts): Promise<LogRotation> {
  const { ledger, random, current, recipients, prev, back } = parts;
  const next = ledgerKey(random.bytes(KEY_BYTES));
  const pair = await newPair(random.bytes(KEY_BYTES));
  const eph = pair.publicKey;
  const boxes: Uint8Array[] = [];
  for (const pub of recipients) boxes.push(await sealBox(ledger, pair, current.id, next, pub));
  const body = { t: 'rotate', key: next.id, prev: current.id, pubs: recipients, eph, boxes } as const;
  const nonce = random.bytes(NONCE_BYTES);
  const bound = onceBound(ledger, body, prev);
  const once = await aesGcm.encrypt(await onceKey(next), nonce, pair.both.subarray(0, KEY_BYTES), bound);
  const text = encodeRecord({
    ...body,
    proof: await prove(ledger, body, current, random),
    back: await sealKeys(ledger, next, back, random),
    once: concatBytes([nonce, once]),
  });
  return { text, rot: concatBytes([next.id, sha256(utf8(text))]), next };
}

/**
 * Returns whether all boxes of a record contain this key (D3). Every device that has the key gets
 * the same result.
 * @param prev the field `prev` of the entry that contains the rotation
 * @throws FixpointError NOT_IMPLEMENTED if this platform can't check signatures
 */
export async function isSealedForAll(
  ledger: Uint8Array,
  record: RotateRecord,
  prev: readonly Uint8Array[],
  next: LedgerKey,
): Promise<boolean> {
  if (record.once === undefined || !equalBytes(record.key, next.id)) return false;
  const pair = await openOnce(ledger, record, record.once, prev, next);
  if (pair === undefined) return false;
  for (const [at, pub] of record.pubs.entries()) {
    const box = await sealBox(ledger, pair, record.prev, next, pub);
    if (!equalBytes(box, record.boxes[at] as Uint8Array)) return false;
  }
  return true;
}

/** Returns the pair of `eph`; undefined unless `once` contains its private key. */
async function openOnce(
  ledger: Uint8Array,
  record: RotateRecord,
  once: Uint8Array,
  prev: readonly Uint8Array[],
  next: LedgerKey,
): Promise<KeyPair | undefined> {
  const [nonce, data] = [once.subarray(0, NONCE_BYTES), once.subarray(NONCE_BYTES)];
  const bound = onceBound(ledger, record, prev);
  const scalar = await aesGcm.decrypt(await onceKey(next), nonce, data, bound).catch(() => undefined);
  if (scalar === undefined) return undefined;
  const both = concatBytes([scalar, record.eph]);
  // Platforms differ in whether they check that both keys of a pair belong together. A signature
  // shows it on all of them, also for the key that differs only in its sign.
  const signer = await signerOf(both).catch((cause) => {
    if (isFixpointError(cause, 'CORRUPT')) return undefined;
    throw cause;
  });
  if (signer === undefined) return undefined;
  const signed = utf8('fixpoint rotate pair 1');
  const isPair = await isSignedBy(signer.publicKey, signed, await signer.sign(signed));
  if (isPair === undefined) throw new FixpointError('NOT_IMPLEMENTED', 'signatures');
  return isPair ? pairOf(both) : undefined;
}

/** Binds `once` to its ledger, its keys, and the place of its entry in the log. */
const onceBound = (
  ledger: Uint8Array,
  { key, prev: former, eph }: Pick<RotateRecord, 'key' | 'prev' | 'eph'>,
  prev: readonly Uint8Array[],
) => encode([1, 'once', ledger, key, former, eph, [...prev]]);

const onceKey = ({ material }: LedgerKey) =>
  aesGcm.derive(material, new Uint8Array(), 'fixpoint rotate once 1');

/** Returns the key of a rotation that lists this pair; undefined when its box doesn't open. */
export async function openRotation(
  ledger: Uint8Array,
  { key, prev, eph }: RotateRecord,
  box: Uint8Array,
  pair: KeyPair,
): Promise<LedgerKey | undefined> {
  try {
    const pub = pair.publicKey;
    const kek = await rotateKey(await pair.agree(eph), eph, pub);
    return ledgerKey(
      await aesGcm.decrypt(kek, NONCE_ZERO, box, encode([1, 'rotate', ledger, key, prev, pub])),
    );
  } catch {
    return undefined;
  }
}

const rotateKey = (shared: Uint8Array, eph: Uint8Array, pub: Uint8Array) =>
  aesGcm.derive(shared, concatBytes([eph, pub]), 'fixpoint rotate 1');
