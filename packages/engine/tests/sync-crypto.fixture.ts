/**
 * Computes AES-GCM synchronously instead of on other threads, so that simulated time never advances
 * during the computation, and equal seeds produce equal runs. The bytes equal those of WebCrypto.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';

const TAG_BYTES = 16;
const cipherName = (key: Uint8Array) => (key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm');

interface PlainKey {
  readonly material: Uint8Array;
}

const importOther = crypto.subtle.importKey.bind(crypto.subtle) as (
  ...given: unknown[]
) => Promise<CryptoKey>;

const parts = {
  importKey: async (...given: [string, Uint8Array, ...unknown[]]): Promise<PlainKey | CryptoKey> => {
    const [format, material, algorithm] = given;
    return format === 'raw' && algorithm === 'AES-GCM' ? { material } : importOther(...given);
  },
  encrypt: async ({ iv }: { iv: Uint8Array }, { material }: PlainKey, data: Uint8Array) => {
    const cipher = createCipheriv(cipherName(material), material, iv) as import('node:crypto').CipherGCM;
    return new Uint8Array(Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()])).buffer;
  },
  decrypt: async ({ iv }: { iv: Uint8Array }, { material }: PlainKey, data: Uint8Array) => {
    const decipher = createDecipheriv(
      cipherName(material),
      material,
      iv,
    ) as import('node:crypto').DecipherGCM;
    decipher.setAuthTag(data.subarray(data.length - TAG_BYTES));
    const text = decipher.update(data.subarray(0, data.length - TAG_BYTES));
    return new Uint8Array(Buffer.concat([text, decipher.final()])).buffer;
  },
};

for (const [name, value] of Object.entries(parts))
  Object.defineProperty(crypto.subtle, name, { value, configurable: true });
