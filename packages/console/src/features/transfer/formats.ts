/** Formats for export and import. */
import type { Ids } from './document-ids.ts';

export type Format = 'json' | 'ndjson' | 'csv';

export const FORMATS: readonly Format[] = ['json', 'ndjson', 'csv'];

const LABELS: Readonly<Record<Format, string>> = {
  json: 'JSON',
  ndjson: 'NDJSON, one document per line',
  csv: 'CSV',
};
const TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
};

export const formatLabel = (format: Format): string => LABELS[format];
export const mediaType = (format: Format): string => TYPES[format];

/** Returns a file's format from its extension; JSON for unknown ones. */
export function formatOfName(name: string): Format {
  const end = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase();
  if (end === 'csv') return 'csv';
  return end === 'ndjson' || end === 'jsonl' ? 'ndjson' : 'json';
}

/** Pass this as `ids` for all documents of a database. */
export const allIds: Ids | undefined = undefined;
