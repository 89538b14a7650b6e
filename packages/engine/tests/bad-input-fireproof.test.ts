/** Calls the interface of existing applications with values that its types don't allow. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  exportDatabase,
  fireproof,
  importDatabase,
  SimpleTokenStrategy,
  toCloud,
} from '../src/entries/fireproof-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'fixpoint-face-'));
const place = { storeUrls: { base: `file://${folder}/store` }, keyBag: { url: `file://${folder}/bag` } };
const db = fireproof('asked', place);
beforeAll(async () => void (await db.bulk([{ _id: 'a', n: 1 }, { _id: 'b' }])));
afterAll(async () => {
  await db.destroy();
  rmSync(folder, { recursive: true, force: true });
});

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'nothing was refused';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

const NO_OBJECTS: readonly unknown[] = [null, 5, 'file:///elsewhere', true];

/** Each row has the name of a call, the code of its error, and the invalid values for the call. */
const REFUSALS: readonly (readonly [string, string, readonly unknown[], (value: never) => unknown])[] = [
  ['put', 'DOC_INVALID', [null, undefined, 5, 'text', []], (doc) => db.put(doc)],
  ['bulk', 'DOC_INVALID', [null, undefined, 5, 'text', {}, [null], [5]], (docs) => db.bulk(docs)],
  ['get', 'DOC_ID_REQUIRED', [null, undefined, ''], (id) => db.get(id)],
  ['del', 'KEY_INVALID', [{}, ['a'], true, Symbol('id')], (id) => db.del(id)],
  ['changes', 'HEAD_INVALID', [null, 5, 'text', {}, [null], [5]], (since) => db.changes(since)],
  ['options of changes', 'QUERY_INVALID', NO_OBJECTS, (options) => db.changes([], options)],
  ['limit of changes', 'QUERY_INVALID', [-1, Number.NaN, '1'], (limit) => db.changes([], { limit })],
  ['attach', 'REQUEST_INVALID', [null, undefined, {}], (remote) => db.attach(remote)],
  ['fireproof', 'MISSING_NAME', ['', null, undefined, 5], (name) => fireproof(name, place)],
  ['options', 'REQUEST_INVALID', NO_OBJECTS, (options) => fireproof('x', options)],
  [
    'storeUrls',
    'REQUEST_INVALID',
    [5, 'file:///elsewhere', true],
    (storeUrls) => fireproof('x', { storeUrls }),
  ],
  ['keyBag', 'REQUEST_INVALID', [5, 'file:///elsewhere'], (keyBag) => fireproof('x', { ...place, keyBag })],
  ['toCloud', 'REQUEST_INVALID', [...NO_OBJECTS, undefined], (options) => toCloud(options)],
  ['urls of toCloud', 'REQUEST_INVALID', NO_OBJECTS, (urls) => toCloud({ urls })],
  ['strategy', 'REQUEST_INVALID', [5, 'token', {}], (strategy) => toCloud({ strategy })],
  [
    'the token',
    'REQUEST_INVALID',
    [null, undefined, 5, 'text', 'a.b.c'],
    (token) =>
      db.attach(toCloud({ urls: { base: 'http://localhost' }, strategy: new SimpleTokenStrategy(token) })),
  ],
  ['importDatabase', 'REQUEST_INVALID', [...NO_OBJECTS, {}, { from: 5 }], (from) => importDatabase(db, from)],
  ['exportDatabase', 'REQUEST_INVALID', [...NO_OBJECTS, {}, { to: 5 }], (to) => exportDatabase(db, to)],
  [
    'target of importDatabase',
    'REQUEST_INVALID',
    NO_OBJECTS,
    (into) => importDatabase(into, { from: 'file:///x' }),
  ],
];

describe('a call', () => {
  test.each(REFUSALS)('rejects an invalid value for %s with %s', async (_, code, values, ask) => {
    for (const value of values)
      expect([value, await codeOf(() => ask(value as never))]).toEqual([value, code]);
    // The database is unchanged.
    expect((await db.allDocs()).rows.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(readdirSync(folder)).toEqual(['store']);
  });

  test('accepts a number as an id', async () => {
    await db.put({ _id: 5 as never });
    expect(await db.get(5 as never)).toEqual({ _id: '5' });
    await db.del(5 as never);
    await expect(db.get(5 as never)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
