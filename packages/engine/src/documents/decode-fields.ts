/** Decodes live documents, or only some of their fields. */
import { partReader } from '../codec/cbor-part.ts';
import { type Doc, decodeDocument } from './encode.ts';

export type LiveDoc = Doc & { readonly _id: string };

/** Decodes a document, or returns undefined if the document is deleted. */
export type DecodeLive = (block: Uint8Array, id: string) => LiveDoc | undefined;

export const wholeDocument: DecodeLive = (block) => {
  const stored = decodeDocument(block);
  return 'doc' in stored ? stored.doc : undefined;
};

/** Above this number of fields, finding the fields takes as long as decoding all fields. */
const PARTS_MAX = 3;

/**
 * Returns a function that reads these fields and `_id` of documents; for undefined, it reads all
 * fields.
 */
export function decodingOf(fields: Iterable<string> | undefined): DecodeLive {
  const wanted = new Set(fields);
  wanted.delete('_id');
  if (fields === undefined || wanted.size > PARTS_MAX) return wholeDocument;
  const [readDeleted, readFlag] = [partReader('del'), partReader('doc', '_deleted')];
  const parts = [...wanted].map((field) => [field, partReader('doc', field)] as const);
  return (block, id) => {
    if ((!isPlain(block) && readDeleted(block) === true) || readFlag(block) === true) return undefined;
    const doc: LiveDoc = { _id: id };
    for (const [field, read] of parts) {
      const value = read(block);
      if (value !== undefined) set(doc, field, value);
    }
    return doc;
  };
}

/** Start of a block that contains only a document: a map of one name, `doc`. */
const PLAIN = Uint8Array.of(0xa1, 0x63, 0x64, 0x6f, 0x63);

function isPlain(block: Uint8Array): boolean {
  for (let at = 0; at < PLAIN.length; at += 1) if (block[at] !== PLAIN[at]) return false;
  return true;
}

/** Sets a field of a document. A field `__proto__` becomes an ordinary field, too. */
function set(doc: Record<string, unknown>, field: string, value: unknown): void {
  if (field === '__proto__')
    Object.defineProperty(doc, field, { value, enumerable: true, configurable: true, writable: true });
  else doc[field] = value;
}
