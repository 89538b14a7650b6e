/** What a text of the editor says as JSON. The check in the editor and the draft both ask; a long text is put together and read once for both. */

/** What stands in an editor. */
export interface EditorText {
  readonly length: number;
  toString(): string;
}

export type JsonRead = { readonly text: string } & (
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly error: Error }
);

const known = new WeakMap<EditorText & object, JsonRead>();

/** Texts never change: what an editor shows after a key is another one. */
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

/** Where the error is, as far as the browser tells: by its place, or by line and column. */
export function errorPlace({ message }: Error, text: string): number {
  const place = /at position (\d+)/.exec(message)?.[1];
  if (place !== undefined) return Math.min(Number(place), text.length);
  const [, line, column] = /at line (\d+) column (\d+)/.exec(message) ?? [];
  if (line === undefined || column === undefined) return 0;
  let from = 0;
  for (let n = 1; n < Number(line); n += 1) from = text.indexOf('\n', from) + 1;
  return Math.min(from + Number(column) - 1, text.length);
}
