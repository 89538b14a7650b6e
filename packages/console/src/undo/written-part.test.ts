import { describe, expect, test } from 'vitest';
import { freshDatabase } from '../local/fresh-database.fixture.ts';
import { isSameDocument, isSmall, partOf } from './written-part.ts';
import { writtenStep } from './written-step.ts';

const LONG = { _id: 'long', text: 'x'.repeat(70_000) };
const SHORT = { _id: 'long', text: 'x' };

describe('the part of a written document', () => {
  test('is in the history if the document is long', async () => {
    const database = await freshDatabase([SHORT]);
    const before = await database.head();
    await database.put(LONG);
    const after = await database.head();
    const part = await partOf({ id: 'long', before: SHORT, after: LONG }, before, database);
    expect(part).toEqual({ ids: ['long'], before, after });
    expect([isSmall({ before: SHORT, after: LONG }), isSmall({ before: undefined, after: SHORT })]).toEqual([
      false,
      true,
    ]);
  });

  test('is in memory if somebody wrote the document since, so that Undo asks', async () => {
    const database = await freshDatabase([SHORT]);
    const before = await database.head();
    await database.bulk([LONG]);
    await database.put({ _id: 'long', text: 'theirs' });
    const part = await partOf({ id: 'long', before: SHORT, after: LONG }, before, database);
    expect(part).toEqual({ kept: [{ id: 'long', before: SHORT, after: LONG }] });
    expect((await writtenStep(database, 'Saved', [part]).undo('ask'))?.written).toBe(0);
    expect(await database.get('long')).toEqual({ _id: 'long', text: 'theirs' });
  });
});

test('compares fields and files of documents, in any order', () => {
  const file = (cid: string) => ({ cid, size: 1, file: () => undefined });
  const doc = (cid: string) => ({ a: 1, b: [1], _files: { x: file(cid), y: file('y') } });
  const { a, b, _files: files } = doc('x');
  expect(isSameDocument({ _files: { y: files.y, x: files.x }, b, a }, doc('x'))).toBe(true);
  expect([isSameDocument(doc('z'), doc('x')), isSameDocument({ a, b }, doc('x'))]).toEqual([false, false]);
  expect([isSameDocument(undefined, undefined), isSameDocument(undefined, doc('x'))]).toEqual([true, false]);
});
