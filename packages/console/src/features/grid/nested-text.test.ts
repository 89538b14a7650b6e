import { type Cell, previewOf } from 'fixpoint/rows';
import { describe, expect, test } from 'vitest';
import { nestedText } from './nested-text.ts';

const shown = (value: unknown) => nestedText(previewOf(value));

describe('the text of a list or an object in a cell', () => {
  test.each([
    [['Latn', 'Arab'], 'Latn, Arab'],
    [['a', 'b', 'c', 'd', 'e', 'f'], 'a, b, c, d +2'],
    [[1, true, null, 'x, "y"'], '1, true, null, x, "y"'],
    [[[1, 2], { a: 'b' }], '[1, 2], {"a": "b"}'],
    [{ city: 'Rome', lat: 41.9 }, 'city: Rome, lat: 41.9'],
    [{ 'a "b", c': ['x', 'y'], d: {} }, 'a "b", c: ["x", "y"], d: {}'],
    [
      JSON.parse('{"__proto__": 1, "constructor": "x", "": 2}'),
      '__proto__: 1, constructor: x, (empty name): 2',
    ],
    [[], '[]'],
    [{}, '{}'],
    [[''], ''],
    [{ data: new Uint8Array(3) }, 'data: 3 bytes'],
    [['back\\', 'slash'], 'back\\, slash'],
  ])('shows %j as "%s"', (value, text) => {
    expect(shown(value)).toBe(text);
  });

  test('ends with an ellipsis if the value is longer than a preview', () => {
    expect(shown(Array.from({ length: 500 }, (_, at) => at))).toBe('0, 1, 2, 3, …');
    expect(shown({ a: 1, b: 'x'.repeat(400) })).toBe('a: 1, …');
  });

  test('shows the start of a value whose first part is longer than a preview', () => {
    expect(shown(['x'.repeat(400)])).toBe(`["${'x'.repeat(254)}`);
  });

  test('shows a text that is not JSON as it is', () => {
    expect(nestedText({ kind: 'list', text: '["a\\q"]', cut: false } as Cell)).toBe('"a\\q"');
  });
});
