/** Collects the changes of the postings in a bucket, and turns them into edits of the tree. */
import type { Cid } from '../codec/cid.ts';
import { getMany } from '../prolly/locate.ts';
import type { ReadNode } from '../prolly/node.ts';
import type { Edit } from '../prolly/put-many.ts';
import { postingsKey } from './layout.ts';
import {
  changedPostings,
  createPacker,
  type FieldLengths,
  lengthByte,
  type Postings,
  unpackPostings,
} from './postings.ts';

export interface BucketChanges {
  /**
   * Adds a document.
   * @param fields the words in each field
   * @returns the different words
   */
  add(number: number, fields: readonly (readonly string[])[]): readonly string[];
  /** Removes a document that is stored in the tree. */
  remove(number: number, words: readonly string[]): void;
  /**
   * Returns the edits, in the order of their keys.
   * @param root the tree that contains the postings so far; undefined if it has none of this bucket
   * @param count is called with each word that more or fewer documents contain than before
   */
  edits(
    read: ReadNode,
    root: Cid | undefined,
    count: (word: string, difference: number) => void,
  ): Promise<readonly Edit[]>;
}

/** Changes of the postings of a word. */
interface Change {
  readonly added: Postings;
  /** Most words have none. */
  removed: Set<number> | undefined;
}

const NONE: ReadonlySet<number> = new Set();

/** @param fieldCount number of fields of the index */
export function createBucketChanges(bucket: number, fieldCount: number): BucketChanges {
  const stride = 1 + fieldCount;
  const changes = new Map<string, Change>();
  const lengths: FieldLengths = new Map();

  function changeOf(word: string): Change {
    let change = changes.get(word);
    if (change === undefined) {
      change = { added: [], removed: undefined };
      changes.set(word, change);
    }
    return change;
  }

  return {
    add: (number, fields) => {
      const different: string[] = [];
      for (const [field, words] of fields.entries()) {
        for (const word of words) {
          const { added } = changeOf(word);
          if (added.length === 0 || added[added.length - stride] !== number) {
            added.push(number);
            for (let each = 0; each < fieldCount; each++) added.push(0);
            different.push(word);
          }
          const at = added.length - fieldCount + field;
          added[at] = (added[at] ?? 0) + 1;
        }
      }
      lengths.set(
        number,
        fields.map((words) => lengthByte(words.length)),
      );
      return different;
    },
    remove: (number, words) => {
      for (const word of words) {
        const change = changeOf(word);
        change.removed ??= new Set();
        change.removed.add(number);
      }
    },
    edits: async (read, root, count) => {
      const words = [...changes.keys()].sort();
      const keys = words.map((word) => postingsKey(word, bucket));
      const old = await getMany(read, root, keys);
      const all: FieldLengths = new Map();
      const known = keys.map((key) => {
        const packed = old.get(key);
        return packed ? unpackPostings(packed, bucket, fieldCount, all) : [];
      });
      for (const [number, own] of lengths) all.set(number, own);
      const packer = createPacker(bucket, fieldCount, all);
      return words.map((word, at): Edit => {
        const { added, removed = NONE } = changes.get(word) as Change;
        const difference = added.length / stride - removed.size;
        if (difference !== 0) count(word, difference);
        const postings = changedPostings(known[at] ?? [], removed, added, fieldCount);
        return [keys[at] ?? '', postings.length === 0 ? undefined : packer.pack(postings)];
      });
    },
  };
}
