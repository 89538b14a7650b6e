/** Cursors: find the ids of matching documents in batches, in the order of ids or of a field. */
import { FixpointError } from '@fixpoint/protocol';
import { checkCount, checkOnProgress } from '../base/check-options.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import { decodingOf, type LiveDoc } from '../documents/decode-fields.ts';
import type { Indexes } from '../index/indexes.ts';
import { encodeField } from '../index/key-order.ts';
import { type Slices, takeTurns } from '../rows/counted-trie.ts';
import type { CursorOptions } from '../rows/cursor-options.ts';
import { documentBatches, readLinked } from '../rows/read-batch.ts';
import { createSortedRuns } from '../rows/sorted-runs.ts';
import { findPlaces } from './find-places.ts';
import { planOf } from './plan.ts';
import { fieldsOf, matcherOf, parseWhere, type Test, type Where } from './where.ts';

/** A text that documents contain, ignoring case. */
export interface TextSearch {
  readonly text: string;
  /**
   * Searches only the value of this top-level field. Without it, searches the id and the values of
   * all fields, including names nested in the values. Names of top-level fields don't count,
   * because most documents share them.
   */
  readonly field?: string | undefined;
}

/** Which documents a cursor finds, and in which order. */
export interface SearchOptions extends CursorOptions {
  /** Conditions that all documents meet. Uses the declared indexes of the database. */
  readonly where?: Where | undefined;
  /** Texts that all documents contain. */
  readonly texts?: readonly TextSearch[] | undefined;
  /**
   * Field to sort by, in the key order of an index. Sorts equal values by id, and documents without
   * the field last. If undefined, sorts by id only.
   */
  readonly sort?: string | undefined;
  /** Reverses the order; documents without the field still come last. */
  readonly descending?: boolean | undefined;
}

export interface FindIdsParts {
  readonly readers: Readers;
  readonly indexes: Pick<Indexes, 'declared' | 'readDeclared'>;
  readonly slices: Slices;
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
  parts: FindIdsParts,
  snapshot: Snapshot,
  options: SearchOptions,
): AsyncGenerator<readonly string[], void> {
  const { sort, descending = false, limit = Number.POSITIVE_INFINITY } = options;
  checkCount('limit', limit);
  checkOnProgress(options);
  checkNames(options);
  checkTexts(options);
  const test = testOf(options);
  if (limit === 0) return;
  const batches = await matching(parts, snapshot, test, options);
  if (sort === undefined) yield* inOrderOfIds(batches, limit);
  else yield* sorted(batches, { sort, descending, limit }, parts.slices);
}

const KNOWN: ReadonlySet<string> = new Set([
  'where',
  'texts',
  'sort',
  'descending',
  'limit',
  'onProgress',
  'signal',
]);

/** Rejects unknown options, because a search without its conditions would find all documents. */
function checkNames(options: SearchOptions): void {
  for (const name of Object.keys(options))
    if (!KNOWN.has(name)) throw new FixpointError('QUERY_INVALID', `${name} is not an option of find`);
}

const isText = (value: unknown): boolean => typeof value === 'string';

function checkTexts({ texts = [], sort = '' }: SearchOptions): void {
  const areTexts =
    Array.isArray(texts) && texts.every(({ text, field = '' }) => isText(text) && isText(field));
  if (!areTexts) throw new FixpointError('QUERY_INVALID', 'texts is not a list of {text, field}');
  if (!isText(sort)) throw new FixpointError('QUERY_INVALID', 'sort is not the name of a field');
}

function testOf({ where, texts = [] }: SearchOptions): Test {
  return {
    kind: 'all',
    of: [
      ...(where === undefined ? [] : [parseWhere(where)]),
      ...texts.map(({ text, field }): Test => ({ kind: 'text', text, field })),
    ],
  };
}

/** A batch of searched documents. */
interface Batch {
  /** The documents that match, with at least the sort field. */
  readonly docs: readonly LiveDoc[];
  /** Number of documents searched so far. */
  readonly seen: number;
}

