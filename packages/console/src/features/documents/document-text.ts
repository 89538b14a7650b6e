/** Converts a document to editor text and back. The text omits the id, which can't change. */

import { type JsonRead, readJson } from '../editor/read-json.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Longer texts are checked and formatted only while the user isn't typing. */
export const BIG_CHARS = 64 * 1024;

const FILE_FIELDS: ReadonlySet<string> = new Set(['_files', '_publicFiles']);

/**
 * Splits a document into text fields and attached files, which are shown and changed beside the
 * text.
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
 * Returns whether these are file entries of the engine; values that a user typed instead are normal
 * fields.
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
   * False when the document holds values that JSON can't express, such as bytes: saving the text
   * would lose them.
   */
  readonly exact: boolean;
}

export function textOfDocument(doc: Fields): DocumentText {
  const { _id: _, ...fields } = doc;
  // Checked first, since a replacer that is called for each value halves the speed on long texts.
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

export type Parsed = { readonly fields: Fields; readonly problem?: undefined } | { readonly problem: string };

/**
 * Returns the fields of a text, or why it is invalid. `_id` may be present when it is the
 * document's own; a new document chooses freely.
 */
export const parseDocumentText = (text: string, id: string | undefined): Parsed =>
  fieldsIn(readJson(text), id);

/** Does the same as {@link parseDocumentText} for a text that is already parsed. */
export function fieldsIn(read: JsonRead, id: string | undefined): Parsed {
  if (read.error !== undefined) return { problem: notJson(read.text, read.error) };
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'A document is a JSON object: it begins with { and ends with }.' };
  const { _id: given, ...fields } = value as Record<string, unknown>;
  if (given === undefined) return { fields };
  if (id !== undefined)
    return given === id
      ? { fields }
      : { problem: 'The _id of a document cannot be changed. Take it out of the text.' };
  if (typeof given !== 'string' || given === '')
    return { problem: 'An _id is text that is not empty. Without one the document gets an id of its own.' };
  return { fields: { ...fields, _id: given } };
}

const notJson = (text: string, { message }: Error): string =>
  text.trim() === ''
    ? 'A document is a JSON object, such as {"name": "value"}.'
    : `This is not JSON yet: ${message}`;

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
