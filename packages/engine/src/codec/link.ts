import { FixpointError } from '@fixpoint/protocol';
import { type Cid, cidFromBytes } from './cid.ts';
import { type DocumentLink, linkBytes } from './document-link.ts';

/**
 * A link in the format's own structures (shards, events, headers, index nodes). A link contains the
 * text of its CID, so that thousands of links need no `CID` objects. This is a class, so that no
 * value in a document can be mistaken for a link.
 */
export class CidLink {
  readonly cid: Cid;

  constructor(cid: Cid) {
    this.cid = cid;
  }
}

/** A link inside a dag-cbor value. */
export type Link = CidLink | DocumentLink;

export const link = (cid: Cid): Link => new CidLink(cid);

/** Returns whether a value is a link; a `CID` of multiformats is one, too. */
export const isLink = (value: unknown): value is Link =>
  value instanceof CidLink || linkBytes(value) !== undefined;

/**
 * Returns the CID of a link.
 * @throws FixpointError CORRUPT when the value isn't a link, or links to a kind of CID that the
 * format doesn't use
 */
export function linkCid(value: unknown): Cid {
  if (value instanceof CidLink) return value.cid;
  const bytes = linkBytes(value);
  if (bytes === undefined) throw new FixpointError('CORRUPT', 'expected a link');
  return cidFromBytes(bytes);
}
