/**
 * Parses the editor's text as JSON. The editor's check and the draft share the result, so a long
 * text is converted to a string and parsed only once.
 */

/** Describes the text of an editor. */
export interface EditorText {
  readonly length: number;
  toString(): string;
}

export type JsonRead = { readonly text: string } & (
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly error: Error }
);

const known = new WeakMap<EditorText & object, JsonRead>();

/** Returns the parsed text. Caches the result, because the editor's texts are immutable. */
export function readJson(text: EditorText): JsonRead {
  if (typeof text === 'string') return parsed(text);
  const read = known.get(text) ?? parsed(text.toString());
  known.set(text, read);
  return read;
}

function parsed(text: string): JsonRead {
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch (cause) {
    return { text, error: cause as Error };
  }
}
