/**
 * A document that is being edited as text, beside what is stored. It follows the store as long as the text says what it began with; after
 * that the text stays, and it shows that the document changed underneath.
 */
import { type EditorText, readJson } from '../editor/read-json.ts';
import {
  type Fields,
  fieldsIn,
  type Parsed,
  parseDocumentText,
  partsOf,
  sameFields,
  textOfDocument,
} from './document-text.ts';

export interface Draft {
  /** Undefined while the document is new. */
  readonly id: string | undefined;
  readonly text: string;
  /** Counts the texts that did not come from typing: the editor takes over each. */
  readonly revision: number;
  readonly parsed: Parsed;
  /** What the text began with; undefined when there was no document. */
  readonly base: Fields | undefined;
  /** The document as it is now; undefined when there is none, or none any more. */
  readonly stored: Fields | undefined;
  /** Its attached files, which are no part of the text, of `base` or of `stored`. */
  readonly files: Fields;
  /** False when the document holds what text cannot say. */
  readonly editable: boolean;
}

const EMPTY_TEXT = '{}';

export function draftOf(id: string | undefined, doc: Fields | undefined, revision = 0): Draft {
  return draftFrom(id, doc && partsOf(doc), revision);
}

function draftFrom(
  id: string | undefined,
  parts: ReturnType<typeof partsOf> | undefined,
  revision: number,
): Draft {
  const stored = parts?.fields;
  const files = parts?.files ?? {};
  const { text, exact } = stored === undefined ? { text: EMPTY_TEXT, exact: true } : textOfDocument(stored);
  // What the text says is known where it was made of what is stored: a long one is not read again.
  const parsed = stored !== undefined && exact ? { fields: withoutId(stored) } : parseDocumentText(text, id);
  return { id, text, revision, parsed, base: stored, stored, files, editable: exact };
}

const withoutId = ({ _id: _, ...fields }: Fields): Fields => fields;

export function withText(draft: Draft, typed: EditorText): Draft {
  const read = readJson(typed);
  const { text } = read;
  return text === draft.text ? draft : { ...draft, text, parsed: fieldsIn(read, draft.id) };
}

const edited = new WeakMap<Draft, boolean>();

/** Whether leaving would lose something. Compared once for each draft: several parts of the page ask, and the document may be large. */
export function isEdited(draft: Draft): boolean {
  const known = edited.get(draft);
  if (known !== undefined) return known;
  const found = isOther(draft);
  edited.set(draft, found);
  return found;
}

function isOther({ parsed, base, text }: Draft): boolean {
  if (parsed.problem !== undefined) return base !== undefined || text.trim() !== '';
  return !sameFields(parsed.fields, base ?? {}) || (base === undefined && '_id' in parsed.fields);
}

/** A new document can be saved as soon as it is one; a stored one when it is another one than it was. */
export function canSave(draft: Draft): boolean {
  if (draft.parsed.problem !== undefined || !draft.editable) return false;
  return draft.id === undefined || draft.base === undefined || isEdited(draft);
}

/** What the store holds now. */
export function withStored(draft: Draft, doc: Fields | undefined): Draft {
  if (doc === undefined) return { ...draft, stored: undefined };
  const { fields, files } = partsOf(doc);
  const next = { ...draft, stored: fields, files };
  const isNews = draft.base === undefined || !sameFields(draft.base, fields);
  return isNews && !isEdited(draft) ? takeStored(next) : next;
}

export type Underneath = 'changed' | 'deleted' | undefined;

/** What happened to the stored document since the editing began, that the text does not know of. */
export function underneath(draft: Draft): Underneath {
  const { base, stored, parsed } = draft;
  if (base === undefined) return undefined;
  if (stored === undefined) return 'deleted';
  if (sameFields(stored, base)) return undefined;
  if (parsed.problem === undefined && sameFields(stored, parsed.fields)) return undefined;
  return 'changed';
}

/** The text after these fields were stored under an id; what was typed meanwhile stays edited. The id that a new one was given leaves its text. */
export function afterSave(draft: Draft, id: string, saved: Fields): Draft {
  const next = { ...draft, id, base: saved, stored: saved, parsed: parseDocumentText(draft.text, id) };
  return draft.id === undefined && '_id' in saved && !isEdited(next) ? takeStored(next) : next;
}

/** Drops what was typed. */
export const takeStored = ({ id, stored, files, revision }: Draft): Draft =>
  draftFrom(id, stored && { fields: stored, files }, revision + 1);

/** Goes on from a document that holds the changes of both sides, as an edit of what is stored now. */
export function takeMerged(draft: Draft, fields: Fields): Draft {
  const { text } = textOfDocument(fields);
  const parsed = parseDocumentText(text, draft.id);
  return { ...draft, text, revision: draft.revision + 1, parsed, base: draft.stored };
}

/** Keeps what was typed, as an edit of what is stored now. */
export const keepText = (draft: Draft): Draft => ({ ...draft, base: draft.stored });
