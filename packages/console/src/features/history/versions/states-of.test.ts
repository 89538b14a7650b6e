import { expect, test } from 'vitest';
import { statesOf } from './states-of.ts';

const heads = (...given: Parameters<typeof statesOf>) => statesOf(...given).map(({ head }) => head.join(' '));

const MERGED = [
  { event: 'merge', parents: ['left', 'right'] },
  { event: 'right', parents: ['root'] },
  { event: 'left', parents: ['root'] },
  { event: 'root', parents: [] },
];

test('returns each commit of a sequence as the head of its state', () => {
  const commits = [
    { event: 'c', parents: ['b'] },
    { event: 'b', parents: ['a'] },
    { event: 'a', parents: [] },
  ];
  expect(heads(commits, ['c'])).toEqual(['c', 'b', 'a']);
});

test('includes all concurrent writes before a merge, and not only one side', () => {
  expect(heads(MERGED, ['merge'])).toEqual(['merge', 'left right', 'left', 'root']);
});

test('starts with the state that contains all unmerged concurrent writes, then leaves out one write at a time', () => {
  expect(heads(MERGED.slice(1), ['right', 'left'])).toEqual(['left right', 'left', 'root']);
});

test('keeps an event of the head in all states if the event isn’t among the commits', () => {
  expect(
    heads(
      [
        { event: 'b', parents: ['a'] },
        { event: 'a', parents: [] },
      ],
      ['b', 'old'],
    ),
  ).toEqual(['b old', 'a old']);
});

test('starts at the newest commit, even if the known head is older', () => {
  expect(heads(MERGED, ['left', 'right'])).toEqual(['merge', 'left right', 'left', 'root']);
});

test('ends where it would need commits that weren’t read', () => {
  expect(heads(MERGED.slice(0, 2), ['merge'])).toEqual(['merge']);
  expect(heads(MERGED.slice(0, 3), ['merge'])).toEqual(['merge', 'left right', 'left']);
});
