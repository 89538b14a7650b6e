/**
 * Remembers the order of the fields in imported files, in this browser. Documents can't tell it,
 * because the storage format sorts their fields.
 */

const keyOf = (database: string): string => `fixpoint:fields:${database}`;

/** Fields to remember. Wide files would fill the browser's storage. */
const FIELDS_MAX = 1000;

/** Returns the positions of the fields in the imported files, by field. */
export function fieldPlaces(database: string): ReadonlyMap<string, number> {
  return new Map(readFields(database).map((field, at) => [field, at]));
}

/** Remembers the order of these fields, after the known ones. */
export function rememberFields(database: string, fields: readonly string[]): void {
  const all = [...new Set([...readFields(database), ...fields])].slice(0, FIELDS_MAX);
  try {
    localStorage.setItem(keyOf(database), JSON.stringify(all));
  } catch {
    // Without storage the table orders these fields by name.
  }
}

function readFields(database: string): readonly string[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(keyOf(database)) ?? '[]');
    return Array.isArray(read) ? read.filter((one): one is string => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
