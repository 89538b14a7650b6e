import { FixpointError } from '@fixpoint/protocol';
import { CID } from 'multiformats/cid';
import { type Cid, cidFromBytes } from './cid.ts';

/**
 * A link of one of the format's own structures (shards, events, headers, index nodes). It holds the text, so that reading and writing
 * thousands of links makes no `CID` objects. A class, because nothing a document can hold may pass for a link.
 */
export class CidLink {
  readonly cid: Cid;

  constructor(cid: Cid) {
    this.cid = cid;
  }
}

/** A link inside of a dag-cbor value. In documents it is a `CID` of multiformats, as applications put and get it. */
export type Link = CidLink | CID;

export const link = (cid: Cid): Link => new CidLink(cid);

export const isLink = (value: unknown): value is Link =>
  value instanceof CidLink || value instanceof CID || asForeignCid(value) !== undefined;

/** @throws FixpointError CORRUPT when the value is no link, or one to another kind of CID than the format's own */
export function linkCid(value: unknown): Cid {
  if (value instanceof CidLink) return value.cid;
  const found = value instanceof CID ? value : asForeignCid(value);
  if (found === undefined) throw new FixpointError('CORRUPT', 'expected a link');
  return cidFromBytes(found.bytes);
}

/** The bytes of the CID in a link of a document; undefined when the value is no link. */
export function linkBytes(value: object): Uint8Array | undefined {
  return value instanceof CID ? value.bytes : asForeignCid(value)?.bytes;
}

/** A `CID` of another copy of multiformats. A plain object that happens to have such fields is a map like others. */
function asForeignCid(value: unknown): CID | undefined {
  if (typeof value !== 'object' || value === null || !('asCID' in value) || value.asCID !== value)
    return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  return CID.asCID(value) ?? undefined;
}
