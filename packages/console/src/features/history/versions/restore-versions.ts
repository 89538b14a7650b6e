/** Restores documents to an earlier version by new writes, which can be undone. */
import type { Database, Stored } from 'fixpoint';
import type { WrittenPart } from '../../../undo/written-step.ts';

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
  let restored = 0;
  let error: unknown;
  try {
    for (let at = 0; at < changes.length && !signal.aborted; at += BATCH) {
      const batch = changes.slice(at, at + BATCH);
      const docs = batch.flatMap(({ after }) => (after === undefined ? [] : [after]));
      const gone = batch.filter(({ after }) => after === undefined);
      const before = await database.head();
      await database.bulk(docs, { del: gone.map(({ id }) => id) });
      parts.push({ ids: batch.map(({ id }) => id), before, after: await database.head() });
      restored += batch.length;
      onProgress?.(restored);
    }
  } catch (cause) {
    error = cause;
  }
  return { restored, parts, ...(error !== undefined && { error }) };
}

/**
 * Restores an earlier version of one document; returns what was written, for Undo.
 * @throws FixpointError
 */
export async function restoreVersion(
  database: Pick<Database, 'head' | 'restore'>,
  id: string,
  event: string,
): Promise<WrittenPart> {
  const before = await database.head();
  await database.restore(id, [event]);
  return { ids: [id], before, after: await database.head() };
}
