/** Restores documents to an earlier version by new writes, which can be undone. */
import type { Database, Stored } from 'fixpoint';
import { sameFields } from '../../../values/document-fields.ts';

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

type Written = Pick<Database, 'allDocs' | 'bulk'>;

const BATCH = 500;

/** Returns the changes that restore all documents to a head. @throws FixpointError */
export async function changesTo(
  database: Pick<Database, 'diff' | 'head'>,
  head: readonly string[],
): Promise<readonly Change[]> {
  const changes = await database.diff(await database.head(), head);
  return changes.map(({ id, before, after }) => ({ id, before, after }));
}

/**
 * Writes the changes in batches. When the signal aborts, resolves with the changes written so far.
 * @throws FixpointError
 */
export async function writeChanges(
  database: Written,
  changes: readonly Change[],
  { signal, onProgress }: WriteOptions,
): Promise<readonly Change[]> {
  const written: Change[] = [];
  for (let at = 0; at < changes.length && !signal.aborted; at += BATCH) {
    const batch = changes.slice(at, at + BATCH);
    const docs = batch.flatMap(({ after }) => (after === undefined ? [] : [after]));
    const gone = batch.filter(({ after }) => after === undefined);
    await database.bulk(docs, { del: gone.map(({ id }) => id) });
    for (const change of batch) written.push(change);
    onProgress?.(written.length);
  }
  return written;
}

/** Undoes changes that weren't overwritten since; returns how many. @throws FixpointError */
export async function takeBack(database: Written, changes: readonly Change[]): Promise<number> {
  const { signal } = new AbortController();
  let back = 0;
  for (let at = 0; at < changes.length; at += BATCH) {
    const batch = changes.slice(at, at + BATCH);
    const { rows } = await database.allDocs({ keys: batch.map(({ id }) => id) });
    const now = new Map(rows.map(({ key, value }) => [key, value]));
    const standing = batch.filter(({ id, after }) => isSame(now.get(id), after));
    const reversed = standing.map(({ id, before, after }) => ({ id, before: after, after: before }));
    back += (await writeChanges(database, reversed, { signal })).length;
  }
  return back;
}

const isSame = (a: Stored | undefined, b: Stored | undefined): boolean =>
  a === undefined || b === undefined ? a === b : sameFields(a, b);

/**
 * Restores an earlier version of one document; returns a function that undoes the restore.
 * @throws FixpointError
 */
export async function restoreVersion(
  database: Pick<Database, 'head' | 'restore'>,
  id: string,
  event: string,
): Promise<() => Promise<void>> {
  // Undo restores the document at the head from before the restore.
  const before = await database.head();
  await database.restore(id, [event]);
  return async () => void (await database.restore(id, before));
}
