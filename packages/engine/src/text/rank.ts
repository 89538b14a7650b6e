/** Finds the documents that contain words, the most relevant ones first. */
import type { Pace } from '../base/pace.ts';
import type { Cid } from '../codec/cid.ts';
import { getMany } from '../prolly/locate.ts';
import type { ReadNode } from '../prolly/node.ts';
import { scan } from '../prolly/scan.ts';
import {
  bucketOf,
  decodeCount,
  decodeTotals,
  frequencyBounds,
  frequencyKey,
  postingsBounds,
  TOTALS_KEY,
  type Totals,
  wordOf,
} from './layout.ts';
import { lengthOfByte, visitPostings } from './postings.ts';
import { countErrors, errorsAccepted } from './similar-words.ts';
import type { WantedWord } from './wanted-words.ts';

/** A document that contains all words. A higher score is more relevant. */
export interface Hit {
  readonly number: number;
  readonly score: number;
}

export interface Ranked {
  /** Returns the most relevant documents, or those after a hit, by score and then by number. */
  top(count: number, after?: Hit | undefined): readonly Hit[];
}

/** Parameters of the ranking function BM25: the weights of repeated words and of long fields. */
const K1 = 1.2;
const B = 0.75;
/** A longer word that begins with the wanted one counts less. */
const START_WEIGHT = 0.8;
/** Maximum number of longer words that count. The most frequent ones are used. */
const STARTS_MAX = 64;
/** The same for a word with one typing error, and the maximum number of such words. */
const ERROR_WEIGHT = 0.5;
const SIMILAR_MAX = 16;
/** Scores are integers, so that a cursor can contain them exactly. */
const SCORE_UNITS = 10_000;
const LENGTH_BYTES = 256;

export interface RankParts {
  readonly read: ReadNode;
  readonly byKey: Cid | undefined;
  /** Number of fields of the index. */
  readonly fields: number;
  readonly pace: Pace;
}

/** @param only ignores other documents */
export async function rank(
  parts: RankParts,
  wanted: readonly WantedWord[],
  only?: ReadonlySet<number> | undefined,
): Promise<Ranked> {
  const { read, byKey, fields, pace } = parts;
  const totals = decodeTotals((await getMany(read, byKey, [TOTALS_KEY])).get(TOTALS_KEY), fields);
  const scores = new Float64Array(totals.next);
  /**
   * For each document, how many of the wanted words it contains, up to the first one that it lacks.
   */
  const passed = new Uint8Array(totals.next);
  const norms = normsOf(totals);
  for (const [at, one] of wanted.entries()) {
    const known = await termsOf(parts, one);
    const terms = known.length > 0 ? known : await similarTerms(parts, one);
    // All terms of a wanted word count as one word, so that a rare longer word doesn't score
    // highest.
    const together = terms.reduce((sum, { frequency }) => sum + frequency, 0);
    const frequency = Math.min(totals.documents, together);
    const rarity = Math.log(1 + (totals.documents - frequency + 0.5) / (frequency + 0.5));
    for (const { word, weight } of terms) {
      const factor = weight * rarity * (K1 + 1) * SCORE_UNITS;
      for await (const entries of scan(read, byKey, postingsBounds(word))) {
        for (const [key, value] of entries) {
          if (value === null) continue;
          visitPostings(value, bucketOf(key), fields, (number, field, count, length) => {
            if (passed[number] !== at && passed[number] !== at + 1) return;
            passed[number] = at + 1;
            const norm = norms[field * LENGTH_BYTES + length] ?? 1;
            scores[number] = (scores[number] ?? 0) + (factor * count) / (count + norm);
          });
        }
        if (pace.isDue()) await pace.rest();
      }
    }
  }
  if (only !== undefined)
    for (let number = 0; number < passed.length; number++) if (!only.has(number)) passed[number] = 0;
  return { top: (count, after) => topOf(scores, passed, wanted.length, count, after) };
}

