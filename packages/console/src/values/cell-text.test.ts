import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CELL_CHARS_MAX, cellText, textOfPreview } from './cell-text.ts';

test('shows text unchanged, other values as JSON, and a missing value as an empty text', () => {
  expect(cellText('milk "fresh"')).toBe('milk "fresh"');
  expect(cellText({ a: [1, null], b: 'x"' })).toBe('{"a": [1, null], "b": "x\\""}');
  expect([null, false, 0, '', undefined].map(cellText)).toEqual(['null', 'false', '0', '', '']);
});

test('describes values that JSON doesn’t support', () => {
  expect(cellText({ photo: new Uint8Array(3), big: 2n ** 60n })).toBe(
    '{"photo": 3 bytes, "big": 1152921504606846976}',
  );
});

test('returns short values as JSON that parses to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 2 }), (value) => {
      const text = cellText(value);
      fc.pre(typeof value !== 'string' && text.length < CELL_CHARS_MAX);
      expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(value));
    }),
  );
});

test('cuts a cell at 256 characters, and never inside a character', () => {
  expect(cellText('x'.repeat(256))).toBe('x'.repeat(256));
  expect(cellText('x'.repeat(257))).toBe(`${'x'.repeat(255)}…`);
  expect(cellText(`${'x'.repeat(254)}😀😀`)).toBe(`${'x'.repeat(254)}…`);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(cellText([value, 'y'.repeat(300)]).length).toBeLessThanOrEqual(CELL_CHARS_MAX);
    }),
  );
});

test('reads only the shown part of a big value', () => {
  let read = 0;
  const item = {
    get field() {
      read += 1;
      return 'value';
    },
  };
  cellText(new Array(10_000).fill(item));
  expect(read).toBeLessThan(50);
});

test('removes half a character from the end of a cell that the engine cut', () => {
  expect(textOfPreview({ text: `${'x'.repeat(254)}😀`, cut: true })).toBe(`${'x'.repeat(254)}…`);
});
