/**
 * Holds the text of a document that the user edits, and the stored document. The text follows the
 * stored document until the user types. From then on the text stays, and the draft reports changes
 * of the stored document.
 */

import { type Fields, partsOf, sameFields, textOfDocument } from '../../../values/document-fields.ts';
import { type EditorText, readJson } from '../../editor/read-json.ts';
import { fieldsIn, type Parsed, parseDocumentText } from './document-text.ts';

export interface Draft {
  /** Undefined while the document is new. */
  readonly id: string | undefined;
  readonly text: string;
  /** Increases when the text changes other than by typing; the editor then loads the new text. */
  readonly revision: number;
  readonly parsed: Parsed;
  /** The stored document that the text is based on; undefined if there was none. */
  readonly base: Fields | undefined;
  /** The stored document; undefined before the first save and after a deletion. */
  readonly stored: Fields | undefined;
  /** Attached files of the latest stored document, which aren't part of the text. */
  readonly files: Fields;
  /** False when the document holds values that text can't express. */
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
  // The fields of a text created from the stored document are known, so the text isn't parsed.
  const parsed = stored !== undefined && exact ? { fields: withoutId(stored) } : parseDocumentText(text, id);
  return { id, text, revision, parsed, base: stored, stored, files, editable: exact };
}

const withoutId = ({ _id: _, ...fields }: Fields): Fields => fields;

export function withText(draft: Draft, typed: EditorText): Draft {
  const read = readJson(typed);
  const { text } = read;
  return text === draft.text ? draft : { ...draft, text, parsed: fieldsIn(read, draft.id) };
}

/**
 * Returns the draft with a text that was kept. If the document changed since, the text is still an
 * edit of the document that it was based on, so that saving it asks.
 * @param base the text of that document; undefined if it isn't known
 */
export function withKept(draft: Draft, kept: string, base: string | undefined): Draft {
  const next = { ...withText(draft, kept), revision: draft.revision + 1 };
  const read = base === undefined || draft.base === undefined ? undefined : parseDocumentText(base, draft.id);
  if (read === undefined || read.problem !== undefined) return next;
  return { ...next, base: { ...read.fields, _id: draft.base?.['_id'] } };
}

const edited = new WeakMap<Draft, boolean>();

/**
 * Returns whether leaving would lose edits. Cached per draft: many parts of the page ask, and
 * documents may be large.
 */
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

/**
 * Returns whether the draft can be saved: a new document if it is valid, a stored one if it also
 * differs from the stored document.
 */
export function canSave(draft: Draft): boolean {
  if (draft.parsed.problem !== undefined || !draft.editable) return false;
  return draft.id === undefined || draft.base === undefined || isEdited(draft);
}

/** Returns the draft after a change of the stored document. */
export function withStored(draft: Draft, doc: Fields | undefined): Draft {
  if (doc === undefined) return { ...draft, stored: undefined };
  const { fields, files } = partsOf(doc);
  const next = { ...draft, stored: fields, files };
  const isNews = draft.base === undefined || !sameFields(draft.base, fields);
  return isNews && !isEdited(draft) ? takeStored(next) : next;
}

const exactly = new WeakMap<Fields, boolean>();

/**
 * Returns whether text can express all values of the stored document. Merging it into a text would
 * lose the others. Cached, because pages ask often.
 */
export function isExact(stored: Fields): boolean {
  const known = exactly.get(stored) ?? textOfDocument(stored).exact;
  exactly.set(stored, known);
  return known;
}

export type Underneath = 'changed' | 'deleted' | undefined;

/** Returns the change of the stored document that the text doesn't include. */
export function underneath(draft: Draft): Underneath {
  const { base, stored, parsed } = draft;
  if (base === undefined) return undefined;
  if (stored === undefined) return 'deleted';
  if (sameFields(stored, base)) return undefined;
  if (parsed.problem === undefined && sameFields(stored, parsed.fields)) return undefined;
  return 'changed';
}

/**
 * Returns the draft after these fields were saved under an id; text typed during the save stays an
 * edit. A generated id is not added to the text.
 * @param before the stored document when the save began. If the draft has another one by now,
 * somebody wrote it during the save, or it is the saved one.
 */
export function afterSave(draft: Draft, id: string, saved: Fields, before: Fields | undefined): Draft {
  const stored = same(draft.stored, before) ? saved : draft.stored;
  const next = { ...draft, id, base: saved, stored, parsed: parseDocumentText(draft.text, id) };
  if (stored === undefined || isEdited(next)) return next;
  const isOther = !sameFields(stored, saved) || (draft.id === undefined && '_id' in saved);
  return isOther ? takeStored(next) : next;
}

const same = (a: Fields | undefined, b: Fields | undefined): boolean =>
  a === undefined || b === undefined ? a === b : sameFields(a, b);

/** Returns the draft after a save found another document than the draft's: the user must decide. */
export const afterNotSaved = (draft: Draft, now: Fields | undefined): Draft => {
  const next = withStored(draft, now);
  // A document that was deleted and created again has no common base.
  return { ...next, base: next.base ?? {} };
};

/** Discards the edits. */
export const takeStored = ({ id, stored, files, revision }: Draft): Draft =>
  draftFrom(id, stored && { fields: stored, files }, revision + 1);

/** Continues with a merged document, as an edit of the stored one. */
export function takeMerged(draft: Draft, fields: Fields): Draft {
  const { text, exact } = textOfDocument(fields);
  const parsed = parseDocumentText(text, draft.id);
  return { ...draft, text, revision: draft.revision + 1, parsed, base: draft.stored, editable: exact };
}

/** Keeps the text, as an edit of the stored document. */
export const keepText = (draft: Draft): Draft => ({ ...draft, base: draft.stored });
