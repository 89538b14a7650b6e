/** Exports documents to a file. Reads and writes them in parts. */
import type { Stored } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { toPlain } from '../../values/plain-json.ts';
import { cellOf, csvLine, spreadsheetSafe } from './csv.ts';
import type { Ids } from './document-ids.ts';
import type { Format } from './formats.ts';

const BATCH = 500;

/** The part of a database that an export reads. */
export type Source = Pick<BridgedDatabase, 'allDocs' | 'rows'>;

/** Yields the documents with these ids, or all documents. @throws the reason of the signal */
export async function* documentsOf(
  database: Source,
  ids: Ids | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly Stored[], void> {
  if (ids === undefined) {
    yield* database.rows.scan({ batch: BATCH, signal });
    return;
  }
  for await (const part of ids(signal))
    for (let at = 0; at < part.length; at += BATCH) {
      signal.throwIfAborted();
      const { rows } = await database.allDocs({ keys: part.slice(at, at + BATCH) });
      yield rows.map(({ value }) => value);
    }
}

export interface ExportOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (documents: number) => void;
  /** Whether to put an apostrophe before CSV cells that a spreadsheet would run as a formula. */
  readonly isSafe?: boolean;
}

/** Yields the file's text piece by piece. @throws the reason of the signal */
export async function* exportText(
  database: Source,
  format: Format,
  ids: Ids | undefined,
  { signal, onProgress, isSafe = true }: ExportOptions,
): AsyncGenerator<string, void> {
  const fields = format === 'csv' ? await fieldsOf(database, signal) : [];
  let count = 0;
  const line = (cells: readonly string[]) => csvLine(isSafe ? cells.map(spreadsheetSafe) : cells);
  if (format === 'csv') yield line(fields);
  if (format === 'json') yield '[';
  for await (const docs of documentsOf(database, ids, signal)) {
    if (docs.length === 0) continue;
    if (format === 'csv') yield docs.map((doc) => line(fields.map((field) => cellOf(doc, field)))).join('');
    else if (format === 'ndjson') yield docs.map((doc) => `${jsonOf(doc)}\n`).join('');
    else yield (count === 0 ? '\n' : ',\n') + docs.map(jsonOf).join(',\n');
    count += docs.length;
    onProgress?.(count);
  }
  if (format === 'json') yield count === 0 ? ']\n' : '\n]\n';
}

const jsonOf = (doc: Stored): string => JSON.stringify(toPlain(doc));

async function fieldsOf({ rows }: Source, signal: AbortSignal): Promise<readonly string[]> {
  const uses = await rows.fields({ signal });
  return ['_id', ...uses.map(({ field }) => field).filter((field) => field !== '_id')];
}
