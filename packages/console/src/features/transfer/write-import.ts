/** Writes documents that were read from a file. */
import type { Database } from 'fixpoint';
import type { Fields } from './read-import.ts';

const BATCH = 500;

export interface ImportPlan {
  /** Documents that replace no existing document. */
  readonly fresh: readonly Fields[];
  /** Documents whose id already exists in the database. */
  readonly known: readonly Fields[];
}

/**
 * Returns which documents are new, and which already exist in the database.
 * @throws FixpointError KEY_INVALID; the reason of the signal
 */
export async function planImport(
  database: Database,
  docs: readonly Fields[],
  signal: AbortSignal,
): Promise<ImportPlan> {
  const fresh: Fields[] = [];
  const known: Fields[] = [];
  for (let at = 0; at < docs.length; at += BATCH) {
    signal.throwIfAborted();
    const batch = docs.slice(at, at + BATCH);
    const keys = batch.flatMap(({ _id }) => (typeof _id === 'string' ? [_id] : []));
    const { rows } = await database.allDocs({ keys });
    const there = new Set(rows.map(({ key }) => key));
    for (const doc of batch) (there.has(String(doc['_id'])) ? known : fresh).push(doc);
  }
  return { fresh, known };
}

/**
 * Writes in atomic batches; returns how many documents were written. When the signal aborts, the
 * documents written so far stay.
 * @throws FixpointError
 */
export async function writeImport(
  database: Database,
  docs: readonly Fields[],
  { signal, onProgress }: { signal: AbortSignal; onProgress: (documents: number) => void },
): Promise<number> {
  let written = 0;
  for (let at = 0; at < docs.length && !signal.aborted; at += BATCH) {
    const batch = docs.slice(at, at + BATCH);
    await database.bulk(batch);
    written += batch.length;
    onProgress(written);
  }
  return written;
}
