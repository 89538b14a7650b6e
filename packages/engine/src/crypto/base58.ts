import { FixpointError } from '@fixpoint/protocol';
import { base58btc } from 'multiformats/bases/base58';

/** Base58btc with the multibase letter `z`, as keys and their ids are written. */
export const base58Text = (bytes: Uint8Array): string => base58btc.encode(bytes);

/** @throws FixpointError CORRUPT */
export function base58Bytes(text: string): Uint8Array {
  try {
    return base58btc.decode(text);
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'not base58btc', { cause });
  }
}
