/**
 * Every reader treats a document with `_deleted: true` as deleted, no matter which client wrote it.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Database, MapFunction } from '../src/database/database.ts';
import { type Rows, rowsOf } from '../src/database/database-rows.ts';
import { parseDocKey } from '../src/documents/doc-key.ts';
import { encodeDocument } from '../src/documents/encode.ts';
import { quickJsSandbox } from '../src/entries/sandbox.ts';
import { fireproofDatabase } from '../src/fireproof/database.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';
import { PLACES } from './places.fixture.ts';
import { GENESIS, leaf, plant, rootWith } from './planted.fixture.ts';
import { world } from './sync-world.fixture.ts';

const GONE = { _id: 'a', _deleted: true };

/** Returns what each reader shows of the deleted document `a` and the live document `c`. */
async function readersOf(db: Database, rows: Rows, map: MapFunction | { source: string }) {
  const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);
  const found: string[] = [];
  for await (const part of rows.find()) found.push(...part);
  const scanned: unknown[] = [];
  for await (const part of rows.scan()) scanned.push(...part);
  return {
    get: await db.get('a').catch(({ code }) => code),
    allDocs: (await db.allDocs()).rows.map(({ key }) => key),
    withDeleted: (await db.allDocs({ includeDeleted: true })).rows[0]?.value,
    byField: ids((await db.query('n')).rows),
    byMap: ids((await db.query(map)).rows),
    changes: (await db.changes()).rows.find(({ key }) => key === 'a')?.value,
    history: (await db.history('a'))[0]?.value,
    past: await db
      .at(await db.head())
      .get('a')
      .catch(({ code }) => code),
    found,
    scanned: scanned.length,
    window: ids((await rows.window({ limit: 1 })).rows),
    total: (await rows.window({ limit: 1 })).total,
    fields: (await rows.fields()).map(({ field }) => field),
  };
}

const ONE_TRUTH = {
  get: 'NOT_FOUND',
  allDocs: ['c'],
  withDeleted: GONE,
  byField: ['c'],
  byMap: ['c'],
  changes: GONE,
  history: undefined,
  past: 'NOT_FOUND',
  found: ['c'],
  scanned: 1,
  window: ['c'],
  total: 1,
  fields: expect.not.arrayContaining(['_deleted']),
};

describe.each(Object.entries(PLACES))('[R6] in a %s database', (_, placeOn) => {
  const start = () => {
    const { platform } = memoryPlatform();
    const place = placeOn(platform, { sandbox: quickJsSandbox() });
    onTestFinished(async () => {
      await place.db.close();
      place.end();
    });
    return place;
  };

  test.each(['put', 'bulk'] as const)('deletes a document by %s with `_deleted: true`', async (verb) => {
    const { db, rows } = start();
    const heard: unknown[] = [];
    db.subscribe((docs) => heard.push(...docs), true);
    await db.bulk([
      { _id: 'a', n: 1 },
      { _id: 'c', n: 2 },
    ]);
    const doc = { _id: 'a', n: 3, _deleted: true };
    await (verb === 'put' ? db.put(doc) : db.bulk([doc]));
    await rows.count();
    expect(await readersOf(db, rows, { source: '(doc, emit) => emit(doc._id)' })).toEqual(ONE_TRUTH);
    await expect.poll(() => heard.at(-1)).toEqual(GONE);
    expect((await db.events())[0]).toMatchObject({ deletedIds: ['a'], deletions: 1 });
  });

  test('rejects a deletion without an id', async () => {
    const { db } = start();
    await expect(db.put({ _deleted: true })).rejects.toMatchObject({ code: 'DOC_ID_REQUIRED' });
    await expect(db.bulk([{ _id: '', _deleted: true }])).rejects.toMatchObject({ code: 'DOC_ID_REQUIRED' });
  });

  test.each([false, 1, 'true', null, { true: true }])(
    'stores %j in a field `_deleted` as an ordinary value',
    async (value) => {
      const { db } = start();
      await db.put({ _id: 'a', _deleted: value });
      expect(await db.get('a')).toEqual({ _id: 'a', _deleted: value });
      expect((await db.allDocs()).rows).toHaveLength(1);
    },
  );
});

test('[R6] shows a document that an existing client put with `_deleted: true` as deleted to every reader', async () => {
  const all = world();
  const replica = all.replica();
  const sync = await replica.attach();
  await all.time.run(sync.synced());
  const [gone, live] = [{ n: 1, _deleted: true }, { n: 2 }];
  const blocks = [encodeDocument(gone, parseDocKey('a')), encodeDocument(live, parseDocKey('c'))] as const;
  const root = rootWith(leaf('a', blocks[0].cid), leaf('c', blocks[1].cid));
  const operations = [
    { key: 'a', value: blocks[0].cid },
    { key: 'c', value: blocks[1].cid },
  ];
  const heard: unknown[] = [];
  replica.db.subscribe((docs) => heard.push(...docs), true);
  await plant(all, {
    event: { operations, root: root.cid, parents: GENESIS.head },
    blocks: [...blocks, root],
  });
  await all.time.until(() => heard.length === 2);
  expect(heard).toContainEqual(GONE);
  const rows = rowsOf(replica.db);
  await all.time.run(rows.count());
  expect(await all.time.run(readersOf(replica.db, rows, (doc, emit) => emit(doc._id)))).toEqual(ONE_TRUTH);
  expect(await all.time.run(replica.db.verify())).toMatchObject({ damaged: [], documents: 1 });
  const fireproof = fireproofDatabase(replica.db);
  await expect(fireproof.get('a')).rejects.toMatchObject({ code: 'ENOENT' });
});
