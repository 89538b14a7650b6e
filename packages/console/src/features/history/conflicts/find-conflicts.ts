import type { Database, DocumentConflicts } from 'fixpoint';

export interface FoundConflict {
  readonly id: string;
  readonly conflicts: DocumentConflicts;
}

const PAGE = 200;

export interface FindConflictsOptions {
  readonly signal: AbortSignal;
  /** Receives the number of documents checked, and the conflicts found so far. */
  readonly onProgress: (looked: number, found: readonly FoundConflict[]) => void;
}

/**
 * Finds documents with conflicts. Checks only documents that more than one event wrote, because
 * others can't have conflicts. Doesn't find conflicts of documents that an event wrote without
 * naming them: an event may name only some of its documents.
 * @throws FixpointError; the reason of the signal
 */
export async function findConflicts(
  database: Pick<Database, 'events' | 'conflicts'>,
  { signal, onProgress }: FindConflictsOptions,
): Promise<readonly FoundConflict[]> {
  const ids = await idsWrittenTwice(database, signal);
  const found: FoundConflict[] = [];
  let looked = 0;
  for (const id of ids) {
    signal.throwIfAborted();
    const conflicts = await database.conflicts(id);
    looked += 1;
    if (conflicts !== undefined) found.push({ id, conflicts });
    onProgress(looked, [...found]);
  }
  return found;
}

async function idsWrittenTwice(
  database: Pick<Database, 'events'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const once = new Set<string>();
  const twice = new Set<string>();
  let after: string | undefined;
  for (;;) {
    const page = await database.events({ limit: PAGE, after, signal });
    for (const { ids } of page)
      for (const id of ids) {
        if (once.has(id)) twice.add(id);
        once.add(id);
      }
    if (page.length < PAGE) return twice;
    after = page.at(-1)?.event;
  }
}
