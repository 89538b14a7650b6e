import { FixpointError } from '@fixpoint/protocol';
import * as dagCbor from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';
import { type Cid, cidFromBytes, cidToBytes } from './cid.ts';

/** A link inside of a dag-cbor value. */
export type Link = CID;

export const link = (cid: Cid): Link => CID.decode(cidToBytes(cid));

export const isLink = (value: unknown): value is Link => CID.asCID(value) !== null;

/** @throws FixpointError CORRUPT when the value is no link */
export function linkCid(value: unknown): Cid {
  const found = CID.asCID(value);
  if (found === null) throw new FixpointError('CORRUPT', 'expected a link');
  return cidFromBytes(found.bytes);
}

/** Canonical dag-cbor. @throws TypeError or Error for what dag-cbor cannot hold */
export const encode = (value: unknown): Uint8Array => dagCbor.encode(value);

/** @throws FixpointError CORRUPT */
export function decode(bytes: Uint8Array): unknown {
  try {
    return dagCbor.decode(bytes);
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'not dag-cbor', { cause });
  }
}

/** The value as a plain map. @throws FixpointError CORRUPT */
export function decodeMap(bytes: Uint8Array): Record<string, unknown> {
  return asMap(decode(bytes));
}

/** @throws FixpointError CORRUPT */
export function asMap(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FixpointError('CORRUPT', 'expected a map');
  return value as Record<string, unknown>;
}

/** @throws FixpointError CORRUPT */
export function asArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new FixpointError('CORRUPT', 'expected an array');
  return value;
}

/** @throws FixpointError CORRUPT */
export function asText(value: unknown): string {
  if (typeof value !== 'string') throw new FixpointError('CORRUPT', 'expected a text');
  return value;
}
