import { expect, test } from 'vitest';
import { withField } from '../../../values/document-fields.ts';
import { isFieldFree, parseTyped, type TypedText, typedAs, typedOf } from './field-value.ts';

const parsedOf = (typed: TypedText) => {
  const parsed = parseTyped(typed);
  return parsed.problem === undefined ? parsed.value : { problem: parsed.problem };
};

test.each([
  ['', 'text'],
  ['12', 'text'],
  [12.5, 'number'],
  [-0.25, 'number'],
  [false, 'boolean'],
  [null, 'null'],
  [[1, { a: 'b' }], 'json'],
  [{}, 'json'],
] as const)('parses a value from its shown text: %j', (value, kind) => {
  const typed = typedOf(value);
  expect(typed?.kind).toBe(kind);
  expect(typed && parsedOf(typed)).toEqual(value);
});

test('refuses to edit values that one line of text can’t express', () => {
  expect(typedOf(Uint8Array.of(1))).toBeUndefined();
  expect(typedOf({ deep: [1n] })).toBeUndefined();
  expect(typedOf('two\nlines')).toBeUndefined();
  expect(typedOf('x'.repeat(10_001))).toBeUndefined();
  expect(typedOf(undefined)).toEqual({ kind: 'text', text: '' });
});

test('reports text that is invalid for its kind', () => {
  for (const text of ['', ' ', 'abc', 'Infinity', '1,5'])
    expect(parsedOf({ kind: 'number', text })).toEqual({ problem: 'This isn’t a number.' });
  expect(parsedOf({ kind: 'json', text: '{' })).toEqual({ problem: 'This isn’t valid JSON.' });
});

test.each([
  ['number', '9007199254740993', /^9007199254740993 would become 9007199254740992\. Use text/],
  ['number', ' 0.1234567890123456789 ', /would become 0\.12345678901234568/],
  ['number', '1e999', /too large for a number/],
  ['json', '{"a": [9007199254740993]}', /would become 9007199254740992/],
  ['json', '{"a": 1, "a": 2}', /same field twice/],
] as const)('rejects %s %s, which would be stored differently', (kind, text, problem) => {
  expect(parsedOf({ kind, text })).toEqual({ problem: expect.stringMatching(problem) });
});

test.each([
  ['number', '9007199254740992', 2 ** 53],
  ['number', '1.500', 1.5],
  ['number', '0x20000000000001', 2 ** 53],
  ['json', '{"a": "9007199254740993", "b": "\\"a\\":"}', { a: '9007199254740993', b: '"a":' }],
] as const)('accepts %s %s', (kind, text, value) => {
  expect(parsedOf({ kind, text })).toEqual(value);
});

test('keeps as much of the text as possible when the kind changes', () => {
  expect(typedAs({ kind: 'number', text: '7' }, 'text')).toEqual({ kind: 'text', text: '7' });
  expect(typedAs({ kind: 'text', text: 'a "b"' }, 'json')).toEqual({ kind: 'json', text: '"a \\"b\\""' });
  expect(typedAs({ kind: 'json', text: '"a"' }, 'text')).toEqual({ kind: 'text', text: 'a' });
  expect(typedAs({ kind: 'text', text: 'yes' }, 'boolean')).toEqual({ kind: 'boolean', text: 'false' });
  expect(parsedOf(typedAs({ kind: 'text', text: 'x' }, 'none'))).toBeUndefined();
});

test('sets a field in place, appends a new field, and treats __proto__ like any other name', () => {
  const doc = { _id: 'a', x: 1, y: 2 };
  expect(JSON.stringify(withField(doc, 'x', 'new'))).toBe('{"_id":"a","x":"new","y":2}');
  expect(JSON.stringify(withField(doc, 'z', 3))).toBe('{"_id":"a","x":1,"y":2,"z":3}');
  expect(withField(doc, 'x', undefined)).toEqual({ _id: 'a', y: 2 });
  const odd = withField(doc, '__proto__', { z: 1 });
  expect(Object.hasOwn(odd, '__proto__')).toBe(true);
  expect(odd).not.toHaveProperty('z');
  expect(Object.keys(withField(odd, '__proto__', undefined))).toEqual(['_id', 'x', 'y']);
});

test('doesn’t allow changes to fields that belong to the engine', () => {
  expect(['_id', '_files', '_publicFiles', '_deleted', 'title'].filter(isFieldFree)).toEqual(['title']);
});
