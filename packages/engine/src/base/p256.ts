/**
 * Key agreement over P-256, with the runtime's own module in Node and WebCrypto in a browser. In a
 * browser, private keys are exported, so that the key bag can wrap and store them.
 */
import { FixpointError } from '@fixpoint/protocol';
import { builtin } from './builtin.ts';

const SCALAR_BYTES = 32;

export interface KeyPair {
  /** Uncompressed, 65 bytes. */
  readonly publicKey: Uint8Array;
  /**
   * Returns the shared secret, 32 bytes.
   * @throws FixpointError CORRUPT when the argument isn't a public key
   */
  agree(publicKey: Uint8Array): Promise<Uint8Array>;
}

export interface OpenKeyPair extends KeyPair {
  /** The private key (32 bytes), then the public key. */
  readonly both: Uint8Array;
}

interface NodeEcdh {
  setPrivateKey(key: Uint8Array): void;
  getPublicKey(): Uint8Array;
  computeSecret(publicKey: Uint8Array): Uint8Array;
}
const node = builtin('node:crypto') as { createECDH?(curve: string): NodeEcdh } | undefined;
const CURVE = { name: 'ECDH', namedCurve: 'P-256' };

const notAKey = (cause: unknown) => new FixpointError('CORRUPT', 'not a key of P-256', { cause });
const owned = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;

/**
 * Creates a key pair.
 * @param scalar 32 random bytes for the private key; a browser ignores them and generates its own
 */
export async function newPair(scalar: Uint8Array): Promise<OpenKeyPair> {
  if (node?.createECDH !== undefined) return pairOf(scalar);
  const pair = await crypto.subtle.generateKey(CURVE, true, ['deriveBits']);
  const { d, x, y } = await crypto.subtle.exportKey('jwk', pair.privateKey);
  return pairOf(Uint8Array.of(...fromText(d), 4, ...fromText(x), ...fromText(y)));
}

/**
 * Loads a key pair.
 * @param both the private key, then the public key, which Node ignores
 * @throws FixpointError CORRUPT
 */
export async function pairOf(both: Uint8Array): Promise<OpenKeyPair> {
  if (node?.createECDH === undefined) {
    const { privateKey, publicKey } = await importPair(both);
    return { ...webPair(privateKey, publicKey), both };
  }
  const ecdh = node.createECDH('prime256v1');
  try {
    ecdh.setPrivateKey(both.subarray(0, SCALAR_BYTES));
  } catch (cause) {
    throw notAKey(cause);
  }
  const publicKey = Uint8Array.from(ecdh.getPublicKey());
  return {
    publicKey,
    both: Uint8Array.of(...both.subarray(0, SCALAR_BYTES), ...publicKey),
    agree: async (other) => {
      try {
        return Uint8Array.from(ecdh.computeSecret(other));
      } catch (cause) {
        throw notAKey(cause);
      }
    },
  };
}

/** Returns a pair that uses WebCrypto. */
function webPair(privateKey: CryptoKey, publicKey: Uint8Array): KeyPair {
  return {
    publicKey,
    agree: async (other) => {
      try {
        const key = await crypto.subtle.importKey('raw', owned(other), CURVE, false, []);
        const bits = await crypto.subtle.deriveBits({ name: 'ECDH', public: key }, privateKey, 256);
        return new Uint8Array(bits);
      } catch (cause) {
        throw notAKey(cause);
      }
    },
  };
}

async function importPair(both: Uint8Array) {
  const publicKey = both.slice(SCALAR_BYTES);
  try {
    const privateKey = await crypto.subtle.importKey('jwk', jwkOf(both), CURVE, false, ['deriveBits']);
    return { publicKey, privateKey };
  } catch (cause) {
    throw notAKey(cause);
  }
}

/** @param both the private key, then the public one */
export function jwkOf(both: Uint8Array): JsonWebKey {
  const [d, x, y] = [both.slice(0, 32), both.slice(33, 65), both.slice(65)].map(toText);
  return { kty: 'EC', crv: CURVE.namedCurve, d, x, y } as JsonWebKey;
}

const toText = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const fromText = (text = ''): Uint8Array =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
