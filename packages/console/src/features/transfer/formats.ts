/** Formats for export. */
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

/** Pass this as `ids` for all documents of a database. */
export const allIds: Ids | undefined = undefined;