/** Returns what the length of a field adds to the denominator, for each field and length. */
function normsOf({ documents, lengths }: Totals): Float64Array {
  const norms = new Float64Array(lengths.length * LENGTH_BYTES);
  for (const [field, length] of lengths.entries()) {
    const average = Math.max(length, 1) / Math.max(documents, 1);
    for (let byte = 0; byte < LENGTH_BYTES; byte++)
      norms[field * LENGTH_BYTES + byte] = K1 * (1 - B + (B * lengthOfByte(byte)) / average);
  }
  return norms;
}

interface Term {
  readonly word: string;
  readonly weight: number;
  readonly frequency: number;
}

/** Returns the words of the index that count as the wanted word. */
async function termsOf(
  { read, byKey, pace }: RankParts,
  { word, isStart }: WantedWord,
): Promise<readonly Term[]> {
  if (!isStart) {
    const key = frequencyKey(word);
    const frequency = decodeCount((await getMany(read, byKey, [key])).get(key));
    return frequency === 0 ? [] : [{ word, weight: 1, frequency }];
  }
  const exact: Term[] = [];
  const longer: Term[] = [];
  for await (const entries of scan(read, byKey, frequencyBounds(word))) {
    for (const [key, value] of entries) {
      const term = wordOf(key);
      const frequency = decodeCount(value);
      if (term === word) exact.push({ word, weight: 1, frequency });
      else longer.push({ word: term, weight: (START_WEIGHT * word.length) / term.length, frequency });
    }
    if (pace.isDue()) await pace.rest();
  }
  longer.sort((a, b) => b.frequency - a.frequency);
  return [...exact, ...longer.slice(0, STARTS_MAX)];
}

/**
 * Returns the words of the index that are the wanted one with few typing errors: those with the
 * fewest errors, and of these the most frequent ones. The first character must be right, so that
 * only words that begin with it are read.
 */
async function similarTerms(
  { read, byKey, pace }: RankParts,
  { word, isStart }: WantedWord,
): Promise<readonly Term[]> {
  const [first = ''] = word;
  const errorsIn = countErrors(word, isStart, errorsAccepted(word));
  const similar: (Term & { readonly errors: number })[] = [];
  if (errorsAccepted(word) === 0) return similar;
  for await (const entries of scan(read, byKey, frequencyBounds(first))) {
    for (const [key, value] of entries) {
      const term = wordOf(key);
      const errors = errorsIn(term);
      if (errors === undefined) continue;
      similar.push({ word: term, weight: ERROR_WEIGHT ** errors, frequency: decodeCount(value), errors });
    }
    if (pace.isDue()) await pace.rest();
  }
  const least = similar.reduce((fewest, { errors }) => Math.min(fewest, errors), Number.POSITIVE_INFINITY);
  return similar
    .filter(({ errors }) => errors === least)
    .sort((a, b) => b.frequency - a.frequency)
    .slice(0, SIMILAR_MAX);
}

function topOf(
  scores: Float64Array,
  passed: Uint8Array,
  words: number,
  count: number,
  after: Hit | undefined,
): readonly Hit[] {
  if (words === 0 || count === 0) return [];
  const isAhead = (number: number, score: number) =>
    after === undefined || score < after.score || (score === after.score && number > after.number);
  const numbers = new Uint32Array(passed.length);
  const found = new Float64Array(passed.length);
  let size = 0;
  for (let number = 0; number < passed.length; number++) {
    if (passed[number] !== words) continue;
    const score = Math.round(scores[number] ?? 0);
    if (!isAhead(number, score)) continue;
    numbers[size] = number;
    found[size++] = score;
  }
  const least = count < size ? (found.slice(0, size).sort()[size - count] ?? 0) : 0;
  const hits: Hit[] = [];
  const equal: Hit[] = [];
  for (let at = 0; at < size; at++) {
    const hit = { number: numbers[at] ?? 0, score: found[at] ?? 0 };
    if (hit.score > least) hits.push(hit);
    // Equal scores are in the order of the numbers.
    else if (hit.score === least && equal.length < count) equal.push(hit);
  }
  hits.sort((a, b) => b.score - a.score || a.number - b.number);
  return hits.concat(equal).slice(0, count);
}
