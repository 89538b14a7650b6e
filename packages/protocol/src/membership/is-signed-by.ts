/** Checks signatures: ECDSA over P-256 with SHA-256, by WebCrypto, with compressed public keys. */
import { bytesOfHex, hex } from './bytes.ts';

export const SIGNATURE_BYTES = 64;
export const SIGNING_KEY_BYTES = 33;

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };
const HASH = { name: 'ECDSA', hash: 'SHA-256' };
/** The order of the curve. */
export const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** A valid compressed key: the base point of the curve (SEC 2, 2.4.2). */
const RIGHT_KEY = /* @__PURE__ */ bytesOfHex(
  '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296',
);

/**
 * Returns whether a signature is valid. Returns undefined if this platform can't check signatures.
 * @param publicKey compressed
 */
export async function isSignedBy(
  publicKey: Uint8Array,
  bytes: Uint8Array,
  signature: Uint8Array,
  subtle: Verifier | undefined = globalThis.crypto?.subtle,
): Promise<boolean | undefined> {
  if (subtle === undefined) return undefined;
  if (signature.length !== SIGNATURE_BYTES || 2n * sOf(signature) > P256_ORDER) return false;
  const key = await keyOf(publicKey, subtle);
  if (key === undefined) return (await readsCompressed(subtle)) ? false : undefined;
  return subtle.verify(HASH, key, owned(signature), owned(bytes)).catch(() => false);
}

type Verifier = Pick<SubtleCrypto, 'importKey' | 'verify'>;

const keyOf = (publicKey: Uint8Array, subtle: Verifier): Promise<CryptoKey | undefined> =>
  subtle.importKey('raw', owned(publicKey), CURVE, false, ['verify']).catch(() => undefined);

const probes = new WeakMap<Verifier, Promise<boolean>>();

/**
 * Returns whether the platform can read compressed keys. Other platforms report the same error for
 * such a key as for an invalid key.
 */
function readsCompressed(subtle: Verifier): Promise<boolean> {
  const probe = probes.get(subtle) ?? keyOf(RIGHT_KEY, subtle).then((key) => key !== undefined);
  probes.set(subtle, probe);
  return probe;
}

const sOf = (signature: Uint8Array): bigint => BigInt(`0x${hex(signature.subarray(SIGNATURE_BYTES / 2))}`);

const owned = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;
