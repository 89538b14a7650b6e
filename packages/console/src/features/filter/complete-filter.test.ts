import { describe, expect, test } from 'vitest';
import { type KnownPath, suggestionsAt, withSuggestion } from './complete-filter.ts';
import { pathsIn } from './known-paths.ts';

const KNOWN: readonly KnownPath[] = [
  { path: 'scope', detail: '7,910 documents', values: ['M', 'I'] },
  { path: 'speakers', detail: '62 documents', values: [1200, 5] },
  { path: 'a\\.b', detail: '1 document', values: ['with "quotes"'] },
  { path: 'place.city', detail: '', values: [] },
];
const texts = (text: string, caret = text.length) =>
  suggestionsAt(text, caret, KNOWN).all.map((one) => one.text);

describe('suggestions', () => {
  test('lists fields at the beginning, after a parenthesis, and after "and"', () => {
    const all = ['scope', 'speakers', '"a.b"', 'place.city'];
    for (const text of ['', '(', 'scope = "M" and ', 'not ']) expect(texts(text)).toEqual(all);
  });

  test('lists fields that contain the typed text, those that begin with it first', () => {
    expect(texts('spea')).toEqual(['speakers']);
    expect(texts('scope = "M" or c')).toEqual(['scope', 'place.city']);
    expect(texts('place.ci')).toEqual(['place.city']);
  });

  test('lists comparisons after a field, and types after "is"', () => {
    expect(texts('scope ')).toContain('starts with');
    expect(texts('scope con')).toEqual(['contains', 'not contains']);
    expect(texts('scope is nu')).toEqual(['number', 'null']);
  });

  test('lists values of the field, in quotes if they are texts', () => {
    expect(texts('scope = ')).toEqual(['"M"', '"I"']);
    expect(texts('scope = "m')).toEqual(['"M"']);
    expect(texts('speakers > ')).toEqual(['1200', '5']);
    expect(texts('"a.b" = ')).toEqual(['"with \\"quotes\\""']);
    expect(texts('scope in ')).toEqual(['["M"]', '["I"]']);
  });

  test('lists "and" and "or" after a condition', () => {
    expect(texts('scope = "M" ')).toEqual(['and', 'or']);
  });

  test('replaces the word at the caret, and puts the caret after it', () => {
    const text = 'sco = "M"';
    const suggestions = suggestionsAt(text, 3, KNOWN);
    const [first] = suggestions.all;
    expect(withSuggestion(text, suggestions, first as never)).toEqual({ text: 'scope = "M"', caret: 6 });
  });
});

test('finds nested fields and frequent values in a sample', () => {
  const docs: readonly object[] = [
    { _id: 'a', kind: 'x', lines: [{ sku: 1 }, { sku: 2 }], __proto__: null },
    { _id: 'b', kind: 'y', tags: ['red'], place: { city: 'Rome' } },
    { _id: 'c', kind: 'y', constructor: 1 },
  ];
  const paths = new Map(pathsIn(docs).map((one) => [one.path, one]));
  expect([...paths.keys()]).toEqual([
    '_id',
    'kind',
    'lines',
    'lines[].sku',
    'tags',
    'tags[]',
    'place',
    'place.city',
    'constructor',
  ]);
  expect(paths.get('kind')).toMatchObject({ values: ['y', 'x'], detail: '3 of the first 3' });
  expect(paths.get('lines[].sku')).toMatchObject({ values: [1, 2], detail: '1 of the first 3' });
});
