import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { asMarkdown, asTsv, readTsv } from './block-text.ts';
import { copiedValues, copyText, rememberCopied } from './copied.ts';
import { type ColumnKind, pastedValue } from './pasted-value.ts';

afterEach(() => vi.unstubAllGlobals());

describe('a paste in the tab that copied', () => {
  const values = [
    ['7', true],
    [undefined, { a: [1] }],
  ];
  const text = asTsv(values);

  test.each<[string, string, boolean]>([
    ['the same text', text, true],
    ['the text with other line ends', `${text.replaceAll('\n', '\r\n')}\r\n`, true],
    ['the text with a line end added', `${text}\n`, true],
    ['a text in other case', text.toUpperCase(), false],
    ['a part of the text', '7\ttrue', false],
    ['an empty text', '', false],
  ])('compares the copied cells with %s', (_name, pasted, isSame) => {
    rememberCopied(text, values);
    expect(copiedValues(pasted)).toBe(isSame ? values : undefined);
  });

  test('forgets earlier values after another copy', () => {
    rememberCopied(text, values);
    rememberCopied('x', [['x']]);
    expect([copiedValues(text), copiedValues('x')]).toEqual([undefined, [['x']]]);
  });
});

describe('copying a text that is still being read', () => {
  class Item {
    readonly parts: Record<string, Promise<Blob>>;
    constructor(parts: Record<string, Promise<Blob>>) {
      this.parts = parts;
    }
  }

  test('gives the clipboard the promise at once, because browsers forbid it later', async () => {
    const written: Item[] = [];
    vi.stubGlobal('ClipboardItem', Item);
    vi.stubGlobal('navigator', {
      clipboard: { write: async (items: Item[]) => void written.push(...items) },
    });
    let finish: (text: string) => void = () => undefined;
    const copying = copyText(
      new Promise((end) => {
        finish = end;
      }),
    );
    expect(written).toHaveLength(1);
    finish('a\tb');
    await copying;
    const blob = await written[0]?.parts['text/plain'];
    expect([blob?.type, await blob?.text()]).toEqual(['text/plain', 'a\tb']);
  });

  test('writes the text itself in browsers without clipboard items', async () => {
    const written: string[] = [];
    vi.stubGlobal('ClipboardItem', undefined);
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void written.push(text) } });
    await copyText(Promise.resolve('a\tb'));
    expect(written).toEqual(['a\tb']);
    await expect(copyText(Promise.reject(new Error('not read')))).rejects.toThrow('not read');
    expect(written).toHaveLength(1);
  });
});

describe('a table of any texts', () => {
  const part = fc.constantFrom('\t', '\n', '\r', '\r\n', '"', '""', 'a', '|', '\\', ' ', '');
  const text = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''));
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((width) =>
      fc.array(fc.array(text, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 4 }),
    );

  test('is the same after a copy and a paste, except empty lines at the end', () => {
    const isEmpty = (row: readonly string[] | undefined) => row?.length === 1 && row[0] === '';
    fc.assert(
      fc.property(table, (values) => {
        const expected = [...values];
        while (expected.length > 1 && isEmpty(expected.at(-1))) expected.pop();
        expect(readTsv(asTsv(values))).toEqual(expected);
      }),
    );
  });

  test('has one line per row in Markdown, with as many bars as columns', () => {
    fc.assert(
      fc.property(table, (values) => {
        const columns = (values[0] ?? []).map((_, at) => `c${at}`);
        const lines = asMarkdown(columns, values).split(/\r\n|\r|\n/);
        expect(lines).toHaveLength(values.length + 2);
        for (const line of lines)
          expect(line.replaceAll(/\\[\\|]/g, '').match(/\|/g)).toHaveLength(columns.length + 1);
      }),
    );
  });

  test('is read without an error, whatever another program copied', () => {
    fc.assert(
      fc.property(text, (pasted) => {
        const rows = readTsv(pasted);
        expect(rows.length).toBeGreaterThan(0);
        for (const row of rows) expect(row.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('a copied value that is pasted from its text', () => {
  const kinds: ColumnKind[] = ['number', 'mixed'];

  test('is the same number in a column of numbers, and in one of mixed values', () => {
    const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    fc.assert(
      fc.property(number, fc.constantFrom(...kinds), (value, kind) => {
        fc.pre(!Object.is(value, -0));
        const [[text = ''] = []] = readTsv(asTsv([[value]]));
        expect(pastedValue(text, kind)).toBe(value);
      }),
    );
  });

  test.each<[string, ColumnKind, unknown]>([
    ['+5', 'number', 5],
    ['.5', 'number', 0.5],
    ['5.', 'number', 5],
    [' 12 ', 'number', 12],
    ['1e3', 'number', 1000],
    ['007', 'number', 7],
    ['-1,234,567', 'number', -1234567],
    ['1,23', 'number', '1,23'],
    ['12,34,567', 'number', '12,34,567'],
    ['1.234,5', 'number', '1.234,5'],
    ['0x10', 'number', '0x10'],
    ['1e999', 'number', '1e999'],
    ['Infinity', 'number', 'Infinity'],
    ['NaN', 'number', 'NaN'],
    ['-0', 'number', '-0'],
    ['true', 'number', true],
    ['null', 'number', null],
    ['  ', 'number', '  '],
    ['Infinity', 'mixed', 'Infinity'],
    ['NaN', 'mixed', 'NaN'],
    ['-0', 'mixed', '-0'],
    [' 12', 'mixed', ' 12'],
    ['1,234', 'mixed', '1,234'],
    ['True', 'mixed', 'True'],
    ['"quoted"', 'mixed', '"quoted"'],
    ['{"a":', 'mixed', '{"a":'],
    ['false', 'boolean', false],
    ['maybe', 'boolean', 'maybe'],
    ['null', 'text', 'null'],
    ['{"a":1}', 'text', '{"a":1}'],
  ])('turns %j in a column of kind %s into %j', (text, kind, value) => {
    expect(pastedValue(text, kind)).toEqual(value);
  });

  test('keeps names like __proto__ in pasted JSON as data', () => {
    const value = pastedValue('{"__proto__":{"x":1}}', 'mixed') as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect('x' in value).toBe(false);
  });
});
