import { FixpointError } from '@fixpoint/protocol';
import { base58Bytes, base58Text } from '../codec/base58.ts';
import { sha256 } from '../codec/sha256.ts';

/** A data key: AES material of 16 or 32 bytes. The hash of the material identifies the key. */
export interface DataKey {
  readonly material: Uint8Array;
  /** The fingerprint, base58btc. */
  readonly id: string;
  /** The fingerprint as bytes: sha-256 of the material. */
  readonly idBytes: Uint8Array;
}

/**
 * The keys of one database. Archives are sealed with `current`, and opened with the key whose id
 * they contain.
 */
export interface Keys {
  readonly current: DataKey;
  readonly all: ReadonlyMap<string, DataKey>;
}

/** Returns a data key. @throws FixpointError CORRUPT when the length isn't valid for AES */
export function dataKey(material: Uint8Array): DataKey {
  if (material.length !== 16 && material.length !== 32)
    throw new FixpointError('CORRUPT', 'key of a wrong length');
  const idBytes = sha256(material);
  return { material, id: base58Text(idBytes), idBytes };
}

/** The key of a database without encryption. Sealing with it leaves bytes unchanged. */
export const NO_KEY: DataKey = { material: new Uint8Array(), id: 'none', idBytes: new Uint8Array() };
export const NO_KEYS: Keys = { current: NO_KEY, all: new Map([[NO_KEY.id, NO_KEY]]) };

export const keyText = ({ material }: DataKey): string => base58Text(material);

/** Parses a key. @throws FixpointError CORRUPT */
export const parseKeyText = (text: string): DataKey => dataKey(base58Bytes(text));
