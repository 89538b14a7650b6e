/** Cursors: find the ids of matching documents in batches, in the order of ids or of a field. */
import { checkCount, checkOnProgress } from '../base/check-options.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import { decodingOf, type LiveDoc } from '../documents/decode-fields.ts';
import { type Slices, takeTurns } from './counted-trie.ts';
import { type Filter, fieldsOf, matcherOf, orderKeyOf } from './filter.ts';
import { documentBatches } from './read-batch.ts';
import { createSortedRuns } from './sorted-runs.ts';

/** Progress of a cursor. */
export interface FindProgress {
  /** Number of documents searched so far. */
  readonly seen: number;
  readonly found: number;
}

/** Which documents a cursor finds, and in which order. */
export interface FindOptions {
  /** Without a filter, all documents match. */
  readonly filter?: Filter | undefined;
  /**
   * Field to sort by, in the key order of an index. Sorts equal values by id, and documents without
   * the field last. If undefined, sorts by id only.
   */
  readonly sort?: string | undefined;
  /** Reverses the order; documents without the field still come last. */
  readonly descending?: boolean | undefined;
  /** Maximum number of ids. */
  readonly limit?: number | undefined;
  /** Called repeatedly during the search. */
  readonly onProgress?: ((progress: FindProgress) => void) | undefined;
  /** Cancels the cursor, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Documents between two yields: about 2 ms of work. */
const BATCH = 250;
/** Ids in the first batch, which is needed soon, and in each later one. */
const IDS_FIRST = 1000;
const IDS = 10_000;
/** Results and progress are reported at least once per this many searched documents. */
const LOOKED = 1000;
/**
 * Only this many characters of a sort value count. Values with equal characters up to there are
 * sorted by id.
 */
const SORT_KEY_MAX = 256;

/**
 * Returns ids in batches, all from one snapshot.
 * @throws FixpointError QUERY_INVALID, MISSING_BLOCK, CORRUPT; the reason of the signal
 */
export async function* findIds(
  readers: Readers,
  snapshot: Snapshot,
  options: FindOptions,
  slices: Slices,
): AsyncGenerator<readonly string[], void> {
  const { filter, sort, descending = false, limit = Number.POSITIVE_INFINITY, onProgress } = options;
  checkCount('limit', limit);
  checkOnProgress(options);
  const matches = filter === undefined ? () => true : matcherOf(filter);
  if (limit === 0) return;
  let seen = 0;
  let found = 0;
  let reported = 0;
  const looked = filter === undefined ? [] : fieldsOf(filter);
  const decodeLive = decodingOf(looked && (sort === undefined ? looked : [...looked, sort]));
  const batches = (isDescending: boolean) =>
    documentBatches(readers, snapshot, { descending: isDescending }, { ...slices, size: BATCH, decodeLive });
  const look = (docs: readonly LiveDoc[]): readonly LiveDoc[] => {
    const matching = docs.filter(matches);
    seen += docs.length;
    found += matching.length;
    if (docs.length < BATCH || seen - reported >= LOOKED) {
      reported = seen;
      onProgress?.({ seen, found });
    }
    return matching;
  };
  if (sort !== undefined) {
    yield* sorted(batches(false), look, { sort, descending, limit }, slices);
    return;
  }
  let given = 0;
  let givenAt = 0;
  let part: string[] = [];
  for await (const docs of batches(descending)) {
    for (const { _id } of look(docs)) if (given + part.length < limit) part.push(_id);
    const isFull = given + part.length >= limit;
    if (part.length > 0 && (isFull || given === 0 || seen - givenAt >= LOOKED)) {
      yield part;
      given += part.length;
      givenAt = seen;
      part = [];
    }
    if (isFull) return;
  }
  if (part.length > 0) yield part;
}

interface SortOrder {
  readonly sort: string;
  readonly descending: boolean;
  readonly limit: number;
}

async function* sorted(
  batches: AsyncIterable<readonly LiveDoc[]>,
  look: (docs: readonly LiveDoc[]) => readonly LiveDoc[],
  { sort, descending, limit }: SortOrder,
  slices: Slices,
): AsyncGenerator<readonly string[], void> {
  const runs = createSortedRuns(descending);
  for await (const docs of batches)
    for (const doc of look(docs)) runs.add({ id: doc._id, key: sortKeyOf(doc, sort) });
  let part: string[] = [];
  let given = 0;
  for (const { id } of runs.drain()) {
    if (given === limit) break;
    part.push(id);
    given += 1;
    if (part.length < (given <= IDS_FIRST ? IDS_FIRST : IDS)) continue;
    await takeTurns(slices);
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

function sortKeyOf(doc: LiveDoc, field: string): string | undefined {
  return Object.hasOwn(doc, field) ? orderKeyOf(doc[field]).slice(0, SORT_KEY_MAX) : undefined;
}
