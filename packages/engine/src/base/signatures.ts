/**
 * Signatures: ECDSA over P-256 with SHA-256, by WebCrypto. A signature has 64 bytes: `r` and the
 * lower of the two possible values of `s`, so that nobody can change a signature without the
 * private key. Public keys are compressed.
 */
import { FixpointError } from '@fixpoint/protocol';
import { concatBytes, hex } from './bytes.ts';
import { jwkOf } from './p256.ts';

export const SIGNATURE_BYTES = 64;
export const SIGNING_KEY_BYTES = 33;

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };
const HASH = { name: 'ECDSA', hash: 'SHA-256' };
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const NUMBER_BYTES = 32;
/** A valid compressed key: the base point of the curve (SEC 2, 2.4.2). */
const RIGHT_KEY = fromHex('036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296');

export interface Signer {
  /** The compressed public key, 33 bytes. */
  readonly publicKey: Uint8Array;
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/**
 * Loads a signer.
 * @param both the private key (32 bytes), then the uncompressed public key
 * @throws FixpointError CORRUPT; NOT_IMPLEMENTED where WebCrypto is missing, such as in a page
 * without HTTPS
 */
export async function signerOf(both: Uint8Array): Promise<Signer> {
  const subtle = subtleCrypto();
  const key = await subtle.importKey('jwk', jwkOf(both), CURVE, false, ['sign']).catch((cause) => {
    throw new FixpointError('CORRUPT', 'not a signing key', { cause });
  });
  return {
    publicKey: compressed(both.subarray(NUMBER_BYTES)),
    sign: async (bytes) => withLowS(new Uint8Array(await subtle.sign(HASH, key, owned(bytes)))),
  };
}

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
  if (signature.length !== SIGNATURE_BYTES || 2n * sOf(signature) > ORDER) return false;
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

function subtleCrypto(): SubtleCrypto {
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined)
    throw new FixpointError('NOT_IMPLEMENTED', 'signatures without WebCrypto, which needs HTTPS');
  return subtle;
}

function compressed(publicKey: Uint8Array): Uint8Array {
  const isOdd = (publicKey.at(-1) ?? 0) % 2 === 1;
  return concatBytes([Uint8Array.of(isOdd ? 3 : 2), publicKey.subarray(1, SIGNING_KEY_BYTES)]);
}

function withLowS(signature: Uint8Array): Uint8Array {
  const s = sOf(signature);
  if (2n * s <= ORDER) return signature;
  const low = fromHex((ORDER - s).toString(16).padStart(2 * NUMBER_BYTES, '0'));
  return concatBytes([signature.subarray(0, NUMBER_BYTES), low]);
}

function fromHex(digits: string): Uint8Array {
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
  );
}

const sOf = (signature: Uint8Array): bigint => BigInt(`0x${hex(signature.subarray(NUMBER_BYTES))}`);

const owned = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;
