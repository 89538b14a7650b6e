import fc from 'fast-check';
import { visit } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { jsonLineMarks, LINE_CHARS_MAX } from './json-line-marks.ts';

const marked = (line: string) =>
  jsonLineMarks(line).map(({ from, to, kind }) => `${kind} ${line.slice(from, to)}`);

test('marks names, texts, numbers and words of a line', () => {
  expect(marked('  "a b": ["x \\" y", -1.5e+3, true, null], "c" : {},')).toEqual([
    'name "a b"',
    'text "x \\" y"',
    'number -1.5e+3',
    'word true',
    'word null',
    'name "c"',
  ]);
});

test('extends an unclosed text to the end of the line', () => {
  expect(marked('"a": "never closed \\"')).toEqual(['name "a"', 'text "never closed \\"']);
});

test('reads only the beginning of a long line, and extends its last text over the rest', () => {
  const long = `"a": "${'x'.repeat(3 * LINE_CHARS_MAX)}"`;
  expect(jsonLineMarks(`${long},`).at(-1)).toEqual({ from: 5, to: long.length, kind: 'text' });
  const many = `[${'1,'.repeat(LINE_CHARS_MAX)}1]`;
  expect(jsonLineMarks(many).every(({ to }) => to <= LINE_CHARS_MAX)).toBe(true);
});

test('marks the same tokens line by line as a parser finds in the whole text', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const text = JSON.stringify(value, undefined, 2);
      const wanted: string[] = [];
      const add = (at: number, length: number) => wanted.push(text.slice(at, at + length));
      visit(text, {
        onObjectProperty: (_name, at, length) => add(at, length),
        onLiteralValue: (_value, at, length) => add(at, length),
      });
      const lines = text.split('\n');
      const found = lines.flatMap((line) => jsonLineMarks(line).map(({ from, to }) => line.slice(from, to)));
      expect(found).toEqual(wanted);
    }),
  );
});
