import { shownId } from './shown-id.ts';
import { truncate } from './truncate.ts';

/** Fields that most often hold the name of a document. */
const NAMING = ['name', 'title', 'label', 'subject'];
const TITLE_CHARS_MAX = 60;

/**
 * Returns the title of a document: the text of a field that names it, otherwise its first text,
 * otherwise its id. A new document without an id is a "New document".
 */
export function titleOfDocument(
  id: string | undefined,
  fields: Readonly<Record<string, unknown>> | undefined,
): string {
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(fields ?? {}))
    if (name !== '_id' && typeof value === 'string') {
      const text = value
        .slice(0, TITLE_CHARS_MAX * 4)
        .replace(UNSEEN, ' ')
        .trim();
      if (text !== '') texts.set(name, text);
    }
  const named = NAMING.map((name) => texts.get(name)).find((text) => text !== undefined);
  const [first] = texts.values();
  const title = named ?? first;
  if (title !== undefined) return truncate(title, TITLE_CHARS_MAX);
  return id === undefined ? 'New document' : shownId(id);
}

/** Matches white space, and characters that are invisible or change how their neighbours look. */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu;
