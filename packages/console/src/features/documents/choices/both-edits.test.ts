import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { bothOf, textParts } from './both-edits.ts';

const WAS = 'Covers 30 individual languages. Standard Arabic is the written form in most countries.';
const MINE = 'Covers 28 individual languages. Standard Arabic is the written form in most countries.';
const THEIRS = 'Covers 30 individual languages. Standard Arabic is the written form everywhere.';

describe('both edits of a value', () => {
  test('combines edits of different words of a text', () => {
    expect(bothOf(WAS, MINE, THEIRS)).toBe(
      'Covers 28 individual languages. Standard Arabic is the written form everywhere.',
    );
  });

  test.each([
    ['a word that both sides changed', 'one two', 'one 2', 'one II'],
    ['texts that both sides appended', 'one', 'one two', 'one three'],
    ['numbers', 1, 2, 3],
    ['a text and a list', 'a', ['a'], 'b'],
    ['a field that one side removed', 'a', undefined, 'b'],
    ['texts without a common base', undefined, 'a', 'b'],
    ['texts that are too long', 'a', 'b'.repeat(20_001), 'a c'],
  ])('offers nothing for %s', (_what, was, mine, theirs) => {
    expect(bothOf(was, mine, theirs)).toBe(undefined);
  });

  test('keeps the items that both sides added to a list, and drops those that one side removed', () => {
    expect(bothOf(['Arab', 'Syrc'], ['Arab', 'Syrc', 'Hebr'], ['Arab', 'Latn'])).toEqual([
      'Arab',
      'Latn',
      'Hebr',
    ]);
    expect(bothOf(['Arab', 'Syrc'], ['Arab', 'Syrc', 'Hebr'], ['Syrc', 'Latn'])).toEqual([
      'Syrc',
      'Hebr',
      'Latn',
    ]);
    expect(bothOf(undefined, ['a'], ['b'])).toEqual(['a', 'b']);
    expect(bothOf(['a'], ['a', { x: 1 }], ['a', { x: 1 }, 'c'])).toEqual(['a', { x: 1 }, 'c']);
  });

  test('returns the edit of one side if the other side changed nothing', () => {
    const text = fc.array(fc.constantFrom('a', 'b ', ' ', 'c', ...HOSTILE_NAMES.slice(0, 6)), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(bothOf(a, a, b)).toEqual(b);
        expect(bothOf(a, b, a)).toEqual(b);
        expect(bothOf(a.join(''), b.join(''), b.join(''))).toBe(b.join(''));
      }),
    );
  });
});

test('shows which words of a text an edit added and removed', () => {
  const parts = textParts(WAS, THEIRS);
  expect(parts.filter(({ kind }) => kind === 'removed').map(({ text }) => text)).toEqual([
    'in most countries',
  ]);
  expect(parts.filter(({ kind }) => kind === 'added').map(({ text }) => text)).toEqual(['everywhere']);
  expect(
    parts
      .filter(({ kind }) => kind !== 'removed')
      .map(({ text }) => text)
      .join(''),
  ).toBe(THEIRS);
});
