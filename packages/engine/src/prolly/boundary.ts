import { LIMITS } from '@fixpoint/protocol';
import { sha256 } from '../codec/sha256.ts';

/** Average entries of a node, as a threshold for hashes. */
const LIMIT = Math.floor(0xffffffff / LIMITS.chunkingThreshold);

/**
 * Returns whether this entry ends its node. Only its bytes decide, so every tree that contains the
 * same entries splits at them.
 */
export function endsNode(entryBytes: Uint8Array): boolean {
  const digest = sha256(entryBytes);
  const byte = (behind: number) => digest[digest.length - behind] as number;
  return ((byte(1) << 24) | (byte(2) << 16) | (byte(3) << 8) | byte(4)) >>> 0 <= LIMIT;
}
