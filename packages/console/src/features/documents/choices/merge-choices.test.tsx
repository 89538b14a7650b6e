import { act, cleanup, renderHook } from '@testing-library/react';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { bothChoice, type Choice, chosenValue, useMergeChoices, type Versions } from './merge-choices.ts';
import { type Difference, differencesOf, keyOf } from './merge-fields.ts';

afterEach(cleanup);

const base = { name: 'a', size: 1, tags: ['x'], place: { city: 'p', zip: 1 } };
const mine = { name: 'b', size: 2, tags: ['x', 'y'], place: { city: 'p', zip: 2 } };
const theirs = { name: 'c', size: 1, tags: ['x', 'z'], place: { city: 'q', zip: 1 } };

/** Renders the hook with these versions, which the test can change. */
function choices(first: Versions = { base, mine, theirs }) {
  const { result, rerender } = renderHook((versions: Versions) => useMergeChoices(versions), {
    initialProps: first,
  });
  const find = (name: string) => {
    const all = [...result.current.conflicts, ...result.current.automatic];
    const found = all.find(({ path }) => path.join('.') === name);
    if (found === undefined) throw new Error(`no difference in ${name}`);
    return found;
  };
  return {
    now: () => result.current,
    find,
    choose: (name: string, choice: Choice) => act(() => result.current.choose(find(name), choice)),
    become: (next: Versions) => act(() => rerender(next)),
    open: () => result.current.open.map(({ path }) => path.join('.')),
  };
}

describe('the choices of a merge', () => {
  test('separates fields that both sides changed from those that one side changed', () => {
    const { now, open } = choices();
    expect(now().conflicts.map(keyOf)).toEqual(['["name"]', '["tags"]']);
    expect(now().automatic.map(({ path, by }) => [path.join('.'), by])).toEqual([
      ['size', 'mine'],
      ['place.city', 'theirs'],
      ['place.zip', 'mine'],
    ]);
    expect(open()).toEqual(['name', 'tags']);
  });

  test('merges one-sided changes, and keeps the other value of open conflicts', () => {
    expect(choices().now().result).toEqual({
      name: 'c',
      size: 2,
      tags: ['x', 'z'],
      place: { city: 'q', zip: 2 },
    });
  });

  test.each<[string, Choice, unknown]>([
    ['mine', { how: 'mine' }, 'b'],
    ['theirs', { how: 'theirs' }, 'c'],
    ['a value of their own', { how: 'own', value: { any: 1 } }, { any: 1 }],
    ['both edits', { how: 'both', value: 'bc' }, 'bc'],
  ])('uses what the user chooses: %s', (_what, choice, value) => {
    const { now, choose, open, find } = choices();
    choose('name', choice);
    expect(now().result['name']).toEqual(value);
    expect(now().choiceOf(find('name'))).toEqual(choice);
    expect(open()).toEqual(['tags']);
  });

  test('removes a field if the user chooses a side without it', () => {
    const { name: _, ...without } = mine;
    const { now, choose } = choices({ base, mine: without, theirs });
    choose('name', { how: 'mine' });
    expect(now().result).not.toHaveProperty('name');
    choose('name', { how: 'theirs' });
    expect(now().result['name']).toBe('c');
  });

  test('overrules a one-sided change, without a conflict', () => {
    const { now, choose, open } = choices();
    choose('size', { how: 'theirs' });
    choose('place.city', { how: 'mine' });
    expect(now().result).toMatchObject({ size: 1, place: { city: 'p', zip: 2 } });
    expect(open()).toEqual(['name', 'tags']);
  });

  test.each(['mine', 'theirs'] as const)('chooses %s for all conflicts at once', (side) => {
    const { now, choose, open } = choices();
    choose('tags', { how: 'own', value: [] });
    act(() => now().chooseAll(side));
    const { name, tags } = side === 'mine' ? mine : theirs;
    expect([now().result['name'], now().result['tags'], open()]).toEqual([name, tags, []]);
    expect(now().result['size']).toBe(2);
  });

  test('forgets a choice when one of its values changes, and keeps the others', () => {
    const { choose, become, open, now } = choices();
    choose('name', { how: 'mine' });
    choose('tags', { how: 'mine' });
    become({ base, mine, theirs: { ...theirs, name: 'd' } });
    expect(open()).toEqual(['name']);
    expect(now().result['tags']).toEqual(['x', 'y']);
    become({ base, mine, theirs });
    expect(open()).toEqual([]);
  });

  test('asks again if an automatic change that the user undid gets another value', () => {
    const { choose, become, open, now, find } = choices();
    choose('place.city', { how: 'mine' });
    become({ base, mine, theirs: { ...theirs, place: { city: 'r', zip: 1 } } });
    expect([open(), now().outdated.map(keyOf)]).toEqual([
      ['name', 'tags', 'place.city'],
      ['["place","city"]'],
    ]);
    choose('place.city', { how: 'own', value: 's' });
    expect([open(), find('place.city').by, now().outdated]).toEqual([['name', 'tags'], 'both', []]);
    expect(now().result['place']).toEqual({ city: 's', zip: 2 });
  });

  test('forgets the choice of a field that got another base', () => {
    const { choose, become, open } = choices();
    choose('name', { how: 'mine' });
    become({ base: { ...base, name: 'z' }, mine, theirs });
    expect(open()).toEqual(['name', 'tags']);
  });

  test('asks for all differences without a base', () => {
    const { now, open } = choices({ base: undefined, mine, theirs });
    expect(now().automatic).toEqual([]);
    expect(open()).toEqual(['name', 'size', 'tags', 'place.city', 'place.zip']);
  });

  test('has nothing to choose for versions that are equal', () => {
    const { now } = choices({ base, mine, theirs: mine });
    expect([now().conflicts, now().automatic, now().open, now().result]).toEqual([[], [], [], mine]);
  });

  test.each(HOSTILE_NAMES)('keeps the choices of a field named %j apart from others', (name) => {
    const doc = (value: string) =>
      Object.fromEntries([
        [name, value],
        ['b', value],
      ]);
    const { now, choose, open } = choices({ base: doc('a'), mine: doc('m'), theirs: doc('t') });
    expect(open()).toEqual([name, 'b']);
    choose(name, { how: 'mine' });
    expect(open()).toEqual(['b']);
    expect(now().result).toEqual(
      Object.fromEntries([
        [name, 'm'],
        ['b', 't'],
      ]),
    );
  });
});

