import { describe, expect, test } from 'vitest';
import { barsOf } from './bars.ts';

const commits = (...documents: number[]) => documents.map((count) => ({ commit: { documents: count } }));

describe('the bars of the timeline', () => {
  test('have one bar for each commit, oldest first', () => {
    expect(barsOf(commits(1, 3, 0), 10)).toEqual([8, 100, 50]);
  });

  test('combine neighbouring commits if there are too many', () => {
    expect(barsOf(commits(1, 0, 0, 3), 2)).toEqual([100, 50]);
  });

  test('stay visible beside a large import', () => {
    expect(barsOf(commits(1, 1_000_000), 10)).toEqual([100, 8]);
  });

  test('are as low as possible if nothing changed, and absent without commits', () => {
    expect(barsOf(commits(0), 10)).toEqual([8]);
    expect(barsOf([], 10)).toEqual([]);
  });
});
