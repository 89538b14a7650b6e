/**
 * Signatures: ECDSA over P-256 with SHA-256, by WebCrypto. A signature has 64 bytes: `r` and the
 * lower of the two possible values of `s`, so that nobody can change a signature without the
 * private key. Public keys are compressed.
 */
import { FixpointError } from '@fixpoint/protocol';
import { P256_ORDER as ORDER, SIGNING_KEY_BYTES, type Signer } from '@fixpoint/protocol/storage';
import { concatBytes, hex } from './bytes.ts';
import { jwkOf } from './p256.ts';

export { isSignedBy, SIGNATURE_BYTES, SIGNING_KEY_BYTES, type Signer } from '@fixpoint/protocol/storage';

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };
const HASH = { name: 'ECDSA', hash: 'SHA-256' };
const NUMBER_BYTES = 32;

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
