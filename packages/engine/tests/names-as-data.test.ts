/**
 * Names with a special meaning in JavaScript are ordinary names of fields, ids and files
 * everywhere.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { fieldPath } from '../src/documents/field-path.ts';
import { quickJsSandbox } from '../src/entries/sandbox.ts';
import { fireproofDatabase } from '../src/fireproof/database.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';
import { PLACES } from './places.fixture.ts';
import { world } from './sync-world.fixture.ts';

const LONG = 'n'.repeat(10_000);
const NAMES = [
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  'toJSON',
  'asCID',
  'prototype',
  '__defineGetter__',
  'length',
  'every',
  '',
  LONG,
];
/** Names that are valid ids. An empty id requests a new id, and ids have at most 4,096 bytes. */
const IDS = NAMES.filter((name) => name !== '' && name !== LONG);

const withFields = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(entries);
/** A document that has every name as a field and as a nested field. */
const doc = {
  ...withFields(NAMES.map((name, at) => [name, at])),
  inner: withFields(NAMES.map((name) => [name, { [name]: name.length }])),
  _id: 'all',
};
/** Makes values comparable as text: `toEqual` misreads a field `__proto__` or `asCID`. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([name, part]) => [name, sorted(part)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
};
const textOf = (value: unknown) => JSON.stringify(sorted(value));
const DOC = textOf(doc);

describe.each(Object.entries(PLACES))('[S10] in a %s database', (_, placeOn) => {
  const start = () => {
    const { platform } = memoryPlatform();
    const place = placeOn(platform, { sandbox: quickJsSandbox() });
    onTestFinished(async () => {
      await place.db.close();
      place.end();
    });
    return place;
  };

  test('returns fields with any name as they were put', async () => {
    const { db, rows } = start();
    const heard: unknown[] = [];
    db.subscribe((docs) => heard.push(...docs), true);
    await db.put({ _id: 'other' });
    const none = await db.head();
    await db.put(doc);
    const head = await db.head();
    const scanned: unknown[] = [];
    for await (const part of rows.scan({ prefix: 'all' })) scanned.push(...part);
    const seen = [
      await db.get('all'),
      (await db.allDocs()).rows[0]?.value,
      (await db.changes(none)).rows[0]?.value,
      (await db.history('all'))[0]?.value,
      (await db.diff(none, head))[0]?.after,
      await db.at(head).get('all'),
      (await db.query({ source: '(doc, emit) => emit(doc._id, doc)' })).rows[0]?.value,
      (await db.query('inner')).rows[0]?.doc,
      scanned[0],
    ];
    for (const one of seen) expect(textOf(one)).toBe(DOC);
    await expect.poll(() => heard.map(textOf)).toContain(DOC);
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('inner');
  });

  test.each(NAMES.map((name) => [name.slice(0, 20), name]))('finds the field %j', async (_, name) => {
    const { db, rows } = start();
    await db.bulk([{ _id: 'none' }, { ...withFields([[name, 'there']]), _id: 'has' }]);
    expect((await db.query(name)).rows).toMatchObject([{ id: 'has', key: 'there' }]);
    expect((await db.query(name, { key: 'there' })).rows).toHaveLength(1);
    const source = `(doc, emit) => Object.hasOwn(doc, ${JSON.stringify(name)}) && emit(doc[${JSON.stringify(name)}])`;
    expect((await db.query({ source }, { key: 'there' })).rows).toMatchObject([{ id: 'has' }]);
    const window = await rows.window({ fields: [name] });
    expect(window.rows.map(({ cells }) => cells[0]?.kind)).toEqual(['text', undefined]);
    expect((await rows.window({})).fields).toEqual([name]);
    expect(await rows.fields()).toContainEqual({ field: name, documents: 1 });
    const path = fieldPath(name);
    for (const search of [
      { where: { [path]: { exists: true } } },
      { where: { [path]: 'there' } },
      { texts: [{ text: 'here', field: name }] },
    ]) {
      const found: string[] = [];
      for await (const part of rows.find({ ...search, sort: name })) found.push(...part);
      expect(found).toEqual(['has']);
    }
    const { docs } = await db.find({ where: { [path]: 'there' }, sort: { [path]: 'asc' } });
    expect(docs.map(({ _id }) => _id)).toEqual(['has']);
  });

  test('accepts ids and files with any name', async () => {
    const { db, rows } = start();
    const files = withFields(
      NAMES.map((name) => [name, { bytes: new Uint8Array([name.length]), type: 'a/b' }]),
    );
    await db.bulk(IDS.map((_id) => ({ _id, _files: files })));
    expect((await db.allDocs()).rows.map(({ key }) => key)).toEqual([...IDS].sort());
    expect((await rows.window({ ids: IDS })).rows.map(({ id }) => id)).toEqual(IDS);
    expect((await db.allDocs({ keys: IDS })).rows.map(({ key }) => key)).toEqual(IDS);
    for (const id of IDS) {
      const { _files } = await db.get<{ _files: Record<string, { file(): Promise<File> }> }>(id);
      expect(Object.keys(_files).sort()).toEqual([...NAMES].sort());
      const [last] = Object.entries(_files).filter(([name]) => name === '__proto__');
      expect((await last?.[1].file())?.size).toBe(1);
      expect((await db.history(id)).length).toBe(1);
      await db.del(id);
    }
    expect((await db.allDocs()).rows).toEqual([]);
  });
});

test('[S10] syncs names of every kind through the gateway to another device', async () => {
  const { time, replica } = world();
  const [a, b] = [replica(), replica()];
  const [syncA, syncB] = [await a.attach(), await b.attach()];
  await a.db.bulk([doc, ...IDS.map((_id) => ({ _id, n: 1 }))]);
  await time.run(syncA.synced());
  await time.run(syncB.synced());
  expect(textOf(await b.db.get('all'))).toBe(DOC);
  expect((await b.db.allDocs()).rows.map(({ key }) => key)).toEqual([...IDS, 'all'].sort());
});

test('[S10] accepts every name in native map functions and the interface of existing applications', async () => {
  const { platform } = memoryPlatform();
  const { db } = PLACES['direct']?.(platform) ?? {};
  if (db === undefined) throw new Error('no database');
  const fireproof = fireproofDatabase(db);
  await fireproof.put(doc);
  expect(textOf(await fireproof.get('all'))).toBe(DOC);
  expect(textOf((await fireproof.allDocs()).rows[0]?.value)).toBe(DOC);
  for (const name of NAMES) {
    const { rows } = await fireproof.query((one, emit) => emit(one[name] as string, one));
    expect(rows).toHaveLength(1);
    expect(textOf(rows[0]?.value)).toBe(DOC);
  }
  await fireproof.destroy();
});
