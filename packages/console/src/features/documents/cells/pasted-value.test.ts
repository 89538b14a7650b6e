import { describe, expect, test } from 'vitest';
import { type ColumnKind, kindOfColumn, pastedValue } from './pasted-value.ts';

test.each<[(string | undefined)[], ColumnKind]>([
  [['text', 'text', undefined, 'null'], 'text'],
  [['number', undefined], 'number'],
  [['boolean'], 'boolean'],
  [['text', 'number'], 'mixed'],
  [['object', 'object'], 'mixed'],
  [[], 'mixed'],
])('takes a column with %j for %s', (kinds, expected) => {
  expect(kindOfColumn(kinds)).toBe(expected);
});

describe('a pasted text', () => {
  test.each<[string, ColumnKind, unknown]>([
    ['007', 'text', '007'],
    ['12', 'text', '12'],
    ['true', 'text', 'true'],
    ['12', 'number', 12],
    ['1,234.5', 'number', 1234.5],
    ['-3', 'number', -3],
    ['n/a', 'number', 'n/a'],
    ['007', 'number', 7],
    ['1.50', 'number', 1.5],
    ['1.5e300', 'number', 1.5e300],
    ['0.1', 'number', 0.1],
    ['-0.00000012', 'number', -1.2e-7],
    ['0', 'number', 0],
    ['12345678901234567890', 'number', '12345678901234567890'],
    ['9,007,199,254,740,993', 'number', '9,007,199,254,740,993'],
    ['1e-400', 'number', '1e-400'],
    ['007', 'mixed', '007'],
    ['12', 'mixed', 12],
    ['1e3', 'mixed', '1e3'],
    ['12345678901234567890', 'mixed', '12345678901234567890'],
    ['TRUE', 'mixed', true],
    ['null', 'mixed', null],
    ['[1, 2]', 'mixed', [1, 2]],
    ['[sic]', 'mixed', '[sic]'],
    ['', 'text', undefined],
    ['', 'number', undefined],
  ])('reads %j in a column of kind %s as %j', (text, kind, value) => {
    expect(pastedValue(text, kind)).toEqual(value);
  });
});
