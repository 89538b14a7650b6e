/**
 * A sealed archive: CBOR `{iv: 12 bytes, data: cipher text and 16-byte tag, keyId: 32 bytes}`, AES-GCM without additional data. The IV folds the
 * multihash of the plain bytes into 12 bytes, so sealing is deterministic; a reader computes it again and refuses another one.
 */
import { FixpointError } from '@fixpoint/protocol';
import { equalBytes } from '../base/bytes.ts';
import { decodeMap, encode } from '../codec/dag-cbor.ts';
import { sha256 } from '../codec/sha256.ts';
import { base58Bytes, base58Text } from './base58.ts';
import type { DataKey, Keys } from './keys.ts';

const IV_BYTES = 12;

export async function seal(plain: Uint8Array, key: DataKey): Promise<Uint8Array> {
  const iv = ivOf(plain);
  const data = new Uint8Array(
    await crypto.subtle.encrypt({ name: 'AES-GCM', iv: owned(iv) }, await aesKey(key), owned(plain)),
  );
  return encode({ iv, data, keyId: base58Bytes(key.id) });
}

/** @throws FixpointError KEY_UNKNOWN when none of the keys sealed this; CORRUPT when it was changed */
export async function open(sealed: Uint8Array, keys: Keys['all']): Promise<Uint8Array> {
  const { iv, data, keyId } = decodeMap(sealed);
  if (!(iv instanceof Uint8Array && data instanceof Uint8Array && keyId instanceof Uint8Array))
    throw new FixpointError('CORRUPT', 'not a sealed archive');
  const key = keys.get(base58Text(keyId));
  if (key === undefined) throw new FixpointError('KEY_UNKNOWN');
  const plain = await decrypt(iv, data, key);
  if (!equalBytes(ivOf(plain), iv)) throw new FixpointError('CORRUPT', 'iv missmatch');
  return plain;
}

async function decrypt(iv: Uint8Array, data: Uint8Array, key: DataKey): Promise<Uint8Array> {
  try {
    return new Uint8Array(
      await crypto.subtle.decrypt({ name: 'AES-GCM', iv: owned(iv) }, await aesKey(key), owned(data)),
    );
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'archive does not open', { cause });
  }
}

function ivOf(plain: Uint8Array): Uint8Array {
  const iv = new Uint8Array(IV_BYTES);
  [0x12, 0x20, ...sha256(plain)].forEach((byte, at) => {
    iv[at % IV_BYTES] = (iv[at % IV_BYTES] ?? 0) ^ byte;
  });
  return iv;
}

const imported = new WeakMap<DataKey, Promise<CryptoKey>>();

function aesKey(key: DataKey): Promise<CryptoKey> {
  const known = imported.get(key);
  if (known !== undefined) return known;
  const made = crypto.subtle.importKey('raw', owned(key.material), 'AES-GCM', false, ['encrypt', 'decrypt']);
  imported.set(key, made);
  return made;
}

/** WebCrypto takes bytes over an ordinary buffer alone, which these are. */
const owned = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;
