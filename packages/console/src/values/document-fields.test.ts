import { describe, expect, test } from 'vitest';
import { partsOf, sameFields, textOfDocument, valueIn } from './document-fields.ts';

test('omits the id from the text', () => {
  expect(textOfDocument({ _id: 'a', x: 1 })).toEqual({ text: '{\n  "x": 1\n}', exact: true });
});

test('shows a document with bytes or long integers, but marks its text as not editable', () => {
  expect(textOfDocument({ _id: 'a', photo: new Uint8Array(2) })).toEqual({
    text: '{\n  "photo": "2 bytes"\n}',
    exact: false,
  });
  expect(textOfDocument({ n: [2n ** 60n] }).exact).toBe(false);
});

test('compares fields in any order, and notices different values, missing fields and different lengths', () => {
  expect(sameFields({ _id: 'a', x: 1, y: [{ z: null }] }, { y: [{ z: null }], x: 1 })).toBe(true);
  for (const other of [{ x: 1 }, { x: 1, y: undefined }, { x: 1, y: [] }, { x: 1, y: { 0: 'a' } }])
    expect(sameFields({ x: 1, y: ['a'] }, other)).toBe(false);
  expect(sameFields(JSON.parse('{"__proto__": {}}'), {})).toBe(false);
});

describe('the parts of a document', () => {
  const file = { file: () => Promise.reject(new Error('unused')) };

  test('separates attached files from fields', () => {
    const doc = { _id: 'a', x: 1, _files: { 'a.png': file } };
    expect(partsOf(doc)).toEqual({ fields: { _id: 'a', x: 1 }, files: { _files: { 'a.png': file } } });
  });

  test('treats values that a user typed into a file field as fields', () => {
    for (const typed of ['text', null, {}, { 'a.png': 'text' }])
      expect(partsOf({ _files: typed })).toEqual({ fields: { _files: typed }, files: {} });
  });
});

test('reads only own fields', () => {
  expect(valueIn({ x: 1 }, 'x')).toBe(1);
  expect(valueIn({ x: 1 }, 'toString')).toBeUndefined();
});

test('compares bytes by content, and values outside of JSON by their text', () => {
  expect(sameFields({ x: Uint8Array.of(1, 2) }, { x: Uint8Array.of(1, 2) })).toBe(true);
  expect(sameFields({ x: Uint8Array.of(1, 2) }, { x: Uint8Array.of(1, 3) })).toBe(false);
  expect(sameFields({ x: Uint8Array.of(1) }, { x: [1] })).toBe(false);
  expect(sameFields({ x: new URL('https://a.example') }, { x: new URL('https://a.example') })).toBe(true);
  expect(sameFields({ x: new URL('https://a.example') }, { x: new URL('https://b.example') })).toBe(false);
});
