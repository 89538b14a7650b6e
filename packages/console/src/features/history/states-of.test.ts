import { expect, test } from 'vitest';
import { statesOf } from './states-of.ts';

const heads = (...given: Parameters<typeof statesOf>) => statesOf(...given).map(({ head }) => head.join(' '));

const MERGED = [
  { event: 'merge', parents: ['left', 'right'] },
  { event: 'right', parents: ['root'] },
  { event: 'left', parents: ['root'] },
  { event: 'root', parents: [] },
];

test('of commits one after another each is the head of its state', () => {
  const commits = [
    { event: 'c', parents: ['b'] },
    { event: 'b', parents: ['a'] },
    { event: 'a', parents: [] },
  ];
  expect(heads(commits, ['c'])).toEqual(['c', 'b', 'a']);
});

test('before a merge all that was written apart is there, and not one side alone', () => {
  expect(heads(MERGED, ['merge'])).toEqual(['merge', 'left right', 'left', 'root']);
});

test('what was written apart and not merged is in each state that is newer', () => {
  expect(heads(MERGED.slice(1), ['right', 'left'])).toEqual(['left right', 'left', 'root']);
});

test('a head that lies behind these commits stays in all of their states', () => {
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

test('a commit that is newer than the known head takes its place', () => {
  expect(heads(MERGED, ['left', 'right'])).toEqual(['merge', 'left right', 'left', 'root']);
});

test('states end where commits are needed that were not read', () => {
  expect(heads(MERGED.slice(0, 2), ['merge'])).toEqual(['merge']);
  expect(heads(MERGED.slice(0, 3), ['merge'])).toEqual(['merge', 'left right', 'left']);
});
