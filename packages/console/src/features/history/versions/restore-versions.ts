/** Restores documents to an earlier version by new writes, which can be undone. */
import type { Database, Stored } from 'fixpoint';
import { CONFLICT_TEXT } from '../../../undo/open-conflicts.ts';
import { readIn, type WrittenPart } from '../../../undo/written-step.ts';

export interface Change {
  readonly id: string;
  /** Undefined: the document doesn't exist. */
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
}

export interface WriteOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (documents: number) => void;
}

type Target = Pick<Database, 'bulk' | 'head'>;

const BATCH = 500;

/** Returns the changes that restore all documents to a head. @throws FixpointError */
export async function changesTo(
  database: Pick<Database, 'diff' | 'head'>,
  head: readonly string[],
): Promise<readonly Change[]> {
  const changes = await database.diff(await database.head(), head);
  return changes.map(({ id, before, after }) => ({ id, before, after }));
}

export interface Restored {
  /** Number of documents. */
  readonly restored: number;
  /** Documents that stayed as they are, because they have a conflict. */
  readonly conflicts: number;
  /** The writes, for Undo. */
  readonly parts: readonly WrittenPart[];
  /** Why a batch failed. The batches before it are written. */
  readonly error?: unknown;
}

/**
 * Writes the changes in batches. When the signal aborts or a batch fails, resolves with the changes
 * written so far.
 */
export async function writeChanges(
  database: Target,
  changes: readonly Change[],
  { signal, onProgress }: WriteOptions,
): Promise<Restored> {
  const parts: WrittenPart[] = [];
  let [restored, conflicts] = [0, 0];
  let error: unknown;
  try {
    for (let at = 0; at < changes.length && !signal.aborted; at += BATCH) {
      const batch = changes.slice(at, at + BATCH);
      const docs = batch.flatMap(({ after }) => (after === undefined ? [] : [after]));
      const gone = batch.filter(({ after }) => after === undefined);
      const before = await database.head();
      const del = gone.map(({ id }) => id);
      const { ids, kept = [] } = await database.bulk(docs, { del, keepConflicts: true });
      if (ids.length > 0) parts.push({ ids, before, after: await database.head() });
      restored += ids.length;
      conflicts += kept.length;
      onProgress?.(restored + conflicts);
    }
  } catch (cause) {
    error = cause;
  }
  return { restored, conflicts, parts, ...(error !== undefined && { error }) };
}

/**
 * Restores one document to a head; returns what was written, for Undo.
 * @throws FixpointError; an Error with a text for users if the document has a conflict
 */
export async function restoreVersion(
  database: Pick<Database, 'head' | 'at' | 'bulk'>,
  id: string,
  head: readonly string[],
): Promise<WrittenPart> {
  const doc = await readIn(database.at(head), id);
  const before = await database.head();
  const { kept = [] } = await database.bulk(doc === undefined ? [] : [doc], {
    del: doc === undefined ? [id] : [],
    keepConflicts: true,
  });
  if (kept.length > 0) throw new Error(CONFLICT_TEXT);
  return { ids: [id], before, after: await database.head() };
}
