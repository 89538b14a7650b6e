/** Imports checked files in their order, as a step that can be undone. */
import type { Database } from 'fixpoint';
import { documentsText, type Step } from '../../../undo/undo-stack.ts';
import { type UndoDatabase, type WrittenPart, writtenStep } from '../../../undo/written-step.ts';
import { type Check, countFates, existing, idOf, writtenId } from './check-import.ts';
import { rowsOf } from './import-file.ts';
import { bitOf, type Choices, type Fields, type ImportRow, maskOf } from './problems.ts';
import { fateOfRow, keptPlace, placeOf, type RowPlace } from './repeated.ts';
import { fixedDocument, identified } from './row-documents.ts';

const BATCH = 500;

export interface Writing {
  readonly signal: AbortSignal;
  readonly onProgress: (documents: number) => void;
}

export interface Imported {
  /** Documents written: all documents, or fewer if the import was cancelled or failed. */
  readonly documents: number;
  /** Documents that stayed as they are, because they have a conflict. */
  readonly conflicts: number;
  /** Why the import failed before its end. */
  readonly error?: unknown;
  /** Undefined if nothing was written, or if the import is too large to undo. */
  readonly step: Step | undefined;
}

type WrittenDatabase = UndoDatabase & Pick<Database, 'bulk' | 'head'>;
type Head = readonly string[];

/** The memory that the ids of an import may occupy as a step. */
const STEP_BYTES_MAX = 24 * 1024 * 1024;
const idBytes = (chars: number): number => 32 + 2 * chars;

/** Returns whether the ids fit into a step. Assumes that they are as long as those of all rows. */
export function isUndoable(check: Check, choices: Choices): boolean {
  const rows = check.files.reduce((sum, file) => sum + file.rows, 0);
  const chars = check.files.reduce((sum, file) => sum + file.idChars, 0);
  const { added, replaced } = countFates(check, choices);
  return (added + replaced) * idBytes(chars / Math.max(1, rows)) <= STEP_BYTES_MAX;
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
  const written = new Written(database);
  let documents = 0;
  let error: unknown;
  try {
    for await (const { docs, replaces } of batchesOf(database, check, choices, writing.signal)) {
      if (docs.length === 0) continue;
      documents += await written.write(docs, replaces);
      writing.onProgress(documents);
    }
  } catch (cause) {
    if (!writing.signal.aborted) error = cause;
  }
  const { added, replaced } = countFates(check, choices);
  const label = importedText(documents, Math.max(documents, added + replaced));
  const { conflicts } = written;
  return { documents, conflicts, step: written.step(label), ...(error !== undefined && { error }) };
}

export const importedText = (documents: number, of: number): string =>
  documents === of
    ? `Imported ${documentsText(documents)}`
    : `Imported ${documents.toLocaleString('en')} of ${documentsText(of)}`;

interface WrittenIds {
  readonly ids: readonly string[];
  readonly before: Head | undefined;
  /** The version after this batch and those that follow it, until somebody else wrote. */
  readonly after: { head: Head };
}

/**
 * Writes batches, and keeps their ids while these fit into a step. Opening a version takes time, so
 * batches share versions unless somebody else wrote in between. So a change that somebody made
 * during the import isn't taken for a part of it.
 */
class Written {
  readonly #database: WrittenDatabase;
  /** Number of documents that weren't replaced. */
  conflicts = 0;
  #batches: WrittenIds[] | undefined = [];
  #bytes = 0;
  #after: { head: Head } = { head: [] };
  /** The version before batches that replace documents, and the one after them. */
  #replaced: { readonly before: Head; readonly after: Head } | undefined;

  constructor(database: WrittenDatabase) {
    this.#database = database;
  }

  async write(docs: readonly Fields[], replaces: boolean): Promise<number> {
    if (this.#batches === undefined) return (await this.#bulk(docs)).length;
    const head = await this.#database.head();
    if (!isSame(this.#after.head, head)) this.#after = { head };
    const before = this.#replaced && isSame(this.#replaced.after, head) ? this.#replaced.before : head;
    const ids = await this.#bulk(docs);
    if (ids.length === 0) return 0;
    this.#after.head = await this.#database.head();
    if (replaces) this.#replaced = { before, after: this.#after.head };
    this.#bytes += ids.reduce((sum, id) => sum + idBytes(id.length), 0);
    if (this.#bytes > STEP_BYTES_MAX) this.#batches = undefined;
    else this.#batches.push({ ids, before: replaces ? before : undefined, after: this.#after });
    return ids.length;
  }

  /** Returns the ids of the written documents. */
  async #bulk(docs: readonly Fields[]): Promise<readonly string[]> {
    const { ids, kept = [] } = await this.#database.bulk(docs, { keepConflicts: true });
    this.conflicts += kept.length;
    return ids;
  }

  step(label: string): Step | undefined {
    if (this.#batches === undefined || this.#batches.length === 0) return undefined;
    const parts = this.#batches.map(
      ({ ids, before, after }): WrittenPart => ({ ids, before, after: after.head }),
    );
    return writtenStep(this.#database, label, parts);
  }
}

const isSame = (one: Head, other: Head): boolean => one.join() === other.join();

async function* batchesOf(
  database: WrittenDatabase,
  check: Check,
  choices: Choices,
  signal: AbortSignal,
): AsyncGenerator<Batch, void> {
  let batch: PlacedRow[] = [];
  for (const [at, { file, number, facts, chosen, idField }] of check.files.entries())
    for await (const rows of rowsOf(file, facts, chosen, { signal }))
      for (const read of rows) {
        const row = identified(read, idField);
        batch.push({ row, place: placeOf(at, row), number });
        if (batch.length < BATCH) continue;
        yield await documentsOf(database, batch, check, choices);
        signal.throwIfAborted();
        batch = [];
      }
  yield await documentsOf(database, batch, check, choices);
}

interface PlacedRow {
  readonly row: ImportRow;
  readonly place: RowPlace;
  /** The number of the file. */
  readonly number: number;
}

/** Returns the documents to write. Asks again which ones exist, since others may write, too. */
async function documentsOf(
  database: WrittenDatabase,
  rows: readonly PlacedRow[],
  { repeated, newIds }: Check,
  choices: Choices,
): Promise<Batch> {
  const ids = rows.map(({ row }) => idOf(row, choices));
  const written = rows.map(({ row, number }) => writtenId(newIds, number, row));
  const there = await existing(database, [...ids, ...written]);
  let replaces = false;
  const docs = rows.flatMap(({ row, place, number }, at) => {
    const id = ids[at];
    const sameId = id === undefined ? undefined : repeated.get(id);
    const exists = there.has(id ?? written[at] ?? '');
    const mask = maskOf(row.problems) | (exists ? bitOf('exists') : 0);
    const fate = fateOfRow({ place, mask, sameId }, choices);
    const doc = fixedDocument(row, choices);
    if (doc === undefined || fate === 'skipped' || fate === 'kept') return [];
    const isOther = sameId !== undefined && keptPlace(sameId, choices) !== place;
    const isNew = id === undefined || isOther || (exists && fate === 'added');
    if (!isNew) {
      replaces ||= fate === 'replaced';
      return [doc];
    }
    const newId = newIds.idOf(number, row);
    replaces ||= there.has(newId);
    const fields = Object.entries(doc).filter(([field]) => field !== '_id');
    return [Object.fromEntries([['_id', newId], ...fields])];
  });
  return { docs, replaces };
}
