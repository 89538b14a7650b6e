/** The text of a document in the editor: its fields without the id, which cannot be changed. */

export function textOfDocument(doc: Readonly<Record<string, unknown>>): string {
  const { _id: _, ...fields } = doc;
  return JSON.stringify(fields, null, 2);
}

/** The fields that a text says, or why it says none. An `_id` in it is left out: the id is fixed. */
export function parseDocumentText(text: string): { fields: Record<string, unknown> } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { problem: 'A document is a JSON object.' };
    const { _id: _, ...fields } = value as Record<string, unknown>;
    return { fields };
  } catch (cause) {
    return { problem: (cause as Error).message };
  }
}
