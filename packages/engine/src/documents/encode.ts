/** Document blocks: `{doc: {...fields, _id}}` for a live document, `{del: true}` for a deletion. */
import { type Block, encodeBlock } from '../codec/block.ts';
import { asMap, decode } from '../codec/dag-cbor.ts';
import type { DocKey } from './doc-key.ts';
import { sanitise } from './sanitise.ts';

/** A document with fields of unknown types. */
export type Doc = Record<string, unknown>;
export type StoredDocument = { readonly doc: Doc & { _id: string } } | { readonly deleted: true };

/** @throws FixpointError DOC_INVALID */
export function encodeDocument(fields: Readonly<Record<string, unknown>>, id: DocKey): Block {
  return encodeSanitised(sanitise(fields), id);
}

/**
 * Encodes a document whose fields {@link sanitise} returned.
 * @throws FixpointError DOC_INVALID
 */
export function encodeSanitised(fields: Readonly<Record<string, unknown>>, id: DocKey): Block {
  return encodeBlock({ doc: { ...fields, _id: id } });
}

/** Returns whether a document has `_deleted: true`. */
export const saysDeleted = (doc: Readonly<Record<string, unknown>>): boolean =>
  Object.hasOwn(doc, '_deleted') && doc['_deleted'] === true;

export const TOMBSTONE: Block = encodeBlock({ del: true });

/**
 * Decodes a document into new values, which the caller may change. A document with
 * `_deleted: true`, which existing clients may store, counts as deleted.
 * @throws FixpointError CORRUPT
 */
export function decodeDocument(bytes: Uint8Array): StoredDocument {
  const stored = decodeStored(bytes);
  return 'doc' in stored && saysDeleted(stored.doc) ? { deleted: true } : stored;
}

/**
 * Decodes the content of the block, whatever its field `_deleted` contains.
 * @throws FixpointError CORRUPT
 */
export function decodeStored(bytes: Uint8Array): StoredDocument {
  const value = asMap(decode(bytes));
  if (value['del'] === true) return { deleted: true };
  return { doc: asMap(value['doc']) as Doc & { _id: string } };
}
