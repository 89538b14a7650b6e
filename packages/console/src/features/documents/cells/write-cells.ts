/** Writes values into many cells at once, in existing and new documents. */
import type { Database, Stored, Transaction } from 'fixpoint';
import { openConflicts } from '../../../undo/open-conflicts.ts';
import { fieldChange, readIn, type WrittenPart } from '../../../undo/written-step.ts';
import { valueIn, withField } from '../../../values/document-fields.ts';
import { sameValue } from '../values/field-value.ts';

interface CellValue {
  readonly field: string;
  /** Undefined removes the field. */
  readonly value: unknown;
}

export interface RowEdit {
  /** Undefined creates a document. */
  readonly id: string | undefined;
  readonly cells: readonly CellValue[];
}

export interface CellsPreview {
  /** Cells of existing documents that would change. */
  readonly changed: number;
  /** Documents with such cells. */
  readonly documents: number;
  /** Documents that would be created. */
  readonly created: number;
  /** The first changes. */
  readonly samples: readonly {
    readonly id: string;
    readonly field: string;
    readonly before: unknown;
    readonly after: unknown;
  }[];
}

/** A paste or a fill, which users see under the name `verb`. */
export interface CellsWork {
  readonly verb: 'Paste' | 'Fill';
  readonly edits: readonly RowEdit[];
  readonly preview: CellsPreview;
  /** Number of pasted cells that can't be written. */
  readonly leftOut: number;
}

/** Says how many pasted cells aren't written. Returns an empty text for no cells. */
export function leftOutText(cells: number): string {
  if (cells === 0) return '';
  const number = cells === 1 ? '1 cell' : `${cells.toLocaleString('en')} cells`;
  return `Left out ${number} beyond the last column, or in columns that can’t be changed here.`;
}

type CellsDatabase = Pick<Database, 'transact' | 'conflicts'>;

export interface CellsWritten {
  readonly changed: number;
  readonly created: number;
  /** Documents that were deleted before their cells could be written. */
  readonly gone: number;
  /** Documents whose cells stayed as they are, because the documents have a conflict. */
  readonly conflicts: number;
  readonly parts: readonly WrittenPart[];
  /** Why a batch failed. The batches before it are written. */
  readonly error?: unknown;
}

const BATCH = 500;
const SAMPLES = 5;

/** Returns what the edits would change. @throws FixpointError */
export async function previewCells(
  database: Pick<Database, 'allDocs'>,
  edits: readonly RowEdit[],
): Promise<CellsPreview> {
  let [changed, documents] = [0, 0];
  const samples: CellsPreview['samples'][number][] = [];
  for (let at = 0; at < edits.length; at += BATCH) {
    const known = edits.slice(at, at + BATCH).filter(isKnown);
    const { rows } = await database.allDocs({ keys: known.map(({ id }) => id) });
    const docs = new Map(rows.map(({ key, value }) => [key, value]));
    for (const { id, cells } of known) {
      const doc = docs.get(id);
      const changes = doc === undefined ? [] : changesIn(doc, cells);
      changed += changes.length;
      documents += changes.length > 0 ? 1 : 0;
      for (const change of changes) if (samples.length < SAMPLES) samples.push({ id, ...change });
    }
  }
  return { changed, documents, created: edits.filter(isNew).length, samples };
}

const isKnown = (edit: RowEdit): edit is RowEdit & { readonly id: string } => edit.id !== undefined;

/** A row without values creates no document. */
const isNew = ({ id, cells }: RowEdit): boolean =>
  id === undefined && cells.some(({ value }) => value !== undefined && value !== '');

const changesIn = (doc: Stored, cells: readonly CellValue[]) =>
  cells.flatMap(({ field, value }) => {
    const before = valueIn(doc, field);
    return sameValue(before, value) ? [] : [{ field, before, after: value }];
  });

/**
 * Writes the edits in batches. Each batch is written completely or not at all, and only into the
 * given cells, even if other fields change at the same time. Stops at a batch that fails.
 */
export async function writeCells(
  database: CellsDatabase,
  edits: readonly RowEdit[],
  onProgress?: (rows: number) => void,
): Promise<CellsWritten> {
  const parts: WrittenPart[] = [];
  let [changed, created, gone, conflicts] = [0, 0, 0, 0];
  let error: unknown;
  try {
    for (let at = 0; at < edits.length; at += BATCH) {
      const batch = edits.slice(at, at + BATCH);
      const done = await database.transact((transaction) => writeBatch(database, transaction, batch));
      changed += done.changed;
      created += done.created;
      gone += done.gone;
      conflicts += done.conflicts;
      if (done.kept.length > 0) parts.push({ kept: done.kept });
      onProgress?.(at + batch.length);
    }
  } catch (cause) {
    error = cause;
  }
  return { changed, created, gone, conflicts, parts, ...(error !== undefined && { error }) };
}

async function writeBatch(database: CellsDatabase, transaction: Transaction, batch: readonly RowEdit[]) {
  const docs = await Promise.all(
    batch.map(({ id }) => (id === undefined ? undefined : readIn(transaction, id))),
  );
  const open = await openConflicts(
    database,
    docs.flatMap((doc) => doc?._id ?? []),
  );
  const left = new Set<string>();
  const kept: ReturnType<typeof fieldChange>[] = [];
  let [changed, created, gone] = [0, 0, 0];
  for (const [at, edit] of batch.entries()) {
    const { id, cells } = edit;
    const doc = docs[at];
    if (id === undefined) {
      if (!isNew(edit)) continue;
      const fields = Object.fromEntries(
        cells.filter(({ value }) => value !== undefined).map(({ field, value }) => [field, value]),
      );
      const { id: made } = transaction.put(fields);
      kept.push({ id: made, before: undefined, after: { ...fields, _id: made } });
      created += 1;
    } else if (doc === undefined) gone += 1;
    else {
      const changes = changesIn(doc, cells);
      if (changes.length === 0) continue;
      if (open.has(id)) {
        left.add(id);
        continue;
      }
      transaction.put(changes.reduce((now, { field, after }) => withField(now, field, after), doc));
      kept.push(fieldChange(id, changes));
      changed += changes.length;
    }
  }
  return { kept, changed, created, gone, conflicts: left.size };
}
