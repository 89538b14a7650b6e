import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { differencesOf, merged } from './merge-fields.ts';

const BASE = { title: 'a', pages: 1, place: { city: 'x', street: 'y' }, tags: ['old'] };

test('merges changes of different fields, and reports which fields both sides changed', () => {
  const mine = { ...BASE, title: 'mine', place: { city: 'x', street: 'mine' } };
  const theirs = { ...BASE, title: 'theirs', pages: 2, place: { city: 'theirs', street: 'y' }, more: true };
  const differences = differencesOf(BASE, mine, theirs);
  expect(differences.map(({ path, by }) => [path.join('.'), by])).toEqual([
    ['title', 'both'],
    ['pages', 'theirs'],
    ['place.city', 'theirs'],
    ['place.street', 'mine'],
    ['more', 'theirs'],
  ]);
  expect(merged(theirs, differences, (one) => (one.by === 'theirs' ? one.theirs : one.mine))).toEqual({
    title: 'mine',
    pages: 2,
    place: { city: 'theirs', street: 'mine' },
    tags: ['old'],
    more: true,
  });
});

test('removes a field that one side removed', () => {
  const { pages: _, ...mine } = BASE;
  const theirs = { ...BASE, title: 'theirs' };
  const differences = differencesOf(BASE, mine, theirs);
  const { pages: _pages, ...wanted } = theirs;
  expect(merged(theirs, differences, (one) => (one.by === 'mine' ? one.mine : one.theirs))).toEqual(wanted);
});

test('returns the document of one side when that side is chosen for all differences', () => {
  const value = fc.oneof(
    fc.integer({ max: 3, min: 0 }),
    fc.dictionary(fc.constantFrom('x', 'y'), fc.boolean()),
  );
  const doc = fc.dictionary(fc.constantFrom('a', ...HOSTILE_NAMES), value);
  fc.assert(
    fc.property(doc, doc, doc, (base, mine, theirs) => {
      const differences = differencesOf(base, mine, theirs);
      expect(merged(theirs, differences, (one) => one.mine)).toEqual(mine);
      expect(merged(theirs, differences, (one) => one.theirs)).toEqual(theirs);
      expect(differencesOf(base, mine, mine)).toEqual([]);
    }),
  );
});
