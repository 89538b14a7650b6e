import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEdits, awayFrom, layoutEdits } from './json-layout.ts';

const formatted = (text: string) => applyEdits(text, layoutEdits(text));

test('puts each field of a one-line text on its own line', () => {
  expect(formatted('{"a":1,"b":[true,{"c":null}],"d":{},"e":[]}')).toBe(
    JSON.stringify({ a: 1, b: [true, { c: null }], d: {}, e: [] }, null, 2),
  );
});

test('formats any JSON like JSON.stringify, and doesn’t edit formatted text', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.constantFrom('', ' ', '\t', '        '),
      fc.nat(3),
      (value, indent, pad) => {
        const space = ' \n'.repeat(pad);
        const text = `${space}${JSON.stringify(value, null, indent)}${space}`;
        const result = formatted(text);
        expect(result).toBe(JSON.stringify(value, null, 2));
        expect(layoutEdits(result)).toEqual([]);
      },
    ),
  );
});

test('changes only whitespace, and keeps long numbers and escapes as typed', () => {
  expect(formatted('{"n":12345678901234567890,"f":1.0,"s":"\\u0041 \\" , : {"}')).toBe(
    '{\n  "n": 12345678901234567890,\n  "f": 1.0,\n  "s": "\\u0041 \\" , : {"\n}',
  );
});

test('keeps each edit minimal, so that a caret elsewhere keeps its place', () => {
  expect(layoutEdits('{\n  "a": 1,\n    "b": 2\n}')).toEqual([{ from: 14, to: 16, insert: '' }]);
});

test('keeps the empty line at the caret during typing', () => {
  const text = '{"a":1,\n\n"b":2}';
  const edits = awayFrom(layoutEdits(text), 8);
  expect(applyEdits(text, edits)).toBe('{\n  "a": 1,\n\n"b": 2\n}');
});
