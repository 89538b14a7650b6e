import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Database, type Head, fixpoint as open } from '../entries/node.ts';

const base = mkdtempSync(join(tmpdir(), 'fixpoint-past-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const fixpoint = (name: string) =>
  open(name, { directory: mkdtempSync(join(base, 'db-')), durability: 'relaxed' });
const idsOf = async (view: Pick<Database, 'allDocs'>) => (await view.allDocs()).rows.map(({ key }) => key);

describe('earlier versions', () => {
  test('returns the documents of an earlier head, even after later writes', async () => {
    const db = fixpoint('views');
    const copies: { head: Head; docs: unknown }[] = [];
    for (let n = 0; n < 30; n++) {
      if (n % 7 === 6) await db.del(`doc-${n % 5}`);
      else await db.put({ _id: `doc-${n % 5}`, n });
      copies.push({ head: await db.head(), docs: (await db.allDocs()).rows });
    }
    for (const { head, docs } of copies) expect((await db.at(head).allDocs()).rows).toEqual(docs);
    expect(await idsOf(db.at([]))).toEqual([]);
    await db.close();
  });

  test('returns the results of get and query at the head of a view', async () => {
    const db = fixpoint('queries');
    await db.put({ _id: 'a', colour: 'red' });
    await db.put({ _id: 'b', colour: 'blue' });
    const head = await db.head();
    await db.bulk([
      { _id: 'a', colour: 'blue' },
      { _id: 'c', colour: 'blue' },
    ]);
    const then = db.at(head);
    expect(await then.get('a')).toEqual({ _id: 'a', colour: 'red' });
    await expect(then.get('c')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { rows } = await then.query('colour', { key: 'blue' });
    expect(rows.map(({ id, doc }) => [id, doc?.['colour']])).toEqual([['b', 'blue']]);
    expect((await db.query('colour', { key: 'blue' })).rows).toHaveLength(3);
    await db.close();
  });

  test('rejects a head that is unknown here, and anything that is not a head', async () => {
    const [db, other] = [fixpoint('known'), fixpoint('other')];
    await db.put({ _id: 'a' });
    await other.put({ _id: 'b' });
    const head = await other.head();
    await expect(db.at(head).get('b')).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
    expect(() => db.at(['not a CID'])).toThrow(expect.objectContaining({ code: 'HEAD_INVALID' }));
    await db.close();
    await other.close();
  });

  test('returns the documents that differ between two heads, with both values', async () => {
    const db = fixpoint('differences');
    await db.bulk([
      { _id: 'same' },
      { _id: 'changed', n: 1 },
      { _id: 'deleted' },
      { _id: 'deep/a' },
      { _id: 'deep/b' },
    ]);
    const before = await db.head();
    await db.bulk([{ _id: 'changed', n: 2 }, { _id: 'new' }]);
    await db.del('deleted');
    await db.del('was never there');
    expect(await db.diff(before, await db.head())).toEqual([
      { id: 'changed', before: { _id: 'changed', n: 1 }, after: { _id: 'changed', n: 2 } },
      { id: 'deleted', before: { _id: 'deleted' } },
      { id: 'new', after: { _id: 'new' } },
    ]);
    expect(
      (await db.diff(await db.head(), before)).map(({ id, before: old }) => [id, old !== undefined]),
    ).toEqual([
      ['changed', true],
      ['deleted', false],
      ['new', true],
    ]);
    expect(await db.diff(before, before)).toEqual([]);
    await db.close();
  });

  test('restores a document with a new write, and deletes a document that did not exist at the head', async () => {
    const db = fixpoint('restores');
    await db.put({ _id: 'a', n: 1 });
    const head = await db.head();
    await db.put({ _id: 'a', n: 2 });
    await db.put({ _id: 'b' });
    await db.restore('a', head);
    expect(await db.get('a')).toEqual({ _id: 'a', n: 1 });
    await db.restore('b', head);
    expect(await idsOf(db)).toEqual(['a']);
    await db.close();
  });
});
