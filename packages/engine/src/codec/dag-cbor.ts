import { FixpointError } from '@fixpoint/protocol';
import { readCbor } from './cbor-reader.ts';
import { writeCbor } from './cbor-writer.ts';

export { writeItems as encodeItems } from './cbor-writer.ts';
export { isLink, link, linkCid } from './link.ts';

/**
 * Encodes a value as canonical dag-cbor.
 * @throws FixpointError DOC_INVALID for values that dag-cbor can't represent
 */
export const encode = (value: unknown): Uint8Array => writeCbor(value);

/**
 * Decodes a value that the caller may keep and change: byte strings are copies, links are
 * `DocumentLink`s.
 * @throws FixpointError CORRUPT
 */
export const decode = (bytes: Uint8Array): unknown => readCbor(bytes, { owned: true });

/**
 * Decodes a structure of the format, which is a map. Byte strings are views of the input, and links
 * contain the text of their CID.
 * @throws FixpointError CORRUPT
 */
export const decodeMap = (bytes: Uint8Array): Record<string, unknown> =>
  asMap(readCbor(bytes, { owned: false }));

/** @throws FixpointError CORRUPT */
export function asMap(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array)
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
