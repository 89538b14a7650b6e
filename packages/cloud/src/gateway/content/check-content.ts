/**
 * Checks bytes against an object's name. In a sealed ledger the name is the hash of the bytes. In
 * an open-key ledger it is the CID of the archive before encryption, so the check decrypts the
 * bytes with the ledger's keys, which clients store in clear. The check keeps none of the content.
 */
import { createDecipheriv } from 'node:crypto';
import { sealedPartsOf } from '../../objects/sealed-key.ts';
import { keyBytesOf } from '../keys/key-ids.ts';
import { readCid, sha256 } from './content-id.ts';

const TAG_BYTES = 16;
const KEYS_MAX = 50;

/** `unknown` when the name isn't a hash, or the ledger lacks the key that encrypted the bytes. */
export type Content = 'right' | 'wrong' | 'unknown';

export function checkContent(key: string, bytes: Buffer, keys: readonly string[]): Content {
  const hash = /^s([0-9a-f]{64})$/.exec(key)?.[1];
  if (hash !== undefined) return sha256(bytes).toString('hex') === hash ? 'right' : 'wrong';
  const cid = readCid(key);
  if (cid === undefined) return 'unknown';
  const isPlain = (plain: Uint8Array | undefined) => plain !== undefined && sha256(plain).equals(cid.digest);
  if (isPlain(bytes)) return 'right';
  const parts = sealedPartsOf(bytes);
  if (parts === undefined) return 'wrong';
  const known = keys.slice(0, KEYS_MAX).flatMap((text) => keyBytesOf(text) ?? []);
  const named = known.find((material) => sha256(material).equals(parts.keyId));
  if (named !== undefined) return isPlain(opened(parts, named)) ? 'right' : 'wrong';
  // If a key with a different id decrypts the bytes, the stored key id is damaged.
  return known.some((material) => isPlain(opened(parts, material))) ? 'wrong' : 'unknown';
}

function opened({ iv, data }: { iv: Buffer; data: Buffer }, material: Buffer): Buffer | undefined {
  const cipher = { 16: 'aes-128-gcm', 32: 'aes-256-gcm' }[material.length];
  if (cipher === undefined || data.length < TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(cipher as 'aes-128-gcm', material, iv);
    decipher.setAuthTag(data.subarray(data.length - TAG_BYTES));
    return Buffer.concat([decipher.update(data.subarray(0, data.length - TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
