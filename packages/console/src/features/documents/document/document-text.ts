/** Reads the text of a document that a user typed. The text omits the id, which can't change. */

import type { Fields } from '../../../values/document-fields.ts';
import { type JsonRead, readJson } from '../../editor/read-json.ts';

/** Longer texts are parsed only while the user isn't typing. */
export const BIG_CHARS = 64 * 1024;

export type Parsed = { readonly fields: Fields; readonly problem?: undefined } | { readonly problem: string };

/**
 * Returns the fields of a text, or why it is invalid. The text of a stored document may contain
 * only the `_id` of this document; the text of a new document may contain any `_id`.
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
      : { problem: 'The _id of a document can’t be changed. Remove it from the text.' };
  if (typeof given !== 'string' || given === '')
    return {
      problem: 'An _id must be text with at least one character. Leave it out to get a generated id.',
    };
  return { fields: { ...fields, _id: given } };
}

const notJson = (text: string, { message }: Error): string =>
  text.trim() === ''
    ? 'A document is a JSON object, such as {"name": "value"}.'
    : `This isn’t valid JSON yet: ${message}`;
