import { describe, expect, test } from 'vitest';
import { type Change, undoPlan } from './undo-plan.ts';

const doc = (fields: object) => ({ _id: 'a', ...fields });
const plan = (change: Omit<Change, 'id'>, now: object | undefined) =>
  undoPlan({ id: 'a', ...change }, now as Change['before']);

describe('undoing a change of a whole document', () => {
  const change = { before: doc({ x: 1, y: 1 }), after: doc({ x: 2, y: 1 }) };

  test('restores the document that nobody changed since', () => {
    expect(plan(change, doc({ y: 1, x: 2 }))).toEqual({ write: { put: change.before }, other: undefined });
  });

  test('keeps a change of another field that somebody made since', () => {
    expect(plan(change, doc({ x: 2, y: 5, z: 1 }))).toEqual({
      write: { put: doc({ x: 1, y: 5, z: 1 }) },
      other: undefined,
    });
  });

  test('names the field that somebody else changed since', () => {
    const { write, other } = plan(change, doc({ x: 7, y: 1 }));
    expect(other).toEqual({ id: 'a', isGone: false, fields: [{ field: 'x', now: 7 }] });
    expect(write).toEqual({ put: doc({ x: 1, y: 1 }) });
  });

  test('writes nothing if the field already has its previous value', () => {
    expect(plan(change, doc({ x: 1, y: 9 }))).toEqual({ write: undefined, other: undefined });
  });

  test('reports a document that somebody deleted since, and can restore it', () => {
    expect(plan(change, undefined)).toEqual({
      write: { put: change.before },
      other: { id: 'a', isGone: true, fields: [] },
    });
  });
});

describe('undoing a deletion or a new document', () => {
  test('restores a deleted document, and deletes a new one', () => {
    expect(plan({ before: doc({ x: 1 }), after: undefined }, undefined).write).toEqual({
      put: doc({ x: 1 }),
    });
    expect(plan({ before: undefined, after: doc({ x: 1 }) }, doc({ x: 1 })).write).toBe('delete');
  });

  test('names the fields of a document that somebody created again or changed', () => {
    const again = plan({ before: doc({ x: 1 }), after: undefined }, doc({ z: 3 }));
    expect(again.other?.fields).toEqual([{ field: 'z', now: 3 }]);
    const changed = plan({ before: undefined, after: doc({ x: 1 }) }, doc({ x: 1, y: 2 }));
    expect(changed).toEqual({
      write: 'delete',
      other: { id: 'a', isGone: false, fields: [{ field: 'y', now: 2 }] },
    });
  });
});

describe('undoing a change of some fields', () => {
  const change = { before: {}, after: { x: 2 }, fields: ['x'] };

  test('removes a field that the document did not have', () => {
    expect(plan(change, doc({ x: 2, y: 1 })).write).toEqual({ put: doc({ y: 1 }) });
  });

  test('writes nothing into a document that somebody deleted', () => {
    expect(plan(change, undefined)).toEqual({
      write: undefined,
      other: { id: 'a', isGone: true, fields: [] },
    });
  });

  test.each(['constructor', '__proto__', 'toString'])('handles a field named %s', (field) => {
    const before = Object.fromEntries([[field, 1]]);
    const after = Object.fromEntries([[field, 2]]);
    const now = Object.fromEntries([
      ['_id', 'a'],
      [field, 2],
    ]);
    const { write } = plan({ before, after, fields: [field] }, now);
    expect(JSON.stringify(write)).toBe(`{"put":{"_id":"a","${field}":1}}`);
  });
});
