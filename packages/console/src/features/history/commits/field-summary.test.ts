import type { DocumentChange } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { changedField } from './field-summary.ts';

const change = (before: object | undefined, after: object | undefined, id = 'milk') =>
  ({
    id,
    ...(before && { before: { _id: id, ...before } }),
    ...(after && { after: { _id: id, ...after } }),
  }) as DocumentChange;

describe('the first changed field of a commit', () => {
  test('has the values before and after', () => {
    expect(changedField([change({ litres: 1, from: 'x' }, { litres: 2, from: 'x' })])).toEqual({
      title: 'x',
      field: 'litres',
      before: '1',
      after: '2',
      more: 0,
    });
  });

  test('counts the other changed fields of all documents', () => {
    const changes = [
      change({ a: 1, b: { c: [1] } }, { a: 2, b: { c: [2] } }),
      change({ a: 1 }, { a: 2 }, 'tea'),
      change(undefined, { a: 1 }, 'rice'),
    ];
    expect(changedField(changes)).toMatchObject({ title: 'milk', field: 'a', more: 2 });
  });

  test('names the document by its title', () => {
    expect(changedField([change({ name: 'Tea', a: 1 }, { name: 'Tea', a: 2 })])?.title).toBe('Tea');
  });

  test('has no value before a new field, and none after a removed field', () => {
    expect(changedField([change({}, { a: null })])).toMatchObject({ before: undefined, after: 'null' });
    expect(changedField([change({ a: '' }, {})])).toMatchObject({ before: '', after: undefined });
  });

  test('truncates long values, and escapes invisible characters of ids', () => {
    const found = changedField([change({ a: 'x' }, { a: 'y'.repeat(99) })]);
    expect(found?.after).toBe(`${'y'.repeat(31)}…`);
    expect(changedField([change({ a: 1 }, { a: 2 }, 'a\u202eb')])?.title).toBe('"a\\u202eb"');
  });

  test('is undefined if documents were only created or deleted', () => {
    expect(changedField([change(undefined, { a: 1 }), change({ a: 1 }, undefined, 'tea')])).toBe(undefined);
  });
});
