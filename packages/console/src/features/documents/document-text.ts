/** The text of a document in the editor: its fields without the id, which cannot be changed. */

import { type JsonRead, readJson } from '../editor/read-json.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Above it a document is checked and laid out when nobody types. */
export const BIG_CHARS = 64 * 1024;

const FILE_FIELDS: ReadonlySet<string> = new Set(['_files', '_publicFiles']);

/** Attached files are shown and changed beside the text: what of a document is text, and what is files. */
export function partsOf(doc: Fields): { readonly fields: Fields; readonly files: Fields } {
  const entries = Object.entries(doc);
  const isFiles = ([field, value]: readonly [string, unknown]) => FILE_FIELDS.has(field) && holdsFiles(value);
  return {
    fields: Object.fromEntries(entries.filter((entry) => !isFiles(entry))),
    files: Object.fromEntries(entries.filter(isFiles)),
  };
}

/** Entries that the engine gave can be read; what somebody typed in their place is a field as any other. */
function holdsFiles(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const entries: unknown[] = Object.values(value);
  return entries.length > 0 && entries.every(isFile);
}

const isFile = (entry: unknown): boolean =>
  typeof entry === 'object' && entry !== null && typeof (entry as { file?: unknown }).file === 'function';

export interface DocumentText {
  readonly text: string;
  /** False when the document holds what JSON cannot say, such as bytes: saving the text would lose it. */
  readonly exact: boolean;
}

export function textOfDocument(doc: Fields): DocumentText {
  const { _id: _, ...fields } = doc;
  // Looked through first: a function that is called with each value makes a long text twice as slow.
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

/** The fields that a text says, or why it says none. `_id` may stand there when it is the document's own; that of a new document is free to choose. */
export const parseDocumentText = (text: string, id: string | undefined): Parsed =>
  fieldsIn(readJson(text), id);

/** As {@link parseDocumentText}, of a text that was read. */
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

/** Whether two documents hold the same, whatever the order of their fields; the id does not count. */
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
