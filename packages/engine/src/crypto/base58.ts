import { FixpointError } from '@fixpoint/protocol';
import { decodeBase58, encodeBase58 } from '../codec/base58.ts';

/** Base58btc with the multibase letter `z`, as keys and their ids are written. */
export const base58Text = (bytes: Uint8Array): string => `z${encodeBase58(bytes)}`;

/** @throws FixpointError CORRUPT */
export function base58Bytes(text: string): Uint8Array {
  if (!text.startsWith('z')) throw new FixpointError('CORRUPT', 'not base58btc');
  return decodeBase58(text.slice(1));
}
