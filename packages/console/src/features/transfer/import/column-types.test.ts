import { describe, expect, test } from 'vitest';
import { type ColumnType, countCell, noCells, objectIn, readCell, typeOf } from './column-types.ts';

function typeOfColumn(
  cells: readonly string[],
  { isExported = false, delimiter = ',' }: Partial<Parameters<typeof typeOf>[1]> = {},
): ColumnType {
  const counts = noCells();
  for (const cell of cells) countCell(counts, cell);
  return typeOf(counts, { isExported, delimiter });
}

const NUMBERS = Array.from({ length: 49 }, (_, at) => String(at));

describe('the type of a column', () => {
  test.each<[ColumnType, string[]]>([
    ['number', ['1', '-2', '0', '3.5', '1e3', '-1.5E-7']],
    ['number', ['1', '', '2']],
    ['number', ['12345678901234567890']],
    ['text', ['1', '2', 'x']],
    ['text', ['01234', '99999']],
    ['number', [...NUMBERS, 'none']],
    ['text', [...NUMBERS, 'none', 'none']],
    ['text', [...NUMBERS, '01234']],
    ['text', ['007']],
    ['text', ['+1']],
    ['text', ['1,5', '2,5']],
    ['text', ['1.', '.5']],
    ['text', ['0x10']],
    ['text', ['NaN', 'Infinity']],
    ['text', [' 1']],
    ['boolean', ['true', 'FALSE', 'True']],
    ['text', ['true', 'yes']],
    ['text', ['true', '1']],
    ['date', ['2026-11-01', '2026-11-02']],
    ['date', ['2026-11-01T10:00', '2026-11-01 10:00:30', '2026-11-01T10:00:30.5Z', '2026-11-01T10:00+01:00']],
    ['text', ['2026-11-01', '1.11.2026']],
    ['text', ['01/02/2026']],
    ['json', ['{"a": 1}', '[]']],
    ['text', ['{"a": 1}', '{broken']],
    ['text', ['null']],
    ['text', []],
    ['text', ['', '']],
  ])('is %s for the cells %j', (expected, cells) => {
    expect(typeOfColumn(cells)).toBe(expected);
  });

  test.each<[ColumnType, string[]]>([
    ['number', ['1', '2']],
    ['boolean', ['true', 'false']],
    ['exported', ['1', 'x']],
    ['exported', [...NUMBERS, 'x']],
    ['exported', ['"7"', 'x']],
    ['exported', ['null']],
    ['exported', ['{"a":1}', 'x']],
    ['exported', ['true', 'x']],
    ['text', ['x', 'y']],
    ['text', ['"quoted', 'x']],
    ['date', ['2026-11-01']],
  ])('is %s for the cells %j of an own export', (expected, cells) => {
    expect(typeOfColumn(cells, { isExported: true })).toBe(expected);
  });

  test.each<[ColumnType, string[]]>([
    ['comma', ['38,99', '7', '-1.234,5', '1,234']],
    ['comma', [...NUMBERS.map((number) => `${number},5`), 'none']],
    ['number', ['1.5', '2']],
    // These may be thousands, or decimal points.
    ['text', ['1,234', '2,345']],
    ['text', ['1,5', '1.5']],
    ['text', ['1,5', '1.234']],
    ['text', ['1,5', '1e3']],
    ['text', ['1,5', '007']],
    ['text', ['1,5', 'x']],
  ])('is %s for the cells %j between semicolons', (expected, cells) => {
    expect(typeOfColumn(cells, { delimiter: ';' })).toBe(expected);
    expect(typeOfColumn(cells)).toBe(expected === 'comma' ? 'text' : expected);
    expect(typeOfColumn(cells, { delimiter: ';', isExported: true })).not.toBe('comma');
  });
});

describe('a cell', () => {
  test.each<[string, ColumnType, unknown]>([
    ['1', 'number', 1],
    ['-1.5e-7', 'number', -1.5e-7],
    ['1,5', 'comma', 1.5],
    ['-1.234.567,25', 'comma', -1234567.25],
    ['1.234', 'comma', 1234],
    ['7', 'comma', 7],
    ['1', 'text', '1'],
    ['1', 'date', '1'],
    ['TRUE', 'boolean', true],
    ['false', 'boolean', false],
    ['[1, {"a": null}]', 'json', [1, { a: null }]],
    ['"x"', 'json', 'x'],
    ['null', 'json', null],
    ['"7"', 'exported', '7'],
    ['7', 'exported', 7],
    ['true', 'exported', true],
    ['null', 'exported', null],
    ['""', 'exported', ''],
    ['plain', 'exported', 'plain'],
    ['{"/":{"bytes":"AP8"}}', 'exported', Uint8Array.of(0, 255)],
    ['{broken', 'text', '{broken'],
  ])('reads %s of a column of type %s as %j', (cell, type, expected) => {
    expect(readCell(cell, type)).toEqual({ value: expected });
  });

  test.each<[string, ColumnType, object]>([
    ['none', 'number', { kind: 'cell', text: 'none', why: 'Expected a number.' }],
    ['007', 'number', { kind: 'cell', text: '007', why: 'Expected a number.' }],
    ['1.5', 'comma', { kind: 'cell', text: '1.5', why: 'Expected a number with a comma.' }],
    ['-0,0', 'comma', { kind: 'zero', text: '-0,0' }],
    ['yes', 'boolean', { kind: 'cell', text: 'yes', why: 'Expected true or false.' }],
    ['{a}', 'json', { kind: 'cell', text: '{a}', why: 'Expected JSON.' }],
    ['-0', 'number', { kind: 'zero', text: '-0' }],
    ['-0.0', 'exported', { kind: 'zero', text: '-0.0' }],
    ['9007199254740993', 'number', { kind: 'long', text: '9007199254740993' }],
    ['1e999', 'exported', { kind: 'long', text: '1e999' }],
    ['{"a": 1}', 'text', { kind: 'json', text: '{"a": 1}' }],
    [' [1]', 'text', { kind: 'json', text: ' [1]' }],
  ])('keeps %s of a column of type %s as text, and reports it', (cell, type, problem) => {
    expect(readCell(cell, type)).toEqual({ value: cell, problem });
  });

  test('contains an object only if its JSON is valid and not too deep', () => {
    expect(objectIn('{"a": [1]}')).toEqual({ a: [1] });
    expect(objectIn('{"a": }')).toBeUndefined();
    expect(objectIn('7')).toBeUndefined();
    expect(objectIn(`${'['.repeat(200)}${']'.repeat(200)}`)).toBeDefined();
    expect(objectIn(`${'['.repeat(201)}${']'.repeat(201)}`)).toBeUndefined();
  });
});
