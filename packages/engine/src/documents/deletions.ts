/**
 * What counts as a deleted document: a tombstone, and a document whose field `_deleted` is true.
 * This engine writes tombstones only; existing clients may store such a document.
 */
import type { Cid } from '../codec/cid.ts';
import { TOMBSTONE } from './encode.ts';

/** More than any database has; the rest is recognised each time that it is read. */
const KNOWN_MAX = 100_000;

/**
 * Links to documents with `_deleted: true`, as far as anything has read them. A link means the same
 * in every database.
 */
const known = new Set<Cid>();

/** Remembers what reading a document showed. */
export function noteDeleted(link: Cid): void {
  if (link !== TOMBSTONE.cid && known.size < KNOWN_MAX) known.add(link);
}

/** Grows with each link that is newly known to be a deletion. */
export const knownDeletions = (): number => known.size;

/** Whether the link is known to be a deletion without reading it. */
export const isDeletion = (link: Cid): boolean => link === TOMBSTONE.cid || known.has(link);
