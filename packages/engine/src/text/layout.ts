/**
 * The keys and values in the two trees of a full-text index. `byKey`:
 *
 * - `p` + word + 0 + bucket -> the postings of the word in that bucket (postings.ts)
 * - `d` + word -> number of documents that contain the word
 * - `t` -> totals
 *
 * `byId`:
 *
 * - `i` + document id -> what is needed to remove the document from `byKey`
 * - `n` + number -> document id
 *
 * A document keeps its number when it changes. Numbers of deleted documents aren't used again.
 */
import { FixpointError } from '@fixpoint/protocol';
import { asArray, asText, decode, encode } from '../codec/dag-cbor.ts';
import type { Value } from '../prolly/node.ts';

const DIRECT = 24;
const RADIX = 36;
const BUCKET_DIGITS = 5;
const NUMBER_DIGITS = 7;
const SEPARATOR = '\u0000';
const AFTER_SEPARATOR = '\u0001';
const AFTER_ALL = '\uffff';

const padded = (value: number, digits: number): string => value.toString(RADIX).padStart(digits, '0');

export const TOTALS_KEY = 't';
export const postingsKey = (word: string, bucket: number): string =>
  `p${word}${SEPARATOR}${padded(bucket, BUCKET_DIGITS)}`;
export const bucketOf = (key: string): number => Number.parseInt(key.slice(-BUCKET_DIGITS), RADIX);
/** The bounds of the postings of a word. */
export const postingsBounds = (word: string) => ({
  from: `p${word}${SEPARATOR}`,
  to: `p${word}${AFTER_SEPARATOR}`,
});
export const frequencyKey = (word: string): string => `d${word}`;
/** The bounds of the frequencies of all words that begin with this text. */
export const frequencyBounds = (start: string) => ({ from: `d${start}`, to: `d${start}${AFTER_ALL}` });
export const wordOf = (key: string): string => key.slice(1);
export const documentKey = (id: string): string => `i${id}`;
export const numberKey = (number: number): string => `n${padded(number, NUMBER_DIGITS)}`;

export interface Totals {
  /** The number of the next new document. */
  readonly next: number;
  readonly documents: number;
  /** The words of all documents together, for each field. */
  readonly lengths: readonly number[];
}

export interface Indexed {
  readonly number: number;
  /** The number of words in each field. */
  readonly lengths: readonly number[];
  readonly words: readonly string[];
}

export const encodeTotals = ({ next, documents, lengths }: Totals): Uint8Array =>
  encode([next, documents, ...lengths]);

/** @throws FixpointError CORRUPT */
export function decodeTotals(value: Value | undefined, fields: number): Totals {
  if (!value) return { next: 0, documents: 0, lengths: new Array(fields).fill(0) };
  const [next, documents, ...lengths] = asArray(decode(value)).map(asCount);
  return { next: asCount(next), documents: asCount(documents), lengths };
}

export const encodeCount = (count: number): Uint8Array => encode(count);

/** @throws FixpointError CORRUPT */
export function decodeCount(value: Value | undefined): number {
  if (!value) return 0;
  // In dag-cbor, numbers below 24 are one byte.
  const [only = DIRECT] = value;
  return value.length === 1 && only < DIRECT ? only : asCount(decode(value));
}

/** A word contains no space, so words are stored as one text. */
export const encodeIndexed = ({ number, lengths, words }: Indexed): Uint8Array =>
  encode([number, lengths, words.join(' ')]);

/** @throws FixpointError CORRUPT */
export function decodeIndexed(value: Value): Indexed {
  const [number, lengths, words] = asArray(value && decode(value));
  const text = asText(words);
  return {
    number: asCount(number),
    lengths: asArray(lengths).map(asCount),
    words: text === '' ? [] : text.split(' '),
  };
}

export const encodeId = (id: string): Uint8Array => encode(id);

/** @throws FixpointError CORRUPT */
export const decodeId = (value: Value | undefined): string => asText(value && decode(value));

function asCount(value: unknown): number {
  if (typeof value !== 'number') throw new FixpointError('CORRUPT', 'not a full-text index');
  return value;
}
