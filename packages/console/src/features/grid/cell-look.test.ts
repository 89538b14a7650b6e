import type { Cell } from 'fixpoint/rows';
import { describe, expect, test } from 'vitest';
import { lookOf, textOfCell } from './cell-look.ts';

const cellOf = (kind: string, text: string, cut = false) => ({ kind, text, cut }) as Cell;

describe('the look of a cell', () => {
  test.each([
    ['number', 'number'],
    ['boolean', 'plain'],
    ['null', 'muted'],
    ['bytes', 'muted'],
    ['link', 'muted'],
    ['list', 'muted'],
    ['object', 'muted'],
    ['text', 'plain'],
  ])('gives a cell of the kind "%s" the look "%s"', (kind, look) => {
    expect(lookOf(cellOf(kind, ''))).toBe(look);
  });

  test('gives a missing field the look "plain"', () => {
    expect(lookOf(undefined)).toBe('plain');
  });
});

describe('the text of a cell', () => {
  test('is empty for a missing field', () => {
    expect([textOfCell('a', undefined), textOfCell('_files', undefined)]).toEqual(['', '']);
  });

  test('lists attached files by name', () => {
    const text = '{"logo.svg": {"size": 3}, "a \\"b\\".txt": {"size": 4}}';
    expect(textOfCell('_files', cellOf('object', text))).toBe('logo.svg, a "b".txt');
    expect(textOfCell('_publicFiles', cellOf('object', '{"a": {"size": 1}}'))).toBe('a');
  });

  test('ends with "…" when the text was cut off, because names of attached files may be missing', () => {
    expect(textOfCell('_files', cellOf('object', '{"logo.svg": {"si', true))).toBe('logo.svg …');
  });

  test('shows an object of any other field without its brackets', () => {
    expect(textOfCell('files', cellOf('object', '{"a": {"size": 1}}'))).toBe('a: {"size": 1}');
  });

  test('shows the value of _files as it is if it isn’t an object', () => {
    expect(textOfCell('_files', cellOf('text', 'none'))).toBe('none');
  });

  test.each([
    ['1350000000', '1,350,000,000'],
    ['-12345.678', '-12,345.678'],
    ['2026', '2026'],
    ['1e+21', '1e+21'],
  ])('groups the digits of the number %s', (text, shown) => {
    expect(textOfCell('n', cellOf('number', text))).toBe(shown);
  });

  test('groups the digits of all numbers of a column with large ones', () => {
    expect(textOfCell('n', cellOf('number', '2000'), true)).toBe('2,000');
    expect(textOfCell('n', cellOf('number', '1e+21'), true)).toBe('1e+21');
    expect(textOfCell('n', cellOf('text', '2000'), true)).toBe('2000');
  });

  test('leaves digits in a text as they are', () => {
    expect(textOfCell('n', cellOf('text', '1350000000'))).toBe('1350000000');
  });
});
