import { builtin } from '../base/builtin.ts';
import { DIGEST_BYTES, RunningSha256InScript, sha256InScript } from './sha256-script.ts';

interface NodeHash {
  update(bytes: Uint8Array): NodeHash;
  digest(encoding: 'latin1'): string;
}
interface NodeCrypto {
  createHash(algorithm: string): NodeHash;
  hash?(algorithm: string, bytes: Uint8Array, encoding: 'latin1'): string;
}

const node = builtin('node:crypto') as NodeCrypto | undefined;

/**
 * Computes SHA-256 synchronously. For a small block, a call to WebCrypto would cost twenty times as
 * much as the hash itself.
 */
export const sha256: (bytes: Uint8Array) => Uint8Array = node?.createHash ? nodeSha256(node) : sha256InScript;

/** Below this length, a call to the platform costs more than the hash. */
const LONG_BYTES = 32_768;

/**
 * Computes SHA-256 of content that may be long. Long content is hashed by the platform, which is
 * many times faster than JavaScript and doesn't block the page.
 */
export async function sha256OfLong(bytes: Uint8Array): Promise<Uint8Array> {
  const subtle = globalThis.crypto?.subtle;
  if (node !== undefined || bytes.length < LONG_BYTES || subtle === undefined) return sha256(bytes);
  return new Uint8Array(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
}

export interface RunningSha256 {
  update(bytes: Uint8Array): void;
  digest(): Uint8Array;
}

/** Returns an object that computes SHA-256 of content that arrives in pieces. */
export function runningSha256(): RunningSha256 {
  const hash = node?.createHash('sha256');
  if (hash === undefined) return new RunningSha256InScript();
  return {
    update: (bytes) => void hash.update(bytes),
    digest: () => bytesOfLatin1(hash.digest('latin1')),
  };
}

/**
 * Requests digests as text. A Buffer would cost much more, because its memory is outside the
 * JavaScript heap.
 */
function nodeSha256({ hash, createHash }: NodeCrypto): (bytes: Uint8Array) => Uint8Array {
  const digest =
    hash === undefined
      ? (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('latin1')
      : (bytes: Uint8Array) => hash('sha256', bytes, 'latin1');
  return (bytes) => bytesOfLatin1(digest(bytes));
}

function bytesOfLatin1(text: string): Uint8Array {
  const result = new Uint8Array(DIGEST_BYTES);
  for (let at = 0; at < DIGEST_BYTES; at++) result[at] = text.charCodeAt(at);
  return result;
}