describe('the choices of a second step', () => {
  const decided = new Map([['["name"]', { value: 'b', rejected: ['c', 'd'] }]]);
  const second = (theirName: string) =>
    choices({ base, mine, theirs: { ...base, name: theirName }, decided });

  test('decides a field against a value that the user rejected, and asks for any other', () => {
    const { now, find, open } = second('d');
    expect([now().choiceOf(find('name')), open()]).toEqual([{ how: 'mine' }, []]);
    expect(second('e').open()).toEqual(['name']);
    expect(second('a').now().conflicts).toEqual([]);
  });

  test('asks before a value replaces the one that the user kept', () => {
    const kept = new Map([['["name"]', { value: 'a', rejected: ['c'] }]]);
    const { open } = choices({ base, mine: base, theirs: { ...base, name: 'e' }, decided: kept });
    expect(open()).toEqual(['name']);
    expect(choices({ base, mine: base, theirs: { ...base, name: 'e' } }).open()).toEqual([]);
  });

  test('adds the decisions of this step', () => {
    const { now, choose } = second('e');
    choose('name', { how: 'theirs' });
    choose('size', { how: 'theirs' });
    expect(Object.fromEntries(now().decisions())).toEqual({
      '["name"]': { value: 'e', rejected: ['c', 'd', 'b'] },
      '["size"]': { value: 1, rejected: [2] },
    });
  });
});

test('lists the differences that changed after the user chose, until they choose again', () => {
  const { choose, become, now } = choices();
  choose('name', { how: 'own', value: 'x' });
  choose('size', { how: 'theirs' });
  become({ base, mine: { ...mine, size: 3 }, theirs: { ...theirs, name: 'd' } });
  const outdated = () => now().outdated.map(({ path }) => path.join('.'));
  expect([outdated(), now().isTouched]).toEqual([['name', 'size'], false]);
  choose('name', { how: 'mine' });
  expect([outdated(), now().isTouched]).toEqual([['size'], true]);
  expect(now().ownOf(now().conflicts[0] as Difference)).toEqual({ how: 'own', value: 'x' });
});

describe('the choice of both edits', () => {
  const difference = (was: unknown, own: unknown, other: unknown): Difference => ({
    path: ['a'],
    was,
    mine: own,
    theirs: other,
    by: 'both',
  });

  test.each([
    ['texts', 'a b c', 'A b c', 'a b C', 'A b C'],
    ['lists', ['a'], ['a', 'b'], ['a', 'c'], ['a', 'b', 'c']],
  ])('combines %s', (_what, was, own, other, both) => {
    expect(bothChoice(difference(was, own, other))).toEqual({ how: 'both', value: both });
  });

  test.each([
    ['the same word', 'a', 'b', 'c'],
    ['numbers', 1, 2, 3],
    ['a removed field', 'a b', undefined, 'a c'],
  ])('is missing for %s', (_what, was, own, other) => {
    expect(bothChoice(difference(was, own, other))).toBe(undefined);
  });

  test('has the chosen value, also if that is undefined', () => {
    const one = difference('a', 'b', 'c');
    expect(
      [
        { how: 'mine' } as const,
        { how: 'theirs' } as const,
        { how: 'own', value: undefined } as const,
        { how: 'both', value: 0 } as const,
      ].map((choice) => chosenValue(one, choice)),
    ).toEqual(['b', 'c', undefined, 0]);
  });
});

test('reaches each side by choosing it everywhere, for any three documents', () => {
  const value = fc.oneof(
    fc.constantFrom('a', 'b', 1, null),
    fc.dictionary(fc.constantFrom('x', '__proto__'), fc.nat(2)),
  );
  const doc = fc.dictionary(fc.constantFrom('p', 'q', 'constructor', '__proto__'), value);
  fc.assert(
    fc.property(doc, doc, doc, (was, own, other) => {
      const { result, unmount } = renderHook(() => useMergeChoices({ base: was, mine: own, theirs: other }));
      for (const one of differencesOf(was, own, other))
        act(() => result.current.choose(one, { how: 'mine' }));
      expect(result.current.result).toEqual(own);
      for (const one of differencesOf(was, own, other))
        act(() => result.current.choose(one, { how: 'theirs' }));
      expect(result.current.result).toEqual(other);
      unmount();
    }),
    { numRuns: 30 },
  );
});
