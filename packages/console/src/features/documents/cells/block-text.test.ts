import { describe, expect, test } from 'vitest';
import { asJson, asMarkdown, asTsv, readTsv } from './block-text.ts';

describe('tab-separated text', () => {
  test.each<[string, string[][]]>([
    [
      'a\tb\nc\td',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a\tb\r\nc\td\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['"two\nlines"\t"a ""quote"""', [['two\nlines', 'a "quote"']]],
    ['5" disk\t"unclosed', [['5" disk', '"unclosed']]],
    ['"a" b\tc', [['"a" b', 'c']]],
    [
      '\t\na\t',
      [
        ['', ''],
        ['a', ''],
      ],
    ],
    ['one', [['one']]],
  ])('reads %j', (text, cells) => {
    expect(readTsv(text)).toEqual(cells);
  });

  test('contains all digits of a long integer', () => {
    expect(asTsv([[2n ** 60n + 1n]])).toBe('1152921504606846977');
  });

  test('writes what it reads again', () => {
    const values = [
      ['tab\there', 'line\nend', '"quoted"'],
      ['', 'plain', ' spaced '],
    ];
    expect(readTsv(asTsv(values))).toEqual(values);
  });

  test('writes numbers without separators, and objects as JSON', () => {
    expect(asTsv([[1234567.5, true, null, undefined, { a: [1] }]])).toBe(
      '1234567.5\ttrue\tnull\t\t"{""a"":[1]}"',
    );
  });
});

test('writes a Markdown table of one line per row', () => {
  expect(
    asMarkdown(
      ['name', 'n'],
      [
        ['a|b', 1],
        ['two\nlines', undefined],
      ],
    ),
  ).toBe('| name | n |\n| --- | --- |\n| a\\|b | 1 |\n| two<br>lines |  |');
});

test('writes JSON objects without missing fields, whatever the names of the fields', () => {
  expect(
    asJson(
      ['_id', '__proto__'],
      [
        ['a', 1],
        ['b', undefined],
      ],
    ),
  ).toBe(JSON.stringify([JSON.parse('{"_id":"a","__proto__":1}'), { _id: 'b' }], undefined, 2));
});
