/** Counts how many documents have each field: once in full, then by changes. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Commits } from '../commit/commits-interface.ts';
import type { Snapshot } from '../commit/snapshot.ts';
import { getLinks } from '../trie/get.ts';
import { isLiveLink, type Slices } from './counted-trie.ts';
import { documentBatches, type LiveDoc, type LiveLink, readDocuments } from './read-batch.ts';

/** A field, and the number of documents that have it. */
export interface FieldUse {
  readonly field: string;
  /** Number of documents that have it. */
  readonly documents: number;
}

/** `_id` first, then in the order of {@link byUse}. Each list is a copy and does not change. */
export type FieldUses = readonly FieldUse[];

const { compare } = new Intl.Collator('en', { numeric: true });

/**
 * Compares by use, most used first (spec §2); equal use by name in natural order: `part2` before
 * `part10`.
 */
export function byUse(a: FieldUse, b: FieldUse): number {
  return b.documents - a.documents || compare(a.field, b.field) || (a.field < b.field ? -1 : 1);
}

export interface FieldCounter {
  /** Returns the current fields. The first call counts all documents, in slices. */
  get(slices: Slices): Promise<FieldUses>;
  /** Calls back with each new list. */
  onChange(listener: (uses: FieldUses) => void): () => void;
}

/** Documents between two yields. */
const BATCH = 250;

/** The counts, and the version they reflect. */
interface Counted {
  readonly counts: Map<string, number>;
  readonly at: Snapshot;
}

export function createFieldCounter(
  commits: Pick<Commits, 'readers' | 'snapshot' | 'subscribe' | 'read'>,
  newSlices: () => Slices,
  report: (error: unknown) => void,
): FieldCounter {
  const { readers } = commits;
  const listeners = new Set<(uses: FieldUses) => void>();
  let counted: Counted | undefined;
  /** Set once a count began: later changes have to be applied. */
  let isFollowing = false;
  let changed = new Set<string>();
  let told: FieldUses | undefined;
  let last: Promise<unknown> = Promise.resolve();

  commits.subscribe(({ ids }) => {
    if (!isFollowing) return;
    for (const id of ids) changed.add(id);
    if (counted !== undefined && listeners.size > 0) void inTurn(newSlices()).catch(report);
  });
  async function count(slices: Slices): Promise<Counted> {
    isFollowing = true;
    changed = new Set();
    return commits.read(async (at) => {
      const counts = new Map<string, number>();
      for await (const docs of documentBatches(readers, at, {}, { ...slices, size: BATCH }))
        for (const doc of docs) add(counts, doc, 1);
      return { counts, at };
    });
  }

  /**
   * Applies the changes since the last count. Reads the previous documents from the trie of that
   * time; if that is gone, counts everything again.
   */
  async function follow({ counts, at: before }: Counted, slices: Slices): Promise<Counted> {
    const ids = [...changed];
    changed = new Set();
    const at = commits.snapshot();
    try {
      const next = new Map(counts);
      for (let from = 0; from < ids.length; from += BATCH) {
        const some = ids.slice(from, from + BATCH);
        for (const doc of await documentsAt(before, some)) add(next, doc, -1);
        for (const doc of await documentsAt(at, some)) add(next, doc, 1);
        if (slices.pace.isDue()) await slices.pace.rest();
      }
      return { counts: next, at };
    } catch (cause) {
      if (!isFixpointError(cause, 'MISSING_BLOCK') && !isFixpointError(cause, 'MISSING_CARS')) throw cause;
      return count(slices);
    }
  }

  async function documentsAt({ root }: Snapshot, ids: readonly string[]): Promise<readonly LiveDoc[]> {
    if (root === undefined) return [];
    const links = await getLinks(readers.shard, root, ids);
    const live = ids.flatMap((id, at): LiveLink[] => {
      const link = links[at];
      return isLiveLink(id, link) ? [[id, link]] : [];
    });
    return readDocuments(readers, live);
  }

  async function bring(slices: Slices): Promise<FieldUses> {
    slices.signal?.throwIfAborted();
    try {
      if (counted === undefined) counted = await count(slices);
      while (changed.size > 0) counted = await follow(counted, slices);
    } catch (cause) {
      // Partially applied changes are unreliable.
      counted = undefined;
      isFollowing = false;
      throw cause;
    }
    const uses = listOf(counted.counts);
    if (told !== undefined && isSame(uses, told)) return told;
    told = uses;
    tell(uses);
    return uses;
  }

  function tell(uses: FieldUses): void {
    for (const listener of [...listeners]) {
      try {
        listener(uses);
      } catch (cause) {
        report(new FixpointError('SUBSCRIBER', undefined, { cause }));
      }
    }
  }

  /** One at a time: two would count the same change twice. */
  function inTurn(slices: Slices): Promise<FieldUses> {
    const own = last.then(() => bring(slices));
    last = own.catch(() => undefined);
    return own;
  }

  return {
    get: inTurn,
    onChange: (listener) => {
      const own = (uses: FieldUses) => listener(uses);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

function add(counts: Map<string, number>, doc: LiveDoc, by: 1 | -1): void {
  for (const field of Object.keys(doc)) {
    const count = (counts.get(field) ?? 0) + by;
    if (count === 0) counts.delete(field);
    else counts.set(field, count);
  }
}

function listOf(counts: ReadonlyMap<string, number>): FieldUses {
  const others = [...counts]
    .filter(([field]) => field !== '_id')
    .map(([field, documents]) => ({ field, documents }));
  return [{ field: '_id', documents: counts.get('_id') ?? 0 }, ...others.sort(byUse)];
}

const isSame = (a: FieldUses, b: FieldUses): boolean =>
  a.length === b.length &&
  a.every(({ field, documents }, at) => field === b[at]?.field && documents === b[at]?.documents);
