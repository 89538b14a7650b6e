/**
 * Creates and opens grants, and creates and checks proofs that a sender knows a key:
 * `docs/internals/sealed-ledgers.md`, "Key records".
 */
import type { GrantRecord, RotateRecord } from '@fixpoint/protocol/storage';
import { concatBytes, utf8 } from '../base/bytes.ts';
import { type KeyPair, newPair, type OpenKeyPair, pairOf } from '../base/p256.ts';
import { type Signer, signerOf } from '../base/signatures.ts';
import { asArray, decode, encode } from '../codec/dag-cbor.ts';
import { sha256 } from '../codec/sha256.ts';
import type { Random } from '../ports/random.ts';
import { aesGcm } from './aes-gcm.ts';
import { type LedgerKey, ledgerKey } from './sealed-object.ts';
import { decodeCode, encodeCode } from './secret-code.ts';

const NOTHING = new Uint8Array();
/** A nonce of zeros. It is safe, because each key that is used with it encrypts only once. */
export const NONCE_ZERO = new Uint8Array(12);
const NONCE_BYTES = 12;
const KEY_BYTES = 32;
const LOG_BYTES = 32;
/** Makes the item longer than a key, so that earlier versions ignore it. */
const LOG_MARK = Uint8Array.of(1);
const DEVICE_BYTES = 16;
/**
 * Maximum number of keys in a grant. The record then fits in the 8,192 characters that the gateway
 * accepts from read-only members.
 */
export const GRANT_KEYS_MAX = 140;

export const deviceIdOf = (pub: Uint8Array): Uint8Array =>
  sha256(concatBytes([utf8('fixpoint device 1'), pub])).slice(0, DEVICE_BYTES);

/**
 * The secret of grants to seats of a membership log (docs/internals/membership-rules.md, D4). It
 * isn't secret: the log says whose public key it is, and which keys the device accepts.
 */
export const SEAT_SECRET = new Uint8Array();

export interface GrantParts {
  readonly ledger: Uint8Array;
  readonly random: Random;
  /** The current key first, then keys that no record leads to, then others. */
  readonly keys: readonly LedgerKey[];
  readonly current: LedgerKey;
  /** The id of the ledger's membership log: 32 bytes (docs/internals/membership-rules.md, L2). */
  readonly log?: Uint8Array;
}

/**
 * Creates a grant. @param secret known only to this device and the device that receives the grant
 */
export async function makeGrant(
  { ledger, random, keys, current, log }: GrantParts,
  pub: Uint8Array,
  secret: Uint8Array,
  locked?: Uint8Array,
): Promise<GrantRecord> {
  const once = await newPair(random.bytes(32));
  const eph = once.publicKey;
  const kek = await grantKey(await once.agree(pub), secret, eph, pub);
  const materials = keys.slice(0, GRANT_KEYS_MAX).map(({ material }) => material);
  const payload = encode(log === undefined ? materials : [...materials, concatBytes([LOG_MARK, log])]);
  const box = await aesGcm.encrypt(kek, NONCE_ZERO, payload, encode([1, 'grant', ledger, pub, eph]));
  const body = { t: 'grant', key: current.id, pub, eph, box, ...(locked && { locked }) } as const;
  return { ...body, proof: await prove(ledger, body, current, random) };
}

/**
 * Returns the keys of a grant to this pair; undefined when the pair or the secret doesn't match.
 */
export async function openGrant(
  ledger: Uint8Array,
  record: GrantRecord,
  pair: KeyPair,
  secret: Uint8Array,
): Promise<readonly LedgerKey[] | undefined> {
  const items = await itemsOf(ledger, record, pair, secret);
  return items?.filter(({ length }) => length === KEY_BYTES).map(ledgerKey);
}

/**
 * Returns the id of the membership log in a grant to this pair; undefined if the grant has none, or
 * if the pair or the secret doesn't match.
 */
