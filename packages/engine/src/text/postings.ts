/**
 * Postings: the documents that contain a word, packed into bytes. Each document has a number, and
 * the numbers are divided into buckets. The postings of a word in a bucket are, for each document
 * in the order of the numbers:
 *
 * - the difference to the number before (at first, to the start of the bucket), as a varint;
 * - if the index has several fields, a byte with a bit for each field that contains the word;
 * - for each of these fields, how often the word occurs, as a varint, and the length of the field
 *   as a byte (see {@link lengthByte}).
 */
import { FixpointError } from '@fixpoint/protocol';

/**
 * Number of documents in a bucket. An update of a document rewrites one bucket of each of its
 * words.
 */
export const BUCKET = 8192;

/**
 * Postings as numbers, one document after another: its number, and how often the word occurs in
 * each field. There are millions of them while an index is built, so they aren't objects.
 */
export type Postings = number[];

/** The length of each field of documents, as {@link lengthByte} returns it, by their numbers. */
export type FieldLengths = Map<number, readonly number[]>;

const STEPS_PER_DOUBLING = 16;
const BYTE_MAX = 0xff;

/** Rounds a number of words, so that it fits in a byte: off by at most 3 %. */
export const lengthByte = (words: number): number =>
  Math.min(BYTE_MAX, Math.round(Math.log2(words + 1) * STEPS_PER_DOUBLING));

export const lengthOfByte = (byte: number): number => 2 ** (byte / STEPS_PER_DOUBLING) - 1;

const LOW_BITS = 0x7f;
const MORE = 0x80;
const VARINT_BITS_MAX = 28;

/** Packs the postings of words in a bucket. */
export interface Packer {
  /** Packs postings, which must be in the order of their numbers. */
  pack(postings: Readonly<Postings>): Uint8Array;
}

const BUFFER_BYTES = 65_536;

/** Returns a packer. Its results share buffers, because most of them have only a few bytes. */
export function createPacker(bucket: number, fields: number, lengths: FieldLengths): Packer {
  let buffer = new Uint8Array(BUFFER_BYTES);
  let start = 0;
  let end = 0;

  function put(byte: number): void {
    if (end === buffer.length) {
      const larger = new Uint8Array(Math.max(BUFFER_BYTES, 2 * (end - start)));
      larger.set(buffer.subarray(start, end));
      [buffer, start, end] = [larger, 0, end - start];
    }
    buffer[end++] = byte;
  }

  function putVarint(value: number): void {
    let left = value;
    for (; left > LOW_BITS; left >>>= 7) put((left & LOW_BITS) | MORE);
    put(left);
  }

  return {
    pack: (postings) => {
      let before = bucket * BUCKET;
      for (let at = 0; at < postings.length; at += 1 + fields) {
        const number = postings[at] ?? 0;
        putVarint(number - before);
        before = number;
        if (fields > 1) {
          let mask = 0;
          for (let field = 0; field < fields; field++) if (postings[at + 1 + field]) mask |= 1 << field;
          put(mask);
        }
        const own = lengths.get(number);
        for (let field = 0; field < fields; field++) {
          const count = postings[at + 1 + field] ?? 0;
          if (count === 0) continue;
          putVarint(count);
          put(own?.[field] ?? 0);
        }
      }
      const packed = buffer.subarray(start, end);
      start = end;
      return packed;
    },
  };
}

/** Called with each field of a document that contains the word. */
export type Visit = (number: number, field: number, count: number, lengthAsByte: number) => void;

/** @throws FixpointError CORRUPT */
export function visitPostings(bytes: Uint8Array, bucket: number, fields: number, visit: Visit): void {
  let at = 0;
  const byte = (): number => {
    const value = bytes[at];
    if (value === undefined) throw new FixpointError('CORRUPT', 'postings of a full-text index');
    at += 1;
    return value;
  };
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift <= VARINT_BITS_MAX; shift += 7) {
      const next = byte();
      value |= (next & LOW_BITS) << shift;
      if (next < MORE) return value >>> 0;
    }
    throw new FixpointError('CORRUPT', 'postings of a full-text index');
  };
  let number = bucket * BUCKET;
  while (at < bytes.length) {
    number += varint();
    const mask = fields > 1 ? byte() : 1;
    for (let field = 0; field < fields; field++)
      if ((mask >> field) & 1) visit(number, field, varint(), byte());
  }
}

/**
 * Unpacks postings.
 * @param lengths receives the lengths of the fields that contain the word
 * @throws FixpointError CORRUPT
 */
export function unpackPostings(
  bytes: Uint8Array,
  bucket: number,
  fields: number,
  lengths: FieldLengths,
): Postings {
  const postings: Postings = [];
  visitPostings(bytes, bucket, fields, (number, field, count, length) => {
    if (postings[postings.length - 1 - fields] !== number || postings.length === 0) {
      postings.push(number);
      for (let each = 0; each < fields; each++) postings.push(0);
    }
    postings[postings.length - fields + field] = count;
    const known = lengths.get(number) ?? new Array<number>(fields).fill(0);
    lengths.set(number, known.with(field, length));
  });
  return postings;
}

/**
 * Removes the postings of some documents and adds others. Returns the result in the order of the
 * numbers.
 */
export function changedPostings(
  known: Readonly<Postings>,
  removed: ReadonlySet<number>,
  added: Readonly<Postings>,
  fields: number,
): Readonly<Postings> {
  const stride = 1 + fields;
  const all: Postings = [];
  let isSorted = true;
  const addFrom = (postings: Readonly<Postings>, at: number) => {
    if (all.length > 0 && (all[all.length - stride] ?? 0) > (postings[at] ?? 0)) isSorted = false;
    for (let offset = 0; offset < stride; offset++) all.push(postings[at + offset] ?? 0);
  };
  for (let at = 0; at < known.length; at += stride) if (!removed.has(known[at] ?? 0)) addFrom(known, at);
  for (let at = 0; at < added.length; at += stride) addFrom(added, at);
  if (isSorted) return all;
  const starts = Array.from({ length: all.length / stride }, (_, at) => at * stride);
  starts.sort((a, b) => (all[a] ?? 0) - (all[b] ?? 0));
  return starts.flatMap((at) => all.slice(at, at + stride));
}
