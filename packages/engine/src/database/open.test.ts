import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { long } from '../../tests/budget.fixture.ts';
import { memoryPlatform } from '../../tests/memory-platform.fixture.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import { collection, fixpoint } from '../entries/node.ts';
import { openDatabase } from './open.ts';

const base = mkdtempSync(join(tmpdir(), 'fixpoint-database-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const newDirectory = () => mkdtempSync(join(base, 'db-'));
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: { code?: string }) => error.code,
  );

describe('a handle in Node', () => {
  const todos = collection('todos', { schema: z.object({ n: z.number() }), merge: 'fields' });
  const opened = (directory = newDirectory()) => ({
    db: fixpoint('unused', { directory, collections: { todos }, indexes: ['n'] }),
    directory,
  });

  test('creates nothing until it is used, also with collections that merge', async () => {
    const { db, directory } = opened();
    db.onClosed(() => undefined);
    await new Promise(setImmediate);
    expect(readdirSync(directory)).toEqual([]);
    await db.todos.put({ _id: 'a', n: 1 });
    expect((await db.find({ where: { n: 1 } })).docs).toHaveLength(1);
    expect(readdirSync(directory)).toContain('unused');
    await db.close();
  });

  test('can be closed or destroyed without a use, beside a handle that is used', async () => {
    const { db, directory } = opened();
    await db.close();
    expect(readdirSync(directory)).toEqual([]);
    expect(await codeOf(db.todos.put({ n: 1 }))).toBe('DATABASE_CLOSED');
    const { db: used } = opened(directory);
    await used.todos.put({ _id: 'a', n: 1 });
    await opened(directory).db.close();
    expect(await used.todos.get('a')).toMatchObject({ n: 1 });
    await opened(directory).db.destroy();
    expect(await codeOf(used.todos.get('a'))).toBe('DATABASE_CLOSED');
  });

  test('opens with a subscription, and reports why it cannot', async () => {
    const { db, directory } = opened();
    db.subscribe(() => undefined);
    await expect.poll(() => readdirSync(directory)).toContain('unused');
    await db.put({ _id: 'a' });
    const other = fixpoint('unused', { directory, encrypted: false });
    await new Promise(setImmediate);
    expect(await codeOf(other.ready())).toBe('MODE_MISMATCH');
    await db.close();
  });
});

