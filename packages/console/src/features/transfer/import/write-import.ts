/** Imports checked files in their order, and undoes an import. */
import type { Database, Stored } from 'fixpoint';
import { type Check, existing, idOf } from './check-import.ts';
import { fingerprintOf } from './fingerprint.ts';
import { rowsOf } from './import-file.ts';
import { bitOf, type Choices, type Fields, type ImportRow, maskOf } from './problems.ts';
import { fateOfRow, keptPlace, placeOf, type Repeated } from './repeated.ts';
import { fixedDocument, identified } from './row-documents.ts';

const BATCH = 500;

export interface Writing {
  readonly signal: AbortSignal;
  readonly onProgress: (documents: number) => void;
}

/** The result of {@link Imported.undo}. */
interface Undone {
  readonly documents: number;
  /** Documents that somebody changed or deleted since the import, which stay as they are. */
  readonly changed: number;
}

export interface Imported {
  /** Documents written: all documents, or fewer if the import was cancelled or failed. */
  readonly documents: number;
  /** Why the import failed before its end. */
  readonly error?: unknown;
  /**
   * Deletes the documents that the import added, and restores the ones that it replaced.
   * @throws FixpointError
   */
  undo(onProgress?: (documents: number) => void): Promise<Undone>;
}

type WrittenDatabase = Pick<Database, 'allDocs' | 'at' | 'bulk' | 'head'>;

interface WrittenBatch {
  readonly ids: readonly string[];
  /** Fingerprints of the documents, in the order of `ids`. */
  readonly prints: Float64Array;
  /** The head right before the batch, if it replaced documents. */
  readonly before: readonly string[] | undefined;
}

interface Batch {
  readonly docs: readonly Fields[];
  /** Whether some of the documents replace others. */
  readonly replaces: boolean;
}

/**
 * Writes the documents of all files in atomic batches, in the order of the files. When the signal
 * aborts or a batch fails, the documents written so far stay.
 */
export async function writeImport(
  database: WrittenDatabase,
  check: Check,
  choices: Choices,
  writing: Writing,
): Promise<Imported> {
  const batches: WrittenBatch[] = [];
  let documents = 0;
  let error: unknown;
  try {
    for await (const batch of batchesOf(database, check, choices, writing.signal)) {
      const { docs, replaces } = batch;
      if (docs.length === 0) continue;
      // Others may write during a long import, so each batch has its own head.
      const before = replaces ? await database.head() : undefined;
      const { ids } = await database.bulk(docs);
      batches.push({ ids, prints: Float64Array.from(docs, fingerprintOf), before });
      documents += docs.length;
      writing.onProgress(documents);
    }
  } catch (cause) {
    if (!writing.signal.aborted) error = cause;
  }
  const undo: Imported['undo'] = (onProgress) => undoImport(database, batches, onProgress);
  return { documents, undo, ...(error !== undefined && { error }) };
}

async function* batchesOf(
  database: WrittenDatabase,
  { files, repeated }: Check,
  choices: Choices,
  signal: AbortSignal,
): AsyncGenerator<Batch, void> {
  let batch: PlacedRow[] = [];
  for (const [at, { file, facts, chosen, idField }] of files.entries())
    for await (const rows of rowsOf(file, facts, chosen, { signal }))
      for (const read of rows) {
        const row = identified(read, idField);
        batch.push({ row, file: at });
        if (batch.length < BATCH) continue;
        yield await documentsOf(database, batch, repeated, choices);
        signal.throwIfAborted();
        batch = [];
      }
  yield await documentsOf(database, batch, repeated, choices);
}

interface PlacedRow {
  readonly row: ImportRow;
  readonly file: number;
}

/** Returns the documents to write. Asks again which ones exist, since others may write, too. */
async function documentsOf(
  database: WrittenDatabase,
  rows: readonly PlacedRow[],
  repeated: Repeated,
  choices: Choices,
): Promise<Batch> {
  const ids = rows.map(({ row }) => idOf(row, choices));
  const there = await existing(
    database,
    ids.filter((id) => id !== undefined),
  );
  let replaces = false;
  const docs = rows.flatMap(({ row, file }, at) => {
    const id = ids[at];
    const sameId = id === undefined ? undefined : repeated.get(id);
    const place = placeOf(file, row);
    const exists = id !== undefined && there.has(id);
    const mask = maskOf(row.problems) | (exists ? bitOf('exists') : 0);
    const fate = fateOfRow({ place, mask, sameId }, choices);
    const doc = fixedDocument(row, choices);
    if (doc === undefined || fate === 'skipped' || fate === 'kept') return [];
    replaces ||= fate === 'replaced';
    const isOther = sameId !== undefined && keptPlace(sameId, choices) !== place;
    const isNew = isOther || (exists && fate === 'added');
    if (!isNew) return [doc];
    return [Object.fromEntries(Object.entries(doc).filter(([field]) => field !== '_id'))];
  });
  return { docs, replaces };
}

/** Undoes the last batch first. */
async function undoImport(
  database: WrittenDatabase,
  batches: readonly WrittenBatch[],
  onProgress?: (documents: number) => void,
): Promise<Undone> {
  let documents = 0;
  let changed = 0;
  for (const { ids, prints, before } of batches.toReversed()) {
    const [earlier, now] = await Promise.all([
      before ? documentsAt(database.at(before), ids) : new Map<string, Stored>(),
      documentsAt(database, ids),
    ]);
    const own = ids.filter((id, at) => {
      const doc = now.get(id);
      return doc !== undefined && fingerprintOf(doc) === prints[at];
    });
    const restored = own.flatMap((id) => earlier.get(id) ?? []);
    const del = own.filter((id) => !earlier.has(id));
    if (own.length > 0) await database.bulk(restored, { del });
    documents += own.length;
    changed += ids.length - own.length;
    onProgress?.(documents);
  }
  return { documents, changed };
}

async function documentsAt(
  view: Pick<Database, 'allDocs'>,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Stored>> {
  if (keys.length === 0) return new Map();
  const { rows } = await view.allDocs({ keys });
  return new Map(rows.map(({ key, value }) => [key, value]));
}