export async function logInGrant(
  ledger: Uint8Array,
  record: GrantRecord,
  pair: KeyPair,
  secret: Uint8Array,
): Promise<Uint8Array | undefined> {
  const items = await itemsOf(ledger, record, pair, secret);
  const item = items?.find((one) => one.length === 1 + LOG_BYTES && one[0] === LOG_MARK[0]);
  return item?.slice(1);
}

async function itemsOf(
  ledger: Uint8Array,
  { pub, eph, box }: GrantRecord,
  pair: KeyPair,
  secret: Uint8Array,
): Promise<readonly Uint8Array[] | undefined> {
  try {
    const kek = await grantKey(await pair.agree(eph), secret, eph, pub);
    const payload = await aesGcm.decrypt(kek, NONCE_ZERO, box, encode([1, 'grant', ledger, pub, eph]));
    return asArray(decode(payload)).filter((one): one is Uint8Array => one instanceof Uint8Array);
  } catch {
    return undefined;
  }
}

const grantKey = (shared: Uint8Array, secret: Uint8Array, eph: Uint8Array, pub: Uint8Array) =>
  aesGcm.derive(concatBytes([shared, secret]), concatBytes([eph, pub]), 'fixpoint grant 1');

/** Proves that the sender of a record knows the key. */
export const prove = (
  ledger: Uint8Array,
  body: object,
  key: LedgerKey,
  random: Random,
): Promise<Uint8Array> =>
  sealNothing(key, 'fixpoint proof 1', encode([1, 'proof', ledger, { ...body }]), random);

/**
 * Proves that the author of a membership log knows its first data key.
 * @param entry the bytes of `start` without the proof and the signatures that cover it
 */
export const proveStart = (
  ledger: Uint8Array,
  entry: Uint8Array,
  key: LedgerKey,
  random: Random,
): Promise<Uint8Array> => sealNothing(key, START, encode([1, 'start', ledger, entry]), random);

/** Returns whether a proof is one that {@link proveStart} made for this entry. */
export const isStartProof = (
  ledger: Uint8Array,
  entry: Uint8Array,
  key: LedgerKey,
  proof: Uint8Array,
): Promise<boolean> => opensNothing(key, START, encode([1, 'start', ledger, entry]), proof);

const START = 'fixpoint start 1';

/** Encrypts nothing, so the result is a nonce and a tag that only the key can create. */
async function sealNothing(key: LedgerKey, purpose: string, bound: Uint8Array, random: Random) {
  const nonce = random.bytes(NONCE_BYTES);
  const material = await aesGcm.derive(key.material, NOTHING, purpose);
  return concatBytes([nonce, await aesGcm.encrypt(material, nonce, NOTHING, bound)]);
}

async function opensNothing(key: LedgerKey, purpose: string, bound: Uint8Array, proof: Uint8Array) {
  const material = await aesGcm.derive(key.material, NOTHING, purpose);
  return aesGcm.decrypt(material, proof.subarray(0, NONCE_BYTES), proof.subarray(NONCE_BYTES), bound).then(
    () => true,
    () => false,
  );
}

export async function isProven(
  ledger: Uint8Array,
  record: GrantRecord | RotateRecord,
  key: LedgerKey,
): Promise<boolean> {
  // The proof doesn't cover `back` and `once`, which earlier versions don't know. The key that
  // sealed them authenticates them.
  const { proof, back: _back, once: _once, ...body } = { back: undefined, once: undefined, ...record };
  return opensNothing(key, 'fixpoint proof 1', encode([1, 'proof', ledger, body]), proof);
}

export async function lockPair(
  ledger: Uint8Array,
  { both }: OpenKeyPair,
  secret: Uint8Array,
): Promise<Uint8Array> {
  const kek = await aesGcm.derive(secret, NOTHING, 'fixpoint recovery 1');
  return aesGcm.encrypt(kek, NONCE_ZERO, both, encode([1, 'recovery', ledger]));
}