describe('a database', () => {
  test('returns documents as they were written, also after reopening', async () => {
    const directory = newDirectory();
    const db = fixpoint('notes', { directory });
    const { id } = await db.put({ text: 'hello', list: [1, { deep: null }], bytes: Uint8Array.of(1, 2) });
    const stored = { _id: id, text: 'hello', list: [1, { deep: null }], bytes: Uint8Array.of(1, 2) };
    expect(await db.get(id)).toEqual(stored);
    await db.close();
    const again = fixpoint('notes', { directory });
    expect(await again.get(id)).toEqual(stored);
    await again.close();
  });

  test.each([
    ['relaxed', 'relaxed'],
    ['strict', 'strict'],
    [undefined, 'strict'],
    ['Relaxed', 'strict'],
    ['', 'strict'],
  ])(
    'treats the durability %j as %s: only an explicit value relaxes the durability',
    async (asked, opened) => {
      const { platform } = memoryPlatform();
      const found: string[] = [];
      const openStore: typeof platform.openStore = (name, durability) => {
        found.push(durability);
        return platform.openStore(name, durability);
      };
      const db = openDatabase('db', { ...platform, openStore }, { durability: asked as never });
      await db.ready();
      await db.close();
      expect(found).toEqual([opened]);
    },
  );

  test('keeps all of 300 sequential puts', async () => {
    const directory = newDirectory();
    const db = fixpoint('many', { directory });
    for (let n = 0; n < 300; n++) await db.put({ _id: `doc-${n}`, n });
    await db.close();
    const again = fixpoint('many', { directory });
    expect((await again.allDocs()).rows).toHaveLength(300);
    await again.close();
  });

  test('rejects invalid requests with their error codes', async () => {
    const db = fixpoint('refusals', { directory: newDirectory() });
    expect(await codeOf(db.get('absent'))).toBe('NOT_FOUND');
    expect(await codeOf(db.get(''))).toBe('DOC_ID_REQUIRED');
    expect(await codeOf(db.put({ _id: 'ü' }))).toBe('KEY_INVALID');
    expect(await codeOf(db.put({ at: new Map() }))).toBe('DOC_INVALID');
    for (const none of [null, undefined, 'text', 5, []])
      expect(await codeOf(db.put(none as never))).toBe('DOC_INVALID');
    await db.put({ _id: 'a' });
    await db.del('a');
    expect(await codeOf(db.get('a'))).toBe('NOT_FOUND');
    await db.close();
    expect(await codeOf(db.get('a'))).toBe('DATABASE_CLOSED');
    await db.close();
  });

  test('hides the reserved document id: no call writes, deletes, restores or finds it', async () => {
    const db = fixpoint('reserved', { directory: newDirectory() });
    await db.put({ _id: 'a' });
    const head = await db.head();
    for (const write of [
      db.put({ _id: GENESIS_KEY }),
      db.bulk([{ _id: 'b' }, { _id: GENESIS_KEY }]),
      db.del(GENESIS_KEY),
      db.restore(GENESIS_KEY, head),
    ])
      expect(await codeOf(write)).toBe('KEY_INVALID');
    expect(await codeOf(db.get(GENESIS_KEY))).toBe('NOT_FOUND');
    expect(await db.history(GENESIS_KEY)).toEqual([]);
    for (const { rows } of [
      await db.allDocs(),
      await db.allDocs({ keys: [GENESIS_KEY, 'a'] }),
      await db.changes(),
    ])
      expect(rows.map(({ key }) => key)).toEqual(['a']);
    await db.close();
  });

  test('calls the other close listeners, and closes, even if one listener throws', async () => {
    const db = fixpoint('closing', { directory: newDirectory() });
    const other = fixpoint('closing-too', { directory: newDirectory() });
    await Promise.all([db.ready(), other.ready()]);
    let told = 0;
    db.onClosed(() => {
      throw new Error('listener');
    });
    db.onClosed(() => told++);
    const stop = other.onClosed(() => told++);
    stop();
    await db.close();
    await other.close();
    expect(told).toBe(1);
  });

  test('returns as many documents as requested, even with deleted documents between them', async () => {
    const db = fixpoint('few', { directory: newDirectory() });
    await db.bulk([...'abcdef'].map((_id) => ({ _id })));
    for (const id of 'ad') await db.del(id);
    const ids = async (limit: number) => (await db.allDocs({ limit })).rows.map(({ key }) => key).join('');
    expect([await ids(1), await ids(2), await ids(3), await ids(4), await ids(9)]).toEqual([
      'b',
      'bc',
      'bce',
      'bcef',
      'bcef',
    ]);
    await db.close();
  });

  test('writes nothing of a bulk that contains an invalid document', async () => {
    const db = fixpoint('bulk', { directory: newDirectory() });
    expect(await codeOf(db.bulk([{ _id: 'good' }, { _id: 'bad', fn: () => 1 }]))).toBe('DOC_INVALID');
    expect((await db.allDocs()).rows).toEqual([]);
    expect((await db.bulk([])).ids).toEqual([]);
    await db.close();
  });

  test('writes and deletes all documents of a bulk in one commit, or none of them', async () => {
    const db = fixpoint('bulk-del', { directory: newDirectory() });
    await db.bulk([{ _id: 'a', n: 1 }, { _id: 'b' }, { _id: 'c' }]);
    const before = await db.events();
    const bulk = await db.bulk([{ _id: 'd' }, { _id: 'a', n: 2 }], { del: ['c', 'b', 'never there'] });
    expect(bulk.ids).toEqual(['d', 'a', 'c', 'b', 'never there']);
    expect((await db.allDocs()).rows.map(({ value }) => value)).toEqual([{ _id: 'a', n: 2 }, { _id: 'd' }]);
    expect((await db.events()).length - before.length).toBe(1);
    expect(await codeOf(db.bulk([{ _id: 'e' }], { del: ['a', ''] }))).toBe('DOC_ID_REQUIRED');
    expect((await db.allDocs()).rows.map(({ key }) => key)).toEqual(['a', 'd']);
    await db.close();
  });

  test('[R12] notifies subscribers of a grouped write once, before a commit contains the write', async () => {
    const { platform } = memoryPlatform();
    const db = openDatabase('grouped', platform, { commitEachWrite: false });
    const heard: unknown[] = [];
    db.subscribe((docs) => void heard.push(docs), true);
    await db.ready();
    await db.put({ _id: 'a', n: 1 });
    expect(await db.get('a')).toEqual({ _id: 'a', n: 1 });
    await expect.poll(() => heard.length).toBe(1);
    expect(await db.head()).toHaveLength(1);
    expect((await db.allDocs()).rows).toHaveLength(1);
    expect(heard).toEqual([[{ _id: 'a', n: 1 }]]);
    await db.close();
  });

  test('[R12] notifies its subscribers of each change, even if one of them throws', async () => {
    const db = fixpoint('live', { directory: newDirectory() });
    await db.ready();
    const heard: unknown[] = [];
    const waitFor = (count: number) => expect.poll(() => heard.length).toBe(count);
    db.subscribe(() => {
      throw new Error('a bad subscriber');
    });
    const stop = db.subscribe((docs) => heard.push(...docs), true);
    await db.put({ _id: 'a', n: 1 });
    await waitFor(1);
    await db.del('a');
    await waitFor(2);
    stop();
    await db.put({ _id: 'b' });
    expect(heard).toEqual([
      { _id: 'a', n: 1 },
      { _id: 'a', _deleted: true },
    ]);
    await db.close();
  });

  test('returns the documents written after a head as its changes', async () => {
    const db = fixpoint('changes', { directory: newDirectory() });
    await db.put({ _id: 'a', n: 1 });
    await db.put({ _id: 'b', n: 1 });
    const head = await db.head();
    await db.put({ _id: 'a', n: 2 });
    expect((await db.changes(head)).rows.map(({ key, value }) => [key, value['n']])).toEqual([['a', 2]]);
    expect((await db.changes()).rows.map(({ key }) => key)).toEqual(['b', 'a']);
    await db.close();
  });

  test('is shared by handles of one name, and stays open until the last handle closes', async () => {
    const directory = newDirectory();
    const [one, two] = [fixpoint('shared', { directory }), fixpoint('shared', { directory })];
    await one.put({ _id: 'a' });
    await one.close();
    expect(await two.get('a')).toEqual({ _id: 'a' });
    await two.destroy();
    const fresh = fixpoint('shared', { directory });
    expect((await fresh.allDocs()).rows).toEqual([]);
    await fresh.close();
  });

  test('closes its other handles when destroyed, so that they do not read from memory', async () => {
    const directory = newDirectory();
    const [one, two] = [fixpoint('shared', { directory }), fixpoint('shared', { directory })];
    await one.bulk([{ _id: 'a', n: 1 }, { _id: 'b' }]);
    const view = two.at(await two.head());
    await Promise.all([two.get('a'), two.query('n'), view.get('a')]);
    let heard = 0;
    two.subscribe(() => heard++);
    await one.destroy();
    for (const call of [
      two.get('a'),
      two.allDocs(),
      two.query('n'),
      two.changes(),
      two.history('a'),
      two.ready(),
      two.rotateKey(),
      two.put({}),
      view.get('a'),
    ])
      expect(await codeOf(call)).toBe('DATABASE_CLOSED');
    const fresh = fixpoint('shared', { directory });
    await fresh.put({ _id: 'c' });
    // Closing the old handle must not close the new database of the same name.
    await two.close();
    await two.close();
    expect((await fresh.allDocs()).rows.map(({ key }) => key)).toEqual(['c']);
    expect(heard).toBe(0);
    await fresh.close();
  });

  test('can be destroyed several times at once, and is created again if it is opened in the meantime', async () => {
    const directory = newDirectory();
    for (const documents of [0, 3]) {
      const [one, two] = [fixpoint('gone', { directory }), fixpoint('gone', { directory })];
      if (documents > 0) await one.bulk(Array.from({ length: documents }, () => ({})));
      const ends = [one.destroy(), one.destroy(), two.destroy()];
      const fresh = fixpoint('gone', { directory });
      expect(await Promise.all([...ends, fresh.put({ _id: 'new' })])).toHaveLength(4);
      expect((await fresh.allDocs()).rows.map(({ key }) => key)).toEqual(['new']);
      await fresh.close();
      const again = fixpoint('gone', { directory });
      expect((await again.allDocs()).rows.map(({ key }) => key)).toEqual(['new']);
      await again.destroy();
    }
  });

  test('closes only once for repeated calls, also after another handle destroyed the database', async () => {
    const directory = newDirectory();
    const open = () => fixpoint('closed', { directory });
    const [one, two, three] = [open(), open(), open()];
    await one.put({ _id: 'a' });
    expect(await Promise.all([one.close(), one.close()])).toEqual([undefined, undefined]);
    // If the second close counted, it would release another caller's handle.
    expect(await two.get('a')).toEqual({ _id: 'a' });
    await three.destroy();
    expect(await codeOf(two.get('a'))).toBe('DATABASE_CLOSED');
    for (const handle of [one, two, three, two]) await handle.close();
    const four = open();
    await four.put({ _id: 'b' });
    await Promise.all([one, two, three].map((handle) => handle.close()));
    expect(await four.get('b')).toEqual({ _id: 'b' });
    await four.destroy();
    await four.destroy();
    await four.close();
  });

  test('can be closed after it failed to open, without hiding the reason', long, async () => {
    const directory = newDirectory();
    const db = fixpoint('locked', { directory, passphrase: 'right' });
    await db.put({ _id: 'a' });
    await db.close();
    const locked = fixpoint('locked', { directory, passphrase: 'wrong' });
    const used = async () => {
      try {
        return await locked.get('a');
      } finally {
        await locked.close();
      }
    };
    expect(await codeOf(used())).toBe('KEY_BAG_LOCKED');
    await locked.close();
  });

  test('[R12] reports a listener whose promise rejects, just as it reports a listener that throws', async () => {
    const reported: unknown[] = [];
    const { platform } = memoryPlatform();
    const db = openDatabase('async', { ...platform, report: (error) => reported.push(error) });
    await db.ready();
    const failing = () => Promise.reject(new Error('later'));
    db.subscribe(failing);
    db.subscribe(failing, true);
    db.onClosed(failing);
    let told = 0;
    db.subscribe(() => told++, true);
    await db.put({ _id: 'a' });
    await expect.poll(() => [told, reported.length]).toEqual([1, 2]);
    await db.close();
    await expect.poll(() => reported.length).toBe(3);
    expect(reported.map((error) => (error as { code?: string }).code)).toEqual(Array(3).fill('SUBSCRIBER'));
  });

  test('[R6] has the same content as a map after any operations and reopenings', async () => {
    const id = fc.constantFrom('a', 'ab', 'abc', 'b', 'ba', 'x-1', 'x-2', 'x-10');
    const step = fc.oneof(
      fc.record({ do: fc.constant('put' as const), id, n: fc.integer() }),
      fc.record({ do: fc.constant('del' as const), id }),
      fc.record({ do: fc.constant('reopen' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const directory = newDirectory();
        let db = fixpoint('model', { directory });
        const model = new Map<string, number>();
        for (const one of steps) {
          if (one.do === 'put') {
            await db.put({ _id: one.id, n: one.n });
            model.set(one.id, one.n);
          } else if (one.do === 'del') {
            await db.del(one.id);
            model.delete(one.id);
          } else {
            await db.close();
            db = fixpoint('model', { directory });
          }
        }
        const found = (await db.allDocs<{ n: number }>()).rows.map(({ key, value }) => [key, value.n]);
        expect(found).toEqual([...model].sort(([a], [b]) => (a < b ? -1 : 1)));
        await db.destroy();
      }),
      { numRuns: 25 },
    );
  });
});
