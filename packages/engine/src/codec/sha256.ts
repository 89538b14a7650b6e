import { sha256 as portableSha256 } from '@noble/hashes/sha2.js';

interface NodeHash {
  update(bytes: Uint8Array): NodeHash;
  digest(): Uint8Array;
}
interface NodeCrypto {
  createHash(algorithm: string): NodeHash;
}
interface NodeProcess {
  getBuiltinModule?(name: string): unknown;
}

const node = (globalThis as { process?: NodeProcess }).process?.getBuiltinModule?.('node:crypto') as
  | NodeCrypto
  | undefined;

/** SHA-256, synchronous: a call to WebCrypto for each small block would cost twenty times the hash itself. */
export const sha256: (bytes: Uint8Array) => Uint8Array = node
  ? (bytes) => new Uint8Array(node.createHash('sha256').update(bytes).digest())
  : portableSha256;
