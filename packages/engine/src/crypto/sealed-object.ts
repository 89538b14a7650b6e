/** Seals and opens objects of a sealed ledger: `docs/internals/sealed-ledgers.md`, "Objects". */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { concatBytes, equalBytes, hex, utf8 } from '../base/bytes.ts';
import { encode } from '../codec/dag-cbor.ts';
import { sha256 } from '../codec/sha256.ts';
import type { Random } from '../ports/random.ts';
import { aesGcm, TAG_BYTES } from './aes-gcm.ts';

const MARK = Uint8Array.of(0x53, 1);
const ID_BYTES = 16;
const SALT_BYTES = 32;
const NONCE_BYTES = 12;
const HEAD_BYTES = MARK.length + ID_BYTES + SALT_BYTES + NONCE_BYTES;
const PURPOSE = 'fixpoint object 1';

/** A data key of a sealed ledger. */
export interface LedgerKey {
  readonly material: Uint8Array;
  readonly id: Uint8Array;
  /** The id as hex text. */
  readonly name: string;
}

export function ledgerKey(material: Uint8Array): LedgerKey {
  const id = sha256(concatBytes([utf8('fixpoint ledger key 1'), material])).slice(0, ID_BYTES);
  return { material, id, name: hex(id) };
}

/** Returns the gateway's name for these bytes. */
export const objectName = (sealed: Uint8Array): string => `s${hex(sha256(sealed))}`;

const boundTo = (ledger: Uint8Array, store: string, id: Uint8Array) => encode([1, ledger, store, id]);

/** Seals an object. @param ledger identifies its ledger, as bytes */
export async function sealObject(
  ledger: Uint8Array,
  store: string,
  plain: Uint8Array,
  key: LedgerKey,
  random: Random,
): Promise<Uint8Array> {
  const [salt, nonce] = [random.bytes(SALT_BYTES), random.bytes(NONCE_BYTES)];
  const subkey = await aesGcm.derive(key.material, salt, PURPOSE);
  const head = concatBytes([MARK, key.id, salt, nonce]);
  return aesGcm.encrypt(subkey, nonce, plain, boundTo(ledger, store, key.id), [head, new Uint8Array()]);
}

/**
 * Opens an object.
 * @param name of the object at the gateway
 * @throws FixpointError CORRUPT; KEY_UNKNOWN when none of the keys sealed the object; FORMAT_NEWER
 */
export async function openObject(
  ledger: Uint8Array,
  store: string,
  name: string,
  sealed: Uint8Array,
  keys: ReadonlyMap<string, LedgerKey>,
): Promise<Uint8Array> {
  if (objectName(sealed) !== name) throw new FixpointError('CORRUPT', `object ${name} has other content`);
  if (sealed[0] !== MARK[0] || sealed.length < HEAD_BYTES + TAG_BYTES)
    throw new FixpointError('CORRUPT', 'not a sealed object');
  if (!equalBytes(sealed.subarray(0, MARK.length), MARK))
    throw new FixpointError('FORMAT_NEWER', 'sealed object');
  const id = sealed.subarray(MARK.length, MARK.length + ID_BYTES);
  const salt = sealed.subarray(MARK.length + ID_BYTES, HEAD_BYTES - NONCE_BYTES);
  const key = keys.get(hex(id));
  if (key === undefined) throw new FixpointError('KEY_UNKNOWN', 'sealed object');
  try {
    const subkey = await aesGcm.derive(key.material, salt, PURPOSE);
    const nonce = sealed.subarray(HEAD_BYTES - NONCE_BYTES, HEAD_BYTES);
    return await aesGcm.decrypt(subkey, nonce, sealed.subarray(HEAD_BYTES), boundTo(ledger, store, id));
  } catch (cause) {
    if (isFixpointError(cause)) throw cause;
    throw new FixpointError('CORRUPT', 'sealed object does not open', { cause });
  }
}
