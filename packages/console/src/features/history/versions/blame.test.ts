import type { DocumentVersion } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { blameOf } from './blame.ts';

/** Returns versions, newest first, whose events are numbered from the oldest one. */
const versionsOf = (...values: readonly (object | undefined)[]): DocumentVersion[] =>
  values.map((value, at) => ({
    event: `e${values.length - at}`,
    parents: [],
    concurrent: false,
    ...(value && { value: { _id: 'milk', ...value } as DocumentVersion['value'] & object }),
  }));
const blamed = (versions: readonly DocumentVersion[], isAll = true) => {
  const { fields, isComplete } = blameOf(versions, isAll);
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
    const { fields } = blameOf([newest, { ...oldest, isHorizon: true }], true);
    expect([fields.get('a')?.isExact, fields.get('b')?.isExact]).toEqual([false, true]);
    const dropped = blameOf([newest, { event: 'e1', parents: [], concurrent: false, isDropped: true }], true);
    expect(dropped.fields.get('a')).toEqual({ version: newest, isExact: false });
  });

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('finds a field called %s', (name) => {
    const doc = JSON.parse(`{"${name}": 1}`) as object;
    expect(blameOf(versionsOf(doc, {}), true).fields.get(name)?.version.event).toBe('e2');
    expect(blameOf(versionsOf({}, doc), true).fields.size).toBe(0);
  });
});
