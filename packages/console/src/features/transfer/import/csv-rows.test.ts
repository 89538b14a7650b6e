import { describe, expect, test } from 'vitest';
import { CsvRows, type Dialect, dialectOf, fieldNames } from './csv-rows.ts';

const head = (text: string) => ({ text, encoding: 'utf-8', isWhole: true }) as const;
const COMMA: Dialect = {
  delimiter: ',',
  newline: '\n',
  hasQuotes: true,
  hasHeader: true,
  isExported: false,
};

function rowsOf(text: string, dialect: Partial<Dialect> = {}) {
  const rows = new CsvRows({ ...COMMA, ...dialect });
  return [...rows.push(text), ...rows.end()];
}

describe('the dialect of a file', () => {
  test.each<[string, Partial<Dialect>]>([
    ['a,b\n1,2\n', { delimiter: ',', newline: '\n' }],
    ['a;b\n1,5;2,5\n3,5;4,5\n', { delimiter: ';' }],
    ['a\tb\n1,2;3\t4\n', { delimiter: '\t' }],
    ['a|b\n1|2\n', { delimiter: '|' }],
    ['a,b\r\n1,2\r\n', { newline: '\r\n' }],
    ['a,b\r1,2\r', { newline: '\r' }],
    ['a,b\r\n1,2\n3,4\r\n', { newline: '\n' }],
    ['a,b\n"1\r\n2",3\n', { newline: '\n' }],
    ['a,b\r\n"1\n2",3\r\n"cut\nhere', { newline: '\r\n' }],
    ['a\n1\n', { delimiter: ',', newline: '\n' }],
    ['a', { newline: '\n' }],
    ['', { newline: '\n', hasHeader: false }],
    ['a\t"b\n1\t2\n', { delimiter: '\t', hasQuotes: false }],
    ['a\t"b"\n1\t"2"\n', { delimiter: '\t', hasQuotes: true }],
    ['a,"b\nc"\n1,2\n', { delimiter: ',', hasQuotes: true }],
  ])('detects %j: %j', (text, expected) => {
    expect(dialectOf(head(text), {})).toMatchObject(expected);
  });

  test.each([
    ['name,year', true],
    ['name,Name', true],
    ['"name","year of birth"', true],
    ['name,name', false],
    ['name,', false],
    ['name,1999', false],
    ['name,-1', false],
    ['name,.5', false],
    ['true,name', false],
    ['{"a":1},name', false],
    ['_id,1999', true],
    ['_id,,x', true],
  ])('finds a header in %j: %s', (line, expected) => {
    expect(dialectOf(head(`${line}\na,b\n`), {}).hasHeader).toBe(expected);
  });

  test.each([
    ['_id,a\r\nx,1\r\n', true],
    ['_id\r\nx\r\n', true],
    ['_id,a\nx,1\n', false],
    ['_id;a\r\nx;1\r\n', false],
    ['id,a\r\nx,1\r\n', false],
    ['a,_id\r\nx,1\r\n', false],
  ])('recognises an own export in %j: %s', (text, expected) => {
    expect(dialectOf(head(text), {}).isExported).toBe(expected);
  });

  test('keeps what is known already', () => {
    const known: Dialect = { ...COMMA, delimiter: ';', newline: '\r', hasQuotes: false, hasHeader: false };
    expect(dialectOf(head('_id,a\r\n"x",1\r\n'), known)).toEqual(known);
    expect(dialectOf({ ...head('_id,a\r\n'), encoding: 'utf-16le' }, {}).isExported).toBe(false);
  });
});

describe('rows', () => {
  test('reports the line in which they begin', () => {
    const rows = rowsOf('a,b\n"1\n2\n3",x\n\n"y",z\n');
    expect(rows.map(({ line, cells }) => [line, cells])).toEqual([
      [1, ['a', 'b']],
      [2, ['1\n2\n3', 'x']],
      [6, ['y', 'z']],
    ]);
  });

  test('keeps their cells whatever the size of the pieces', () => {
    const text = 'a,b\n"1, ""x""\n2",\n,"",\n last , one ';
    const whole = rowsOf(text);
    expect(whole.map(({ cells }) => cells)).toEqual([
      ['a', 'b'],
      ['1, "x"\n2', ''],
      [' last ', ' one '],
    ]);
    for (let size = 1; size < text.length; size += 1) {
      const rows = new CsvRows(COMMA);
      const found = [];
      for (let at = 0; at < text.length; at += size) found.push(...rows.push(text.slice(at, at + size)));
      expect([...found, ...rows.end()]).toEqual(whole);
    }
  });

  test('removes the return if a file has two kinds of line ends', () => {
    expect(rowsOf('a,b\r\n1,2\n').map(({ cells }) => cells)).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  test('marks only rows with a quote without partner', () => {
    const rows = rowsOf('a,b\n1,2\n3,"open\n5,6\n');
    expect(rows.map(({ isTorn }) => isTorn)).toEqual([false, false, true]);
    expect(rowsOf('a,b\n1,"x" y\n').some(({ isTorn }) => isTorn)).toBe(true);
  });

  test('keeps quotes as text if quotes mean nothing', () => {
    const rows = rowsOf('"a\tb"\n"1\t2\n', { delimiter: '\t', hasQuotes: false });
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['"a', 'b"'],
      ['"1', '2'],
    ]);
  });

  test('reads a long cell that arrives in many pieces', () => {
    const rows = new CsvRows(COMMA);
    const piece = 'x'.repeat(1000);
    rows.push('a,b\n"');
    const found = Array.from({ length: 3000 }, () => rows.push(piece)).flat();
    found.push(...rows.push('",2\n'), ...rows.end());
    expect(found.map(({ cells }) => cells.map(({ length }) => length))).toEqual([[3_000_000, 1]]);
  });
});

describe('names of columns', () => {
  test.each([
    [['a', 'b'], true, ['a', 'b']],
    [['a', 'a', 'a'], true, ['a', 'a_2', 'a_3']],
    [['a_2', 'a', 'a'], true, ['a_2', 'a', 'a_3']],
    [['', ' ', 'c'], true, ['column1', 'column2', 'c']],
    [['column2', ''], true, ['column2', 'column2_2']],
    [['x', 'y'], false, ['column1', 'column2']],
    [['constructor', '__proto__', '__proto__'], true, ['constructor', '__proto__', '__proto___2']],
  ])('names columns by the first row %j (header: %s): %j', (first, hasHeader, expected) => {
    expect(fieldNames(first, { ...COMMA, hasHeader })).toEqual(expected);
  });

  test('keeps the names of an own export', () => {
    expect(fieldNames(['_id', '', ' a'], { ...COMMA, isExported: true })).toEqual(['_id', '', ' a']);
  });
});
