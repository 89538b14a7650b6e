/**
 * Rows that can be derived again: a map as dag-cbor after its SHA-256. So a damaged row is noticed
 * even in a database that isn't encrypted.
 */
import { FixpointError } from '@fixpoint/protocol';
import { concatBytes, equalBytes } from '../base/bytes.ts';
import { decodeMap, encode } from '../codec/dag-cbor.ts';
import { sha256 } from '../codec/sha256.ts';

const HASH_BYTES = 32;

export function encodeHashed(map: Readonly<Record<string, unknown>>): Uint8Array {
  const content = encode(map);
  return concatBytes([sha256(content), content]);
}

/** @throws FixpointError CORRUPT, also if there is no row */
export function decodeHashed(row: Uint8Array = new Uint8Array()): Record<string, unknown> {
  const content = row.subarray(HASH_BYTES);
  if (!equalBytes(sha256(content), row.subarray(0, HASH_BYTES))) throw new FixpointError('CORRUPT', 'row');
  return decodeMap(content);
}
