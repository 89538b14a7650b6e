/** The columns of a table of free-form documents: the fields that any of them uses. */

type Fields = Readonly<Record<string, unknown>>;

/** How many documents use each field; kept up to date document by document. */
export type FieldUses = Map<string, number>;

export function countFields(uses: FieldUses, doc: Fields, by: 1 | -1): void {
  for (const field of Object.keys(doc)) {
    if (field === '_id') continue;
    const used = (uses.get(field) ?? 0) + by;
    if (used > 0) uses.set(field, used);
    else uses.delete(field);
  }
}

/** `_id` first, then the fields that most documents use; among equals by name. */
export function columnsByUse(uses: FieldUses): string[] {
  const byUse = [...uses].sort(([a, usedA], [b, usedB]) => usedB - usedA || (a < b ? -1 : 1));
  return ['_id', ...byUse.map(([field]) => field)];
}

/** The columns of an open table: those that it shows already stay where they are, new ones come behind them. */
export function columnsAfter(shown: readonly string[], uses: FieldUses): readonly string[] {
  const known = new Set(shown);
  const fresh = columnsByUse(uses).filter((field) => !known.has(field));
  return fresh.length === 0 ? shown : [...shown, ...fresh];
}

export const columnLabel = (field: string): string => (field === '_id' ? 'document id' : field);
