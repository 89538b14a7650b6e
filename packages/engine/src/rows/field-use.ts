/**
 * Counts how many documents have each field. Counts all documents one time, then applies only
 * changes.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Commits } from '../commit/commits-interface.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import type { LiveDoc } from '../documents/decode-fields.ts';
import { getLinks } from '../trie/get.ts';
import { isLiveLink, type Slices } from './counted-trie.ts';
import { documentBatches, type LiveLink, readDocuments } from './read-batch.ts';

/** A field, and the number of documents that have it. */
export interface FieldUse {
  readonly field: string;
  /** Number of documents that have the field. */
  readonly documents: number;
}

/**
 * The fields of documents: `_id` first, then the others in the order of {@link byUse}. Each list is
 * a copy and does not change.
 */
export type FieldUses = readonly FieldUse[];

const { compare } = new Intl.Collator('en', { numeric: true });

/**
 * Compares fields by use, most used first. Fields with equal use are compared by name in natural
 * order: `part2` before `part10`.
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

/** Number of documents that are read between two yields. */
const BATCH = 250;

type CountedCommits = Pick<Commits, 'readers' | 'snapshot' | 'settle' | 'subscribe' | 'read'>;

export function createFieldCounter(
  commits: CountedCommits,
  newSlices: () => Slices,
  report: (error: unknown) => void,
): FieldCounter {
  const listeners = new Set<(uses: FieldUses) => void>();
  const counts = createFieldCounts(commits);
  let told: FieldUses | undefined;
  let last: Promise<unknown> = Promise.resolve();

  commits.subscribe(({ ids }) => {
    if (counts.note(ids) && listeners.size > 0) void inTurn(newSlices()).catch(report);
  });

  async function bring(slices: Slices): Promise<FieldUses> {
    const uses = listOf(await counts.update(slices));
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

  /** Runs one update at a time, because two at the same time would count the same change twice. */
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

type Counts = ReadonlyMap<string, number>;

/** The counts, and the version they reflect. */
interface Counted {
  readonly counts: Counts;
  readonly at: Snapshot;
}

interface FieldCounts {
  /**
   * Notes changed documents. Returns whether there already is a count, which these changes make
   * outdated.
   */
  note(ids: readonly string[]): boolean;
  /** Counts in full or applies noted changes. Call it one at a time. */
  update(slices: Slices): Promise<Counts>;
}

function createFieldCounts(commits: CountedCommits): FieldCounts {
  let counted: Counted | undefined;
  /** Whether a count has begun. From then on, changes must be noted and applied. */
  let isFollowing = false;
  let changed = new Set<string>();

  async function count(slices: Slices): Promise<Counted> {
    isFollowing = true;
    changed = new Set();
    return commits.read(async (at) => {
      const counts = new Map<string, number>();
      for await (const docs of documentBatches(commits.readers, at, {}, { ...slices, size: BATCH }))
        for (const doc of docs) add(counts, doc, 1);
      return { counts, at };
    });
  }

  /**
   * Applies the changes since the last count; counts everything again if blocks of the counted
   * version are gone.
   */
  async function follow(before: Counted, slices: Slices): Promise<Counted> {
    await commits.settle();
    const ids = [...changed];
    changed = new Set();
    const at = commits.snapshot();
    try {
      return { counts: await countsWith(commits.readers, before, at, ids, slices), at };
    } catch (cause) {
      if (!isFixpointError(cause, 'MISSING_BLOCK') && !isFixpointError(cause, 'MISSING_CARS')) throw cause;
      return count(slices);
    }
  }

  return {
    note: (ids) => {
      if (!isFollowing) return false;
      for (const id of ids) changed.add(id);
      return counted !== undefined;
    },
    update: async (slices) => {
      slices.signal?.throwIfAborted();
      try {
        if (counted === undefined) counted = await count(slices);
        // Commit pending writes first. Otherwise a count of the version before such a write would
        // clear the note of that write.
        await commits.settle();
        while (changed.size > 0) counted = await follow(counted, slices);
      } catch (cause) {
        // If changes were applied only in part, the counts are wrong, so the next update counts
        // again.
        counted = undefined;
        isFollowing = false;
        throw cause;
      }
      return counted.counts;
    },
  };
}

/**
 * Returns the counts after documents changed. Reads the previous documents from the trie of the
 * earlier version.
 * @throws FixpointError MISSING_BLOCK, MISSING_CARS when that trie is gone
 */
async function countsWith(
  readers: Readers,
  { counts, at: before }: Counted,
  at: Snapshot,
  ids: readonly string[],
  { pace }: Slices,
): Promise<Counts> {
  const next = new Map(counts);
  for (let from = 0; from < ids.length; from += BATCH) {
    const some = ids.slice(from, from + BATCH);
    for (const doc of await documentsAt(readers, before, some)) add(next, doc, -1);
    for (const doc of await documentsAt(readers, at, some)) add(next, doc, 1);
    if (pace.isDue()) await pace.rest();
  }
  return next;
}

async function documentsAt(
  readers: Readers,
  { root }: Snapshot,
  ids: readonly string[],
): Promise<readonly LiveDoc[]> {
  if (root === undefined) return [];
  const links = await getLinks(readers.shard, root, ids);
  const live = ids.flatMap((id, at): LiveLink[] => {
    const link = links[at];
    return isLiveLink(id, link) ? [[id, link]] : [];
  });
  return readDocuments(readers, live);
}

function add(counts: Map<string, number>, doc: LiveDoc, by: 1 | -1): void {
  for (const field of Object.keys(doc)) {
    const count = (counts.get(field) ?? 0) + by;
    if (count === 0) counts.delete(field);
    else counts.set(field, count);
  }
}

function listOf(counts: Counts): FieldUses {
  const others = [...counts]
    .filter(([field]) => field !== '_id')
    .map(([field, documents]) => ({ field, documents }));
  return [{ field: '_id', documents: counts.get('_id') ?? 0 }, ...others.sort(byUse)];
}

const isSame = (a: FieldUses, b: FieldUses): boolean =>
  a.length === b.length &&
  a.every(({ field, documents }, at) => field === b[at]?.field && documents === b[at]?.documents);
