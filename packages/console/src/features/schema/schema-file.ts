/** Writes a schema as a file. */
import type { Summary } from '../../local/ask.ts';
import { outliersOf } from './outliers.ts';

/** Returns the fields of a summary as JSON. */
export function schemaText(database: string, { documents, fields }: Summary): string {
  const rows = fields.map((field) => ({
    field: field.path,
    documents: field.documents,
    types: field.types.map(({ type, documents: count }) => [type, count]),
    values: field.distinct,
    ...(field.isMore && { moreValues: true }),
    examples: field.examples,
    outliers: outliersOf(field).map(({ text }) => text),
  }));
  return `${JSON.stringify({ database, documents, fields: rows }, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 2)}\n`;
}
