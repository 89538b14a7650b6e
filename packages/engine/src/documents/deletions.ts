/**
 * Recognises deleted documents: a tombstone, or a document whose field `_deleted` is true. This
 * engine writes only tombstones, but existing clients may store such documents.
 */
import type { Cid } from '../codec/cid.ts';
import { TOMBSTONE } from './encode.ts';

/**
 * Maximum number of remembered deletions, more than a database is expected to have. Each further
 * deletion is recognised again whenever it is read.
 */
const KNOWN_MAX = 100_000;

/**
 * Links to documents with `_deleted: true` that were read so far. A link identifies the same
 * content in every database.
 */
const known = new Set<Cid>();

/** Remembers a deletion that was found by reading a document. */
export function noteDeleted(link: Cid): void {
  if (link !== TOMBSTONE.cid && known.size < KNOWN_MAX) known.add(link);
}

/** Returns the number of known deletions. The number grows with each deletion that is found. */
export const knownDeletions = (): number => known.size;

/** Returns whether the link is already known to be a deletion, without reading the document. */
export const isDeletion = (link: Cid): boolean => link === TOMBSTONE.cid || known.has(link);
