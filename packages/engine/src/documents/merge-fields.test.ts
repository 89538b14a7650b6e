import { describe, expect, test } from 'vitest';
import { mergeFields } from './merge-fields.ts';

describe('merged fields', () => {
  test.each([
    ['different fields', { a: 0, b: 0 }, { a: 1, b: 0 }, { a: 0, b: 1 }, { a: 1, b: 1 }],
    ['the same field', { a: 0 }, { a: 1 }, { a: 2 }, { a: 2 }],
    ['the same change', { a: 0 }, { a: 1 }, { a: 1 }, { a: 1 }],
    ['new fields', {}, { a: 1 }, { b: 1 }, { a: 1, b: 1 }],
    ['a removed field', { a: 0, b: 0 }, { b: 0 }, { a: 0, b: 1 }, { b: 1 }],
    ['a field that was removed and changed', { a: 0 }, {}, { a: 1 }, { a: 1 }],
    ['a field that was changed and removed', { a: 0 }, { a: 1 }, {}, {}],
    ['no version before', undefined, { a: 1, b: 1 }, { b: 2, c: 2 }, { a: 1, b: 2, c: 2 }],
    ['equal objects', { a: { x: [1] } }, { a: { x: [1] } }, { a: { x: [2] } }, { a: { x: [2] } }],
    [
      'objects as whole values',
      { a: { x: 0, y: 0 } },
      { a: { x: 1, y: 0 } },
      { a: { x: 0, y: 1 } },
      { a: { x: 0, y: 1 } },
    ],
    ['bytes', { a: new Uint8Array([1]) }, { a: new Uint8Array([1]) }, { a: 2 }, { a: 2 }],
    ['null', { a: null }, { a: null, b: null }, { a: 1 }, { a: 1, b: null }],
    [
      'files by name',
      { _files: { x: 1 } },
      { _files: { x: 1, y: 1 } },
      { _files: { z: 1 } },
      { _files: { y: 1, z: 1 } },
    ],
    ['names of methods', {}, { ['__proto__']: 1 }, { constructor: 2 }, { ['__proto__']: 1, constructor: 2 }],
  ])('have the changes of both versions: %s', (_, base, ours, theirs, merged) => {
    expect(mergeFields(base, ours, theirs)).toEqual(merged);
  });
});
