import type { DocumentConflicts, DocumentVersion } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { withConflict } from '../conflicts/real-conflict.fixture.ts';
import { blameOf, linearSteps } from './blame.ts';
import { readBlame } from './field-authors.ts';

/** Returns versions, newest first, whose events are numbered from the oldest one. */
const versionsOf = (...values: readonly (object | undefined)[]): DocumentVersion[] =>
  values.map((value, at) => ({
    event: `e${values.length - at}`,
    parents: [],
    concurrent: false,
    ...(value && { value: { _id: 'milk', ...value } as DocumentVersion['value'] & object }),
  }));
const blameLinear = (versions: readonly DocumentVersion[], isAll: boolean) =>
  blameOf(versions[0]?.value, linearSteps(versions, isAll));
const blamed = (versions: readonly DocumentVersion[], isAll = true) => {
  const { fields, isComplete } = blameLinear(versions, isAll);
  return {
    isComplete,
    events: Object.fromEntries([...fields].map(([name, one]) => [name, one.version.event])),
  };
};

describe('the author of a field', () => {
  test('is that of the oldest version since which the field has its value', () => {
    const versions = versionsOf({ a: 1, b: 2, c: [1] }, { a: 1, b: 1, c: [1] }, { a: 0, b: 2, c: [1] });
    expect(blamed(versions)).toEqual({ isComplete: true, events: { a: 'e2', b: 'e3', c: 'e1' } });
  });

  test('is that of the version that created the document again after a deletion', () => {
    expect(blamed(versionsOf({ a: 1 }, undefined, { a: 1 })).events).toEqual({ a: 'e3' });
  });

  test('needs older versions if there are any', () => {
    const versions = versionsOf({ a: 1, b: 2 }, { a: 1, b: 1 });
    expect(blamed(versions, false)).toEqual({ isComplete: false, events: { b: 'e2' } });
    expect(blamed([], false)).toEqual({ isComplete: true, events: {} });
  });

  test('is not exact where compaction removed older versions', () => {
    const [newest, oldest] = versionsOf({ a: 1, b: 2 }, { a: 1, b: 1 }) as [DocumentVersion, DocumentVersion];
    const { fields } = blameLinear([newest, { ...oldest, isHorizon: true }], true);
    expect([fields.get('a')?.isExact, fields.get('b')?.isExact]).toEqual([false, true]);
    const dropped = blameLinear(
      [newest, { event: 'e1', parents: [], concurrent: false, isDropped: true }],
      true,
    );
    expect(dropped.fields.get('a')).toEqual({ version: newest, isExact: false });
  });

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('finds a field called %s', (name) => {
    const doc = JSON.parse(`{"${name}": 1}`) as object;
    expect(blameLinear(versionsOf(doc, {}), true).fields.get(name)?.version.event).toBe('e2');
    expect(blameLinear(versionsOf({}, doc), true).fields.size).toBe(0);
  });

  test('is that of the version that won, and of the one before both for what it kept', async () => {
    const { database, other, meet } = await withConflict();
    await database.put({ _id: 'milk', litres: 1, price: 1 });
    await meet();
    const [base] = await database.history('milk');
    await database.put({ _id: 'milk', litres: 2, price: 1 });
    await other.put({ _id: 'milk', litres: 1, price: 2 });
    await meet();
    const seen = (await database.conflicts('milk')) as DocumentConflicts;
    const { fields } = await readBlame(database, 'milk', new AbortController().signal);
    const isLitres = (seen.winner.value as { litres?: number }).litres === 2;
    const [set, kept] = isLitres ? ['litres', 'price'] : ['price', 'litres'];
    expect(fields.get(set as string)?.version.event).toBe(seen.winner.event);
    expect(fields.get(kept as string)?.version.event).toBe(base?.event);
  });
});
