import { FixpointError } from '@fixpoint/protocol';
import { decodeBase58, encodeBase58 } from '../codec/base58.ts';

/** Encodes base58btc with the multibase prefix `z`, the format of keys and their ids. */
export const base58Text = (bytes: Uint8Array): string => `z${encodeBase58(bytes)}`;

/** Decodes it. @throws FixpointError CORRUPT */
export function base58Bytes(text: string): Uint8Array {
  if (!text.startsWith('z')) throw new FixpointError('CORRUPT', 'not base58btc');
  return decodeBase58(text.slice(1));
}
