/**
 * AES-GCM with a 128-bit tag after the cipher text, and HKDF with SHA-256 for derived keys. In
 * Node, this module uses Node's ciphers. WebCrypto uses a thread pool there, so it takes ten times
 * as long for a small archive.
 */
import { FixpointError } from '@fixpoint/protocol';
import { builtin } from '../base/builtin.ts';
import { concatBytes, utf8 } from '../base/bytes.ts';

export const TAG_BYTES = 16;
const KEY_BYTES = 32;
const COUNTER_BYTES = 16;
/** The counter of the first block. The tag uses the counter before it. */
const FIRST_COUNT = 2;

const NOTHING_AROUND = [new Uint8Array(), new Uint8Array()] as const;

export interface AesGcm {
  /**
   * Encrypts bytes.
   * @param bound additional data, which isn't part of the result; decrypting needs the same data
   * @param around bytes to return before and after the cipher text, which saves copying it
   */
  encrypt(
    material: Uint8Array,
    iv: Uint8Array,
    plain: Uint8Array,
    bound?: Uint8Array,
    around?: readonly [before: Uint8Array, after: Uint8Array],
  ): Promise<Uint8Array>;
  /** Decrypts bytes. @throws whatever the platform throws when the tag doesn't match */
  decrypt(material: Uint8Array, iv: Uint8Array, data: Uint8Array, bound?: Uint8Array): Promise<Uint8Array>;
  /**
   * Decrypts a part of the cipher text that starts at `at`. This is possible because GCM encrypts
   * in counter mode. No tag covers a part, so use this only when the hash of the plain bytes is
   * known.
   */
  decryptPart(material: Uint8Array, iv: Uint8Array, data: Uint8Array, at: number): Promise<Uint8Array>;
  /** Derives a key of 256 bits for one purpose. */
  derive(material: Uint8Array, salt: Uint8Array, purpose: string): Promise<Uint8Array>;
}

interface NodeCipher {
  update(bytes: Uint8Array): Uint8Array;
  final(): Uint8Array;
  getAuthTag(): Uint8Array;
  setAuthTag(tag: Uint8Array): void;
  setAAD(bound: Uint8Array): void;
}
interface NodeCrypto {
  createCipheriv(name: string, material: Uint8Array, iv: Uint8Array): NodeCipher;
  createDecipheriv(name: string, material: Uint8Array, iv: Uint8Array, options?: object): NodeCipher;
  hkdfSync(
    hash: string,
    material: Uint8Array,
    salt: Uint8Array,
    info: Uint8Array,
    bytes: number,
  ): ArrayBuffer;
}

/** Returns the ciphers of the runtime's own module, or of WebCrypto if there is no such module. */
export const aesGcmOf = (own: NodeCrypto | undefined): AesGcm =>
  own?.createCipheriv ? nodeAesGcm(own) : webAesGcm();

export const aesGcm = aesGcmOf(builtin('node:crypto') as NodeCrypto | undefined);

function nodeAesGcm({ createCipheriv, createDecipheriv, hkdfSync }: NodeCrypto): AesGcm {
  const nameOf = (material: Uint8Array) => `aes-${material.length * 8}-gcm`;
  return {
    encrypt: async (material, iv, plain, bound, [before, after] = NOTHING_AROUND) => {
      const cipher = createCipheriv(nameOf(material), material, iv);
      if (bound !== undefined) cipher.setAAD(bound);
      const parts = [before, cipher.update(plain), cipher.final()];
      return concatBytes([...parts, cipher.getAuthTag(), after]);
    },
    decrypt: async (material, iv, data, bound) => {
      const cipher = createDecipheriv(nameOf(material), material, iv, { authTagLength: TAG_BYTES });
      if (bound !== undefined) cipher.setAAD(bound);
      cipher.setAuthTag(data.subarray(data.length - TAG_BYTES));
      const { buffer, byteOffset, length } = cipher.update(data.subarray(0, data.length - TAG_BYTES));
      cipher.final();
      return new Uint8Array(buffer, byteOffset, length);
    },
    decryptPart: async (material, iv, data, at) => {
      const cipher = createDecipheriv(`aes-${material.length * 8}-ctr`, material, counterAt(iv, at));
      cipher.update(new Uint8Array(at % COUNTER_BYTES));
      return concatBytes([cipher.update(data)]);
    },
    derive: async (material, salt, purpose) =>
      new Uint8Array(hkdfSync('sha256', material, salt, utf8(purpose), KEY_BYTES)),
  };
}

function webAesGcm(): AesGcm {
  const subtle = (): SubtleCrypto => {
    const found = (globalThis.crypto as Crypto | undefined)?.subtle;
    if (found === undefined)
      throw new FixpointError(
        'NOT_IMPLEMENTED',
        'encryption here: the page must come over https or from localhost',
      );
    return found;
  };
  /** Imports a key once for each algorithm. */
  const keysFor = (algorithm: string, uses: readonly KeyUsage[]) => {
    const imported = new WeakMap<Uint8Array, Promise<CryptoKey>>();
    return (material: Uint8Array): Promise<CryptoKey> => {
      const known = imported.get(material);
      if (known !== undefined) return known;
      const made = subtle().importKey('raw', owned(material), algorithm, false, [...uses]);
      imported.set(material, made);
      return made;
    };
  };
  const keyOf = keysFor('AES-GCM', ['encrypt', 'decrypt']);
  const counterKeyOf = keysFor('AES-CTR', ['decrypt']);
  return {
    encrypt: async (material, iv, plain, bound, around) => {
      const data = await subtle().encrypt(gcm(iv, bound), await keyOf(material), owned(plain));
      const bytes = new Uint8Array(data);
      return around === undefined ? bytes : concatBytes([around[0], bytes, around[1]]);
    },
    decrypt: async (material, iv, data, bound) =>
      new Uint8Array(await subtle().decrypt(gcm(iv, bound), await keyOf(material), owned(data))),
    decryptPart: async (material, iv, data, at) => {
      const skipped = at % COUNTER_BYTES;
      const algorithm = { name: 'AES-CTR', counter: owned(counterAt(iv, at)), length: 32 };
      const shifted = concatBytes([new Uint8Array(skipped), data]);
      const plain = await subtle().decrypt(algorithm, await counterKeyOf(material), owned(shifted));
      return new Uint8Array(plain, skipped);
    },
    derive: async (material, salt, purpose) => {
      const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: owned(salt), info: owned(utf8(purpose)) };
      const key = await subtle().importKey('raw', owned(material), 'HKDF', false, ['deriveBits']);
      return new Uint8Array(await subtle().deriveBits(hkdf, key, KEY_BYTES * 8));
    },
  };
}

/** Returns the counter block of GCM at an offset of the plain bytes. */
function counterAt(iv: Uint8Array, at: number): Uint8Array {
  const counter = new Uint8Array(COUNTER_BYTES);
  counter.set(iv);
  new DataView(counter.buffer).setUint32(iv.length, FIRST_COUNT + Math.floor(at / COUNTER_BYTES));
  return counter;
}

const gcm = (iv: Uint8Array, bound: Uint8Array | undefined): AesGcmParams => ({
  name: 'AES-GCM',
  iv: owned(iv),
  ...(bound && { additionalData: owned(bound) }),
});

/**
 * WebCrypto accepts only bytes of a plain ArrayBuffer. All bytes in this module are of that kind.
 */
const owned = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;
