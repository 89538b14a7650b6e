import { CID } from 'multiformats/cid';
import { DocumentLink } from './document-link.ts';

/**
 * Returns the value as a database returns it: with the engine's links in place of CIDs of
 * multiformats.
 */
export function ownLinks(value: unknown): unknown {
  const cid = CID.asCID(value);
  if (cid !== null) return new DocumentLink(cid.bytes);
  if (Array.isArray(value)) return value.map(ownLinks);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, ownLinks(part)]));
}
