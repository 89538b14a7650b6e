/** Finds the documents that match, in order. */
import type { Snapshot } from '../commit/snapshot.ts';
import { decodingOf, type LiveDoc } from '../documents/decode-fields.ts';
import { valueAt } from '../documents/field-path.ts';
import { type DeclaredIndex, keysOfFields } from '../index/declared.ts';
import type { IndexView } from '../index/kept-index.ts';
import { encodeField } from '../index/key-order.ts';
import { documentBatches, readLinked } from '../rows/read-batch.ts';
import { type Candidate, candidatesOf, indexPartsOf, type Run } from './candidates.ts';
import { comparing, type Place } from './cursor.ts';
import type { Search } from './find-options.ts';
import type { FindParts, Places } from './find-parts.ts';
import { findByWords } from './find-text.ts';
import { isBackwards, type Plan, planOf } from './plan.ts';
import { fieldsOf, matcherOf } from './where.ts';

/**
 * Maximum number of updates of the indexes. Another one is needed if the head moved between the
 * updates of two indexes.
 */
const ATTEMPTS_MAX = 3;
/** Number of documents that are read together at first. It doubles each time, up to `READ_MAX`. */
const READ_FIRST = 100;
const READ_MAX = 8000;
const SCAN_BATCH = 250;

/**
 * Returns at most `limit + 1` places: one more than wanted shows that there are more.
 * @param snapshot the version to read if no index is used; an index may be at a newer one
 */
export async function findPlaces(parts: FindParts, search: Search, snapshot: Snapshot): Promise<Places> {
  if (search.words !== undefined) return findByWords(parts, search, search.words);
  const { ready } = await parts.indexes.declared();
  const plan = planOf(search, ready);
  const used = indexPartsOf(plan);
  if (used.length === 0) return { snapshot, places: await gather(parts, search, plan, snapshot, []) };
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const found = await parts.indexes.readDeclared(
      used.map(({ index }) => index),
      async (views, at) => ({ snapshot: at, places: await gather(parts, search, plan, at, views) }),
    );
    if (found !== undefined) return found;
  }
  return { snapshot, places: await gather(parts, search, planOf(search, []), snapshot, []) };
}

async function gather(
  parts: FindParts,
  search: Search,
  plan: Plan,
  snapshot: Snapshot,
  views: readonly IndexView[],
): Promise<readonly Place[]> {
  const { sort, limit, after } = search;
  const compare = comparing(sort, isBackwards(sort));
  const isAhead = (place: Place) => after === undefined || compare(place, after) > 0;
  const found: Place[] = [];
  const cut = () => {
    if (!plan.isSorted) found.sort(compare);
    if (found.length > limit + 1) found.length = limit + 1;
  };
  for await (const places of batches({ parts, search, plan, snapshot, views })) {
    for (const place of places) if (isAhead(place)) found.push(place);
    if (plan.isSorted ? found.length > limit : found.length > 2 * limit + READ_MAX) cut();
    if (plan.isSorted && found.length > limit) break;
    if (parts.pace.isDue()) await parts.pace.rest();
  }
  cut();
  return found;
}

/** Yields the places of matching documents; in the wanted order if the plan is sorted. */
async function* batches(run: Run): AsyncGenerator<readonly Place[]> {
  const { parts, search, plan, snapshot } = run;
  if (plan.kind === 'scan') {
    yield* scanned(run);
    return;
  }
  const known = plan.kind === 'index' && plan.rest === undefined && keysFromIndex(plan.part.index, search);
  const decodeLive = decodingOf(neededFields(run));
  const rest = async () => {
    if (parts.pace.isDue()) await parts.pace.rest();
  };
  const matches = plan.rest === undefined ? () => true : matcherOf(plan.rest);
  for await (const candidates of grouped(candidatesOf(run), search.limit)) {
    if (known) {
      yield candidates.map(({ id, key }) => ({ id, keys: known(key) }));
      continue;
    }
    const ids = candidates.map(({ id }) => id);
    const docs = await readLinked(parts.readers, snapshot.root, ids, decodeLive, rest);
    yield docs.filter(matches).map((doc) => placeOf(search, doc));
  }
}

/** Groups candidates. The first group is small, so that a small limit reads few documents. */
async function* grouped(
  candidates: AsyncIterable<readonly Candidate[]>,
  limit: number,
): AsyncGenerator<readonly Candidate[]> {
  let size = Math.min(READ_MAX, Math.max(READ_FIRST, limit + 1));
  let group: Candidate[] = [];
  for await (const some of candidates) {
    for (const one of some) group.push(one);
    if (group.length < size) continue;
    yield group;
    group = [];
    size = Math.min(READ_MAX, 2 * size);
  }
  if (group.length > 0) yield group;
}

/** Returns a function that finds the sort keys in a key of the index, if the index has them all. */
function keysFromIndex(index: DeclaredIndex, { sort }: Search) {
  const places = sort.map(({ path }) => index.fields.findIndex(({ text }) => text === path.text));
  if (places.includes(-1)) return undefined;
  return (treeKey: string): readonly string[] => {
    if (places.length === 0) return [];
    const { keys } = keysOfFields(index, treeKey);
    return places.map((at) => keys[at] ?? '');
  };
}

/** Returns the top-level fields needed to check and sort documents; undefined for all fields. */
function neededFields({ plan, search }: Run): readonly string[] | undefined {
  const checked = plan.rest === undefined ? [] : fieldsOf(plan.rest);
  return checked && [...checked, ...search.sort.map(({ path }) => path.root)];
}

function placeOf({ sort }: Search, doc: LiveDoc): Place {
  return { id: doc._id, keys: sort.map(({ path }) => encodeField(valueAt(path, doc))) };
}

async function* scanned(run: Run): AsyncGenerator<readonly Place[]> {
  const { parts, search, plan, snapshot } = run;
  const { after, sort } = search;
  const descending = plan.isSorted && isBackwards(sort);
  const matches = plan.rest === undefined ? () => true : matcherOf(plan.rest);
  const ahead = plan.isSorted && after !== undefined && { [descending ? 'to' : 'from']: after.id };
  const within = plan.kind === 'scan' && plan.prefix !== '' && { prefix: plan.prefix };
  const options = { pace: parts.pace, size: SCAN_BATCH, decodeLive: decodingOf(neededFields(run)) };
  for await (const docs of documentBatches(
    parts.readers,
    snapshot,
    { ...ahead, ...within, descending },
    options,
  ))
    yield docs.filter(matches).map((doc) => placeOf(search, doc));
}
