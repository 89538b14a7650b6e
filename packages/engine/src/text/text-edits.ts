/** Turns changed documents into edits of the trees of a full-text index. */
import type { Pace } from '../base/pace.ts';
import type { Cid } from '../codec/cid.ts';
import { type FieldPath, valuesAt } from '../documents/field-path.ts';
import { createEditRuns } from '../prolly/edit-runs.ts';
import { getMany } from '../prolly/locate.ts';
import type { ReadNode } from '../prolly/node.ts';
import type { Edit, SortedEdits } from '../prolly/put-many.ts';
import { type BucketChanges, createBucketChanges } from './bucket-changes.ts';
import {
  decodeCount,
  decodeIndexed,
  decodeTotals,
  documentKey,
  encodeCount,
  encodeId,
  encodeIndexed,
  encodeTotals,
  frequencyKey,
  numberKey,
  TOTALS_KEY,
  type Totals,
} from './layout.ts';
import { BUCKET } from './postings.ts';
import { wordsOf } from './words.ts';

export interface TextTrees {
  readonly read: ReadNode;
  readonly byKey: Cid | undefined;
  readonly byId: Cid | undefined;
}

interface Changed {
  readonly ids: readonly string[];
  readonly live: readonly (object & { readonly _id: string })[];
}

export interface TextEdits {
  /** Takes the next changed documents. Each document may be among them only once. */
  take(changed: Changed): Promise<void>;
  finish(): Promise<{ readonly byKey: SortedEdits; readonly byId: SortedEdits }>;
}

export async function textEdits(
  fields: readonly FieldPath[],
  { read, byKey, byId }: TextTrees,
  pace: Pace,
): Promise<TextEdits> {
  const before = await totalsIn(read, byKey, fields.length);
  let totals = before;
  const buckets = new Map<number, BucketChanges>();
  const frequencies = new Map<string, number>();
  const byKeyRuns = createEditRuns();
  const byIdRuns = createEditRuns();

  function bucketOf(number: number): BucketChanges {
    const at = Math.floor(number / BUCKET);
    const bucket = buckets.get(at) ?? createBucketChanges(at, fields.length);
    buckets.set(at, bucket);
    return bucket;
  }

  function count(word: string, difference: number): void {
    frequencies.set(word, (frequencies.get(word) ?? 0) + difference);
  }

  /** Ends the changes of a bucket. */
  async function pack(at: number, bucket: BucketChanges): Promise<void> {
    const hasOld = at * BUCKET < before.next;
    byKeyRuns.add(await bucket.edits(read, hasOld ? byKey : undefined, count));
    buckets.delete(at);
    if (pace.isDue()) await pace.rest();
  }

  return {
    take: async ({ ids, live }) => {
      const edits: Edit[] = [];
      const known = new Map<string, number>();
      for (const [key, value] of await getMany(read, byId, ids.map(documentKey).sort())) {
        const { number, lengths, words } = decodeIndexed(value);
        bucketOf(number).remove(number, words);
        totals = changed(totals, lengths, -1);
        known.set(key, number);
        edits.push([key, undefined], [numberKey(number), undefined]);
      }
      for (const doc of live) {
        const key = documentKey(doc._id);
        const number = known.get(key) ?? totals.next;
        const perField = fields.map((path) => textsAt(path, doc).flatMap(wordsOf));
        const lengths = perField.map(({ length }) => length);
        const words = bucketOf(number).add(number, perField);
        totals = changed(totals, lengths, 1, number);
        edits.push([key, encodeIndexed({ number, lengths, words })], [numberKey(number), encodeId(doc._id)]);
        if (pace.isDue()) await pace.rest();
      }
      byIdRuns.add(edits);
      // A full bucket of new documents doesn't change again during this update.
      for (const [at, bucket] of [...buckets])
        if (at * BUCKET >= before.next && (at + 1) * BUCKET <= totals.next) await pack(at, bucket);
    },
    finish: async () => {
      for (const [at, bucket] of [...buckets]) await pack(at, bucket);
      byKeyRuns.add(await frequencyEdits(read, byKey, frequencies));
      byKeyRuns.add([[TOTALS_KEY, encodeTotals(totals)]]);
      return { byKey: byKeyRuns.merged(), byId: byIdRuns.merged() };
    },
  };
}

const totalsIn = async (read: ReadNode, byKey: Cid | undefined, fields: number): Promise<Totals> =>
  decodeTotals((await getMany(read, byKey, [TOTALS_KEY])).get(TOTALS_KEY), fields);

/** Returns the totals after a document was added or removed. */
const changed = (
  { next, documents, lengths }: Totals,
  own: readonly number[],
  sign: 1 | -1,
  number = 0,
): Totals => ({
  next: Math.max(next, number + 1),
  documents: documents + sign,
  lengths: lengths.map((length, at) => length + sign * (own[at] ?? 0)),
});

/** Returns the texts of a field: its value, or the entries of the array that is its value. */
function textsAt(path: FieldPath, doc: object): readonly string[] {
  const values = valuesAt(path, doc);
  return values.flat().filter((value) => typeof value === 'string');
}

async function frequencyEdits(
  read: ReadNode,
  byKey: Cid | undefined,
  differences: ReadonlyMap<string, number>,
): Promise<readonly Edit[]> {
  const words = [...differences.keys()].filter((word) => differences.get(word) !== 0).sort();
  const keys = words.map(frequencyKey);
  const old = await getMany(read, byKey, keys);
  return words.map((word, at): Edit => {
    const key = keys[at] ?? '';
    const count = decodeCount(old.get(key)) + (differences.get(word) ?? 0);
    return [key, count > 0 ? encodeCount(count) : undefined];
  });
}
