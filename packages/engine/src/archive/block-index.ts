/** The block index of an archive as it is stored: for each block 36 bytes of CID, 4 of offset, 4 of length, big-endian. */
import { FixpointError } from '@fixpoint/protocol';
import { CID_BYTES, cidFromBytes, writeCid } from '../codec/cid.ts';
import type { BlockPlace } from './car.ts';

const ENTRY_BYTES = CID_BYTES + 8;

export function encodeBlockIndex(blocks: readonly BlockPlace[]): Uint8Array {
  const bytes = new Uint8Array(blocks.length * ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  blocks.forEach(({ cid, offset, length }, at) => {
    writeCid(cid, bytes, at * ENTRY_BYTES);
    view.setUint32(at * ENTRY_BYTES + CID_BYTES, offset);
    view.setUint32(at * ENTRY_BYTES + CID_BYTES + 4, length);
  });
  return bytes;
}

/** @throws FixpointError CORRUPT */
export function decodeBlockIndex(bytes: Uint8Array): BlockPlace[] {
  if (bytes.length % ENTRY_BYTES !== 0) throw new FixpointError('CORRUPT', 'block index of a wrong length');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, entry) => {
    const at = entry * ENTRY_BYTES;
    return {
      cid: cidFromBytes(bytes.subarray(at, at + CID_BYTES)),
      offset: view.getUint32(at + CID_BYTES),
      length: view.getUint32(at + CID_BYTES + 4),
    };
  });
}
