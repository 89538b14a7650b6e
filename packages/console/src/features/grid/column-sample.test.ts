import type { Cell } from 'fixpoint/rows';
import { describe, expect, test } from 'vitest';
import { sampleOf } from './column-sample.tsx';

const cell = (kind: Cell['kind'], text: string): Cell => ({ kind, text, cut: false });

describe('a sample of a column', () => {
  test('has the kind of all its values', () => {
    expect(sampleOf([cell('number', '1'), undefined, cell('number', '2')]).kind).toBe('number');
    expect(sampleOf([cell('list', '[]')]).kind).toBe('list');
  });

  test('has no kind if values differ, or if there are none', () => {
    expect(sampleOf([cell('number', '1'), cell('text', '1')]).kind).toBeUndefined();
    expect(sampleOf([undefined, cell('null', 'null')]).kind).toBeUndefined();
  });

  test('ignores null', () => {
    expect(sampleOf([cell('null', 'null'), cell('boolean', 'true')]).kind).toBe('boolean');
  });

  test.each([
    ['2026-11-20', 'date'],
    ['2026-11-20T10:00:00.000Z', 'date'],
    ['2026-11-20 or later', 'text'],
    ['20 November', 'text'],
  ])('takes the text %s for a %s', (text, kind) => {
    expect(sampleOf([cell('text', text)]).kind).toBe(kind);
  });

  test.each([
    ['2026', false],
    ['-12345', true],
    ['17500000', true],
    ['0.123456', false],
  ])('tells whether %s has digits to group', (text, hasLarge) => {
    expect(sampleOf([cell('number', '7'), cell('number', text)]).hasLarge).toBe(hasLarge);
  });
});
