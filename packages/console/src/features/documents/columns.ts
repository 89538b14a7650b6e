/** What a table of free-form documents shows: the fields they use, and a preview of each value. */

const PREVIEW_CHARS_MAX = 256;

/** All fields: `_id` first, then by the number of documents that use them, then by name. */
export function columnsOf(docs: readonly Readonly<Record<string, unknown>>[]): string[] {
  const uses = new Map<string, number>();
  for (const doc of docs) for (const field of Object.keys(doc)) uses.set(field, (uses.get(field) ?? 0) + 1);
  uses.delete('_id');
  const byUse = [...uses].sort(([a, usedA], [b, usedB]) => usedB - usedA || (a < b ? -1 : 1));
  return ['_id', ...byUse.map(([field]) => field)];
}

export const columnLabel = (field: string): string => (field === '_id' ? 'document id' : field);

export function previewOf(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length <= PREVIEW_CHARS_MAX ? text : `${text.slice(0, PREVIEW_CHARS_MAX)}…`;
}
