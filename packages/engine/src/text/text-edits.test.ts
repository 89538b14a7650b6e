import { describe, expect, test } from 'vitest';
import { long } from '../../tests/budget.fixture.ts';
import { WITHOUT_REST } from '../base/pace.ts';
import type { Cid } from '../codec/cid.ts';
import { pathOfField } from '../documents/field-path.ts';
import { getMany } from '../prolly/locate.ts';
import { keysIn, nodeStore } from '../prolly/tree.fixture.ts';
import { decodeCount, decodeId, decodeTotals, frequencyKey, numberKey, TOTALS_KEY } from './layout.ts';
import { BUCKET } from './postings.ts';
import { rank } from './rank.ts';
import { textEdits } from './text-edits.ts';
import { wantedWords } from './wanted-words.ts';

interface Text {
  readonly _id: string;
  readonly body: string;
}

const FIELDS = [pathOfField('body')];

/** A full-text index, without a database. */
function textIndex() {
  const store = nodeStore();
  let byKey: Cid | undefined;
  let byId: Cid | undefined;
  const storedAt = async (root: Cid | undefined, key: string) =>
    (await getMany(store.read, root, [key])).get(key);
  async function hitsOf(search: string) {
    const parts = { read: store.read, byKey, fields: FIELDS.length, pace: WITHOUT_REST };
    return (await rank(parts, wantedWords(search))).top(Number.POSITIVE_INFINITY);
  }

  return {
    /** Updates the index in batches, as a database does. */
    update: async (live: readonly Text[], deleted: readonly string[] = []) => {
      const edits = await textEdits(FIELDS, { read: store.read, byKey, byId }, WITHOUT_REST);
      await edits.take({ ids: deleted, live: [] });
      for (let from = 0; from < live.length; from += 500) {
        const batch = live.slice(from, from + 500);
        await edits.take({ ids: batch.map(({ _id }) => _id), live: batch });
      }
      const all = await edits.finish();
      byKey = await store.edit(byKey, all.byKey);
      byId = await store.edit(byId, all.byId);
    },
    hitsOf,
    idsOf: async (search: string) => {
      const ids = await Promise.all(
        (await hitsOf(search)).map(({ number }) => storedAt(byId, numberKey(number))),
      );
      return ids.map(decodeId).sort();
    },
    keys: () => keysIn(store.read, byKey),
    frequencyOf: async (word: string) => decodeCount(await storedAt(byKey, frequencyKey(word))),
    totals: async () => decodeTotals(await storedAt(byKey, TOTALS_KEY), FIELDS.length),
  };
}

const newText = (n: number): Text => ({ _id: `d${n}`, body: `every n${n} m${n % 1000}` });
const textsFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => newText(from + at));

describe('textEdits', () => {
  test(
    'finds all documents of several buckets after one update that changes old documents and adds new ones',
    long,
    async () => {
      const index = textIndex();
      const first = BUCKET + 700;
      await index.update(textsFrom(0, first));
      const changes = [5, BUCKET - 1, BUCKET, BUCKET + 3].map((n) => ({
        _id: `d${n}`,
        body: 'every changed',
      }));
      await index.update(
        [...changes.slice(0, 1), ...textsFrom(first, 2 * BUCKET), ...changes.slice(1)],
        ['d6', `d${BUCKET + 1}`],
      );

      const count = first + 2 * BUCKET - 2;
      expect(await index.totals()).toMatchObject({ next: first + 2 * BUCKET, documents: count });
      expect((await index.hitsOf('every')).length).toBe(count);
      expect(await index.frequencyOf('every')).toBe(count);
      expect(await index.idsOf('changed')).toEqual(changes.map(({ _id }) => _id).sort());
      for (const n of [6, BUCKET - 1, BUCKET + 1])
        expect(await index.idsOf(`n${n} `.concat('every'))).toEqual([]);
      for (const n of [0, 7, BUCKET + 4, first - 1, first, first + BUCKET, first + 2 * BUCKET - 1])
        expect(await index.idsOf(`n${n} every`)).toEqual([`d${n}`]);
      const { length } = await index.idsOf('m42 every');
      expect(length).toBe(
        textsFrom(0, first + 2 * BUCKET).filter(({ body }) => body.endsWith(' m42')).length,
      );
    },
  );

  test('keeps only the totals when all documents are removed', async () => {
    const index = textIndex();
    await index.update(textsFrom(0, 600));
    await index.update(
      [],
      textsFrom(0, 600).map(({ _id }) => _id),
    );
    expect(await index.keys()).toEqual([TOTALS_KEY]);
    expect(await index.totals()).toEqual({ next: 600, documents: 0, lengths: [0] });
  });

  test('keeps the number of a changed document', async () => {
    const index = textIndex();
    await index.update(textsFrom(0, 3));
    for (let round = 0; round < 5; round++) await index.update([{ _id: 'd1', body: `round ${round}` }]);
    expect(await index.totals()).toMatchObject({ next: 3, documents: 3 });
    expect(await index.idsOf('round 4')).toEqual(['d1']);
  });
});
