/**
 * AES-GCM with a tag of 128 bits behind the cipher text, and no additional data. In Node the runtime's own ciphers: a call to WebCrypto goes
 * through a thread pool there and costs ten times as much for a small archive.
 */
import { FixpointError } from '@fixpoint/protocol';
import { builtin } from '../base/builtin.ts';
import { concatBytes } from '../base/bytes.ts';

export const TAG_BYTES = 16;

export interface AesGcm {
  encrypt(material: Uint8Array, iv: Uint8Array, plain: Uint8Array): Promise<Uint8Array>;
  /** @throws whatever the platform throws when the tag does not fit */
  decrypt(material: Uint8Array, iv: Uint8Array, data: Uint8Array): Promise<Uint8Array>;
}

interface NodeCipher {
  update(bytes: Uint8Array): Uint8Array;
  final(): Uint8Array;
  getAuthTag(): Uint8Array;
  setAuthTag(tag: Uint8Array): void;
}
interface NodeCrypto {
  createCipheriv(name: string, material: Uint8Array, iv: Uint8Array): NodeCipher;
  createDecipheriv(name: string, material: Uint8Array, iv: Uint8Array, options: object): NodeCipher;
}

const node = builtin('node:crypto') as NodeCrypto | undefined;

export const aesGcm: AesGcm = node?.createCipheriv ? nodeAesGcm(node) : webAesGcm();

function nodeAesGcm({ createCipheriv, createDecipheriv }: NodeCrypto): AesGcm {
  const nameOf = (material: Uint8Array) => `aes-${material.length * 8}-gcm`;
  return {
    encrypt: async (material, iv, plain) => {
      const cipher = createCipheriv(nameOf(material), material, iv);
      return concatBytes([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt: async (material, iv, data) => {
      const cipher = createDecipheriv(nameOf(material), material, iv, { authTagLength: TAG_BYTES });
      cipher.setAuthTag(data.subarray(data.length - TAG_BYTES));
      return concatBytes([cipher.update(data.subarray(0, data.length - TAG_BYTES)), cipher.final()]);
    },
  };
}

/** The ciphers of the browser. */
export function webAesGcm(): AesGcm {
  const imported = new WeakMap<Uint8Array, Promise<CryptoKey>>();
  const subtle = (): SubtleCrypto => {
    const found = (globalThis.crypto as Crypto | undefined)?.subtle;
    if (found === undefined)
      throw new FixpointError(
        'NOT_IMPLEMENTED',
        'encryption here: the page must come over https or from localhost',
      );
    return found;
  };
  const keyOf = (material: Uint8Array): Promise<CryptoKey> => {
    const known = imported.get(material);
    if (known !== undefined) return known;
    const made = subtle().importKey('raw', owned(material), 'AES-GCM', false, ['encrypt', 'decrypt']);
    imported.set(material, made);
    return made;
  };
  return {
    encrypt: async (material, iv, plain) =>
      new Uint8Array(
        await subtle().encrypt({ name: 'AES-GCM', iv: owned(iv) }, await keyOf(material), owned(plain)),
      ),
    decrypt: async (material, iv, data) =>
      new Uint8Array(
        await subtle().decrypt({ name: 'AES-GCM', iv: owned(iv) }, await keyOf(material), owned(data)),
      ),
  };
}

/** WebCrypto takes bytes over an ordinary buffer alone, which these are. */
const owned = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;
