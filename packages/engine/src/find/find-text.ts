/** Finds documents by a search for words. */
import { FixpointError } from '@fixpoint/protocol';
import type { Snapshot } from '../commit/snapshot.ts';
import { decodingOf, type LiveDoc } from '../documents/decode-fields.ts';
import { valueAt } from '../documents/field-path.ts';
import type { TextIndex } from '../index/declared.ts';
import type { IndexView } from '../index/kept-index.ts';
import { encodeField } from '../index/key-order.ts';
import { getMany } from '../prolly/locate.ts';
import { readLinked } from '../rows/read-batch.ts';
import { decodeId, decodeIndexed, documentKey, numberKey } from '../text/layout.ts';
import { type Hit, rank } from '../text/rank.ts';
import type { WantedWord } from '../text/wanted-words.ts';
import { fewCandidates, indexPartsOf } from './candidates.ts';
import { comparing, type Place } from './cursor.ts';
import { BY_RANK, type Search } from './find-options.ts';
import type { FindParts, Places } from './find-parts.ts';
import { isBackwards, planOf, restOfSearch, textIndexFor } from './plan.ts';
import { fieldsOf, matcherOf, type Test } from './where.ts';

/** Number of documents that are read together at first. It doubles each time, up to `READ_MAX`. */
const READ_FIRST = 100;
const READ_MAX = 8000;

/**
 * Returns the full-text index that answers a search: of those that contain all wanted documents,
 * the one with the longest prefix, or else the one declared first.
 * @throws FixpointError QUERY_INVALID
 */
export function requireTextIndex(test: Test, texts: readonly TextIndex[]): TextIndex {
  const index = textIndexFor(test, texts);
  if (index === undefined)
    throw new FixpointError('QUERY_INVALID', 'search needs a full-text index in the option indexes');
  return index;
}

/**
 * Maximum number of updates of the indexes. Another one is needed if the head moved between the
 * updates of two indexes.
 */
const ATTEMPTS_MAX = 3;
/** If indexes find at most this many documents for the conditions, only these are ranked. */
const FEW = 5000;

/**
 * Returns at most `limit + 1` places, like `findPlaces`. Builds the index if it isn't built yet.
 * @throws FixpointError QUERY_INVALID
 */
export async function findByWords(
  parts: FindParts,
  search: Search,
  words: readonly WantedWord[],
): Promise<Places> {
  const { texts, ready } = await parts.indexes.declared();
  const index = requireTextIndex(search.test, texts);
  const plan = planOf({ test: search.test, sort: [], isLimited: false }, ready);
  const others = indexPartsOf(plan).map((part) => part.index);
  for (let attempt = 1; ; attempt++) {
    const used = attempt > ATTEMPTS_MAX ? [] : others;
    const found = await parts.indexes.readDeclared([index, ...used], async ([view, ...views], snapshot) => {
      const run: Run = { parts, search, index, words, view: view as IndexView, snapshot };
      const isNarrow = plan.kind === 'ids' || used.length > 0;
      // Only the conditions select candidates. A cursor of the search doesn't limit them.
      const whole = { ...search, after: undefined };
      const few = isNarrow
        ? await fewCandidates({ parts, search: whole, plan, snapshot, views }, FEW)
        : undefined;
      return { snapshot, places: await gather(run, few && (await numbersOf(run, few))) };
    });
    if (found !== undefined) return found;
  }
}

interface Run {
  readonly parts: FindParts;
  readonly search: Search;
  readonly index: TextIndex;
  readonly words: readonly WantedWord[];
  readonly view: IndexView;
  readonly snapshot: Snapshot;
}

/** Returns the numbers that the full-text index assigned to these documents. */
async function numbersOf({ view }: Run, ids: readonly string[]): Promise<ReadonlySet<number>> {
  const { table, state } = view;
  const found = await getMany(table.read, state.byId, ids.map(documentKey).sort());
  return new Set([...found.values()].map((value) => decodeIndexed(value).number));
}

/** @param only ignores other documents */
async function gather(run: Run, only: ReadonlySet<number> | undefined): Promise<readonly Place[]> {
  const { parts, search, index, words, view } = run;
  const { table, state } = view;
  const fields = index.fields.length;
  const ranked = await rank({ read: table.read, byKey: state.byKey, fields, pace: parts.pace }, words, only);
  if (search.sort === BY_RANK) return inOrderOfRank(run, ranked.top);
  const { sort, after, limit } = search;
  const compare = comparing(sort, isBackwards(sort));
  const docs = await matching(run, await idsOf(run, ranked.top(Number.POSITIVE_INFINITY)));
  return docs
    .map((doc): Place => ({ id: doc._id, keys: sort.map(({ path }) => encodeField(valueAt(path, doc))) }))
    .filter((place) => after === undefined || compare(place, after) > 0)
    .sort(compare)
    .slice(0, limit + 1);
}

async function inOrderOfRank(
  run: Run,
  top: (count: number, after?: Hit) => readonly Hit[],
): Promise<readonly Place[]> {
  const { limit, after, test } = run.search;
  const rest = restOfSearch(test, run.index);
  const places: Place[] = [];
  let last = after && parseRankKey(after.keys[0] ?? '');
  let size = rest === undefined ? limit + 1 : Math.min(READ_MAX, Math.max(READ_FIRST, limit + 1));
  for (;;) {
    const hits = top(size, last);
    const ids = await idsOf(run, hits);
    const kept = rest && new Set((await matching(run, ids, rest)).map(({ _id }) => _id));
    hits.forEach((hit, at) => {
      const id = ids[at] ?? '';
      if (kept === undefined || kept.has(id)) places.push({ id, keys: [rankKey(hit)] });
    });
    if (hits.length < size || places.length > limit) return places.slice(0, limit + 1);
    last = hits.at(-1);
    size = Math.min(READ_MAX, 2 * size);
  }
}

const RANK_KEY = /^(\d{1,15})-(\d{1,15})$/;
const rankKey = ({ score, number }: Hit): string => `${score}-${number}`;

/** @throws FixpointError QUERY_INVALID */
function parseRankKey(key: string): Hit {
  const match = RANK_KEY.exec(key);
  if (match === null) throw new FixpointError('QUERY_INVALID', 'after is not a cursor of this order');
  return { score: Number(match[1]), number: Number(match[2]) };
}

/** Returns the ids of documents, in the same order. */
async function idsOf({ view }: Run, hits: readonly Hit[]): Promise<readonly string[]> {
  const keys = hits.map(({ number }) => numberKey(number));
  const ids = await getMany(view.table.read, view.state.byId, keys.toSorted());
  return keys.map((key) => decodeId(ids.get(key)));
}

/** Returns the documents that match, with the fields that sort them. */
async function matching(
  { parts, search, index, snapshot }: Run,
  ids: readonly string[],
  rest: Test | undefined = restOfSearch(search.test, index),
): Promise<readonly LiveDoc[]> {
  const checked = rest === undefined ? [] : fieldsOf(rest);
  const fields = checked && [...checked, ...search.sort.map(({ path }) => path.root)];
  const { readers, pace } = parts;
  const docs = await readLinked(readers, snapshot.root, ids, decodingOf(fields), async () => {
    if (pace.isDue()) await pace.rest();
  });
  return rest === undefined ? docs : docs.filter(matcherOf(rest));
}