/** Yields the matching documents; in the order of ids, reversed if no field sorts them. */
async function matching(
  { readers, indexes, slices }: FindIdsParts,
  snapshot: Snapshot,
  test: Test,
  { sort, descending = false, onProgress }: SearchOptions,
): Promise<AsyncIterable<Batch>> {
  const isBackwards = descending && sort === undefined;
  const sortFields = sort === undefined ? [] : [sort];
  const ids = await idsFromIndexes({ readers, indexes, slices }, snapshot, test);
  if (ids !== undefined) {
    const ordered = isBackwards ? ids.toReversed() : ids;
    const docs =
      sort === undefined ? justIds(ordered) : readIds(readers, snapshot, ordered, sortFields, slices);
    return counted(docs, () => true, onProgress);
  }
  const looked = fieldsOf(test);
  const decodeLive = decodingOf(looked && [...looked, ...sortFields]);
  const range = { descending: isBackwards };
  const docs = documentBatches(readers, snapshot, range, { ...slices, size: BATCH, decodeLive });
  return counted(docs, matcherOf(test), onProgress);
}

/** Returns the ids that indexes find, in ascending order; undefined if no index helps. */
async function idsFromIndexes(
  { readers, indexes, slices }: FindIdsParts,
  snapshot: Snapshot,
  test: Test,
): Promise<readonly string[] | undefined> {
  const search = {
    test,
    sort: [],
    limit: Number.POSITIVE_INFINITY,
    isLimited: false,
    after: undefined,
    words: undefined,
  };
  const { ready } = await indexes.declared();
  if (planOf(search, ready).kind === 'scan') return undefined;
  const found = await findPlaces({ readers, indexes, pace: slices.pace }, search, snapshot);
  slices.signal?.throwIfAborted();
  return found.snapshot === snapshot ? found.places.map(({ id }) => id) : undefined;
}

async function* justIds(ids: readonly string[]): AsyncGenerator<readonly LiveDoc[]> {
  for (let from = 0; from < ids.length; from += IDS)
    yield ids.slice(from, from + IDS).map((_id) => ({ _id }));
}

async function* readIds(
  readers: Readers,
  { root }: Snapshot,
  ids: readonly string[],
  fields: readonly string[],
  slices: Slices,
): AsyncGenerator<readonly LiveDoc[]> {
  const decodeLive = decodingOf(fields);
  for (let from = 0; from < ids.length; from += IDS) {
    await takeTurns(slices);
    yield readLinked(readers, root, ids.slice(from, from + IDS), decodeLive, () => takeTurns(slices));
  }
}

/** Checks documents, and reports the progress. */
async function* counted(
  batches: AsyncIterable<readonly LiveDoc[]>,
  matches: (doc: LiveDoc) => boolean,
  onProgress: SearchOptions['onProgress'],
): AsyncGenerator<Batch> {
  let seen = 0;
  let found = 0;
  let reported = 0;
  for await (const docs of batches) {
    const matchingDocs = docs.filter(matches);
    seen += docs.length;
    found += matchingDocs.length;
    if (docs.length < BATCH || seen - reported >= LOOKED) {
      reported = seen;
      onProgress?.({ seen, found });
    }
    yield { docs: matchingDocs, seen };
  }
}

async function* inOrderOfIds(
  batches: AsyncIterable<Batch>,
  limit: number,
): AsyncGenerator<readonly string[], void> {
  let given = 0;
  let givenAt = 0;
  let part: string[] = [];
  for await (const { docs, seen } of batches) {
    for (const { _id } of docs) if (given + part.length < limit) part.push(_id);
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
  batches: AsyncIterable<Batch>,
  { sort, descending, limit }: SortOrder,
  slices: Slices,
): AsyncGenerator<readonly string[], void> {
  const runs = createSortedRuns(descending);
  for await (const { docs } of batches)
    for (const doc of docs) runs.add({ id: doc._id, key: sortKeyOf(doc, sort) });
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
  return Object.hasOwn(doc, field) ? encodeField(doc[field]).slice(0, SORT_KEY_MAX) : undefined;
}
