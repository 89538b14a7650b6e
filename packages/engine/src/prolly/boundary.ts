import { sha256 } from '../codec/sha256.ts';

/** Entries of a node, on average. */
const ENTRIES_MEAN = 30;
const LIMIT = Math.floor(0xffffffff / ENTRIES_MEAN);

/** Does this entry end its node? Its bytes alone decide, so nodes begin and end at the same entries in every tree that holds them. */
export function endsNode(entryBytes: Uint8Array): boolean {
  const digest = sha256(entryBytes);
  const last = new DataView(digest.buffer, digest.byteOffset + digest.length - 4, 4);
  return last.getUint32(0, true) <= LIMIT;
}
