import { LIMITS } from '@fixpoint/protocol';
import { sha256 } from '../codec/sha256.ts';

/** Nodes have so many entries, on average. */
const LIMIT = Math.floor(0xffffffff / LIMITS.chunkingThreshold);

/** Does this entry end its node? Its bytes alone decide, so nodes begin and end at the same entries in every tree that holds them. */
export function endsNode(entryBytes: Uint8Array): boolean {
  const digest = sha256(entryBytes);
  const byte = (behind: number) => digest[digest.length - behind] as number;
  return ((byte(1) << 24) | (byte(2) << 16) | (byte(3) << 8) | byte(4)) >>> 0 <= LIMIT;
}
