/** Splits documents into JSON text and attached files, compares and changes documents. */
import type { Stored } from 'fixpoint';

export type Fields = Readonly<Record<string, unknown>>;

const FILE_FIELDS: ReadonlySet<string> = new Set(['_files', '_publicFiles']);

/**
 * Splits a document into fields, which the editor shows as text, and attached files, which users
 * see and change separately.
 */
export function partsOf(doc: Fields): { readonly fields: Fields; readonly files: Fields } {
  const entries = Object.entries(doc);
  const isFiles = ([field, value]: readonly [string, unknown]) => FILE_FIELDS.has(field) && holdsFiles(value);
  return {
    fields: Object.fromEntries(entries.filter((entry) => !isFiles(entry))),
    files: Object.fromEntries(entries.filter(isFiles)),
  };
}

/**
 * Returns whether a value consists of the engine's file entries. Other values of such a field were
 * typed by a user, and are normal fields.
 */
function holdsFiles(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const entries: unknown[] = Object.values(value);
  return entries.length > 0 && entries.every(isFile);
}

const isFile = (entry: unknown): boolean =>
  typeof entry === 'object' && entry !== null && typeof (entry as { file?: unknown }).file === 'function';

export interface DocumentText {
  readonly text: string;
  /**
   * False when the document contains values that JSON can't express, such as bytes. Saving the text
   * would lose these values.
   */
  readonly exact: boolean;
}

export function textOfDocument(doc: Fields): DocumentText {
  const { _id: _, ...fields } = doc;
  // Checks for JSON values first: a replacer is called for each value, which halves the speed on
  // long texts.
  if (isAllJson(fields)) return { text: JSON.stringify(fields, undefined, 2), exact: true };
  const text = JSON.stringify(
    fields,
    (_key, value: unknown) => {
      if (isJson(value)) return value;
      return value instanceof Uint8Array ? `${value.length} bytes` : String(value);
    },
    2,
  );
  return { text, exact: false };
}

function isAllJson(value: unknown): boolean {
  if (!isJson(value)) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isAllJson);
  for (const name of Object.keys(value)) if (!isAllJson((value as Fields)[name])) return false;
  return true;
}

function isJson(value: unknown): boolean {
  if (typeof value === 'bigint') return false;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns whether two documents have equal fields in any order, without the id. */
export function sameFields(a: Fields, b: Fields): boolean {
  const { _id: _a, ...mine } = a;
  const { _id: _b, ...other } = b;
  return isSame(mine, other);
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Uint8Array || b instanceof Uint8Array)
    return (
      a instanceof Uint8Array &&
      b instanceof Uint8Array &&
      a.length === b.length &&
      a.every((byte, at) => byte === b[at])
    );
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, at) => isSame(item, b[at]))
    );
  if (!isJson(a) || !isJson(b)) return !isJson(a) && !isJson(b) && String(a) === String(b);
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame((a as Fields)[name], (b as Fields)[name]))
  );
}

/** Returns an own field of a document; undefined without it. */
export const valueIn = (doc: Fields, field: string): unknown =>
  Object.hasOwn(doc, field) ? doc[field] : undefined;

/** Returns the document with this field set; undefined removes the field. */
export function withField(doc: Stored, field: string, value: unknown): Stored {
  const entries = Object.entries(doc);
  const others = entries.filter(([name]) => name !== field);
  if (value === undefined) return { ...Object.fromEntries(others), _id: doc._id };
  const changed = Object.hasOwn(doc, field)
    ? entries.map(([name, old]) => [name, name === field ? value : old])
    : [...entries, [field, value]];
  return { ...(Object.fromEntries(changed) as object), _id: doc._id };
}
