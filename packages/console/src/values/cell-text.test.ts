import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CELL_CHARS_MAX, cellText, textOfPreview } from './cell-text.ts';

test('text stands as it is, other values as JSON, and a missing one is empty', () => {
  expect(cellText('milk "fresh"')).toBe('milk "fresh"');
  expect(cellText({ a: [1, null], b: 'x"' })).toBe('{"a": [1, null], "b": "x\\""}');
  expect([null, false, 0, '', undefined].map(cellText)).toEqual(['null', 'false', '0', '', '']);
});

test('values that JSON does not know are named', () => {
  expect(cellText({ photo: new Uint8Array(3), big: 2n ** 60n })).toBe(
    '{"photo": 3 bytes, "big": 1152921504606846976}',
  );
});

test('short JSON says what the value is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 2 }), (value) => {
      const text = cellText(value);
      fc.pre(typeof value !== 'string' && text.length < CELL_CHARS_MAX);
      expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(value));
    }),
  );
});

test('a cell has at most 256 characters, and no half of one', () => {
  expect(cellText('x'.repeat(256))).toBe('x'.repeat(256));
  expect(cellText('x'.repeat(257))).toBe(`${'x'.repeat(255)}…`);
  expect(cellText(`${'x'.repeat(254)}😀😀`)).toBe(`${'x'.repeat(254)}…`);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(cellText([value, 'y'.repeat(300)]).length).toBeLessThanOrEqual(CELL_CHARS_MAX);
    }),
  );
});

test('of a big value only the part that is shown is read', () => {
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

test('of a cell that the engine cut no half of a character is left', () => {
  expect(textOfPreview({ text: `${'x'.repeat(254)}😀`, cut: true })).toBe(`${'x'.repeat(254)}…`);
});