/** Returns the pair; undefined when the secret doesn't match. */
export async function unlockPair(
  ledger: Uint8Array,
  locked: Uint8Array,
  secret: Uint8Array,
): Promise<OpenKeyPair | undefined> {
  const kek = await aesGcm.derive(secret, NOTHING, 'fixpoint recovery 1');
  try {
    return await pairOf(await aesGcm.decrypt(kek, NONCE_ZERO, locked, encode([1, 'recovery', ledger])));
  } catch {
    return undefined;
  }
}

const PAIR_BYTES = 97;
const RECOVERY_BYTES = 20;

/**
 * The recovery code of a ledger with a membership log. One of its key pairs receives data keys, and
 * the other one signs entries (docs/internals/membership-rules.md, L1 and J4).
 */
export interface LogRecovery {
  /** The text that the user keeps. */
  readonly code: string;
  readonly secret: Uint8Array;
  readonly sealing: OpenKeyPair;
  readonly signing: OpenKeyPair;
  /** Signs with `signing`. */
  readonly signer: Signer;
}

/** Returns a new code, which opens nothing before a ledger has it. */
export const newLogCode = (random: Random): string => encodeCode(random.bytes(RECOVERY_BYTES));

/**
 * Creates the pairs of a code. The ledger has it once an entry of the log introduces its keys, and
 * its grant is in the list.
 * @throws FixpointError REQUEST_INVALID if the code is mistyped; NOT_IMPLEMENTED if this platform
 * can't sign
 */
export async function newLogRecovery(random: Random, code = newLogCode(random)): Promise<LogRecovery> {
  const secret = decodeCode(code, RECOVERY_BYTES);
  const [sealing, signing] = [await newPair(random.bytes(32)), await newPair(random.bytes(32))];
  return { code, secret, sealing, signing, signer: await signerOf(signing.both) };
}

/** Returns the grant to a code. @param grant with the id of the log */
export const grantToRecovery = async (
  grant: GrantParts & { readonly log: Uint8Array },
  { secret, sealing, signing }: Pick<LogRecovery, 'secret' | 'sealing' | 'signing'>,
): Promise<GrantRecord> =>
  makeGrant(grant, sealing.publicKey, secret, await lockPairs(grant.ledger, [sealing, signing], secret));

/** Encrypts both pairs of a code for a person who has its secret. */
async function lockPairs(
  ledger: Uint8Array,
  [sealing, signing]: readonly [OpenKeyPair, OpenKeyPair],
  secret: Uint8Array,
): Promise<Uint8Array> {
  const both = concatBytes([sealing.both, signing.both]);
  return aesGcm.encrypt(await lockKey(secret), NONCE_ZERO, both, bound(ledger));
}

/**
 * Opens the field `locked` of a grant to a code.
 * @returns the pairs of the code; undefined if the secret doesn't match, or if the field isn't one
 * of a ledger with a log
 */
export async function unlockPairs(
  ledger: Uint8Array,
  locked: Uint8Array,
  secret: Uint8Array,
): Promise<Pick<LogRecovery, 'sealing' | 'signing'> | undefined> {
  const key = await lockKey(secret);
  const both = await aesGcm.decrypt(key, NONCE_ZERO, locked, bound(ledger)).catch(() => undefined);
  if (both?.length !== 2 * PAIR_BYTES) return undefined;
  try {
    return {
      sealing: await pairOf(both.slice(0, PAIR_BYTES)),
      signing: await pairOf(both.slice(PAIR_BYTES)),
    };
  } catch {
    return undefined;
  }
}

/** Differs from the key of a code with one pair, so that both never encrypt under one key. */
const lockKey = (secret: Uint8Array) => aesGcm.derive(secret, NOTHING, 'fixpoint recovery 2');

const bound = (ledger: Uint8Array) => encode([2, 'recovery', ledger]);
