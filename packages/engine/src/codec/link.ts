import { FixpointError } from '@fixpoint/protocol';
import { type Cid, cidFromBytes } from './cid.ts';
import { type DocumentLink, linkBytes } from './document-link.ts';

/**
 * A link of one of the format's own structures (shards, events, headers, index nodes). It holds the
 * text, so that reading and writing thousands of links makes no `CID` objects. A class, because
 * nothing a document can hold may pass for a link.
 */
export class CidLink {
  readonly cid: Cid;

  constructor(cid: Cid) {
    this.cid = cid;
  }
}

/** A link inside of a dag-cbor value. */
export type Link = CidLink | DocumentLink;

export const link = (cid: Cid): Link => new CidLink(cid);

/** Also of a `CID` of multiformats. */
export const isLink = (value: unknown): value is Link =>
  value instanceof CidLink || linkBytes(value) !== undefined;

/**
 * @throws FixpointError CORRUPT when the value is no link, or one to another kind of CID than the
 * format's own
 */
export function linkCid(value: unknown): Cid {
  if (value instanceof CidLink) return value.cid;
  const bytes = linkBytes(value);
  if (bytes === undefined) throw new FixpointError('CORRUPT', 'expected a link');
  return cidFromBytes(bytes);
}
