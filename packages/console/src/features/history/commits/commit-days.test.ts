import type { CommitEvent } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { withDays } from './commit-days.ts';

const NOW = new Date(2026, 10, 29, 9, 30);
const at = (days: number, hour = 12) => new Date(2026, 10, 29 - days, hour).getTime();
const commit = (time: number | undefined, documents = 1, parents = ['before']) =>
  ({ ...(time !== undefined && { time }), documents, parents: parents as readonly string[] }) as CommitEvent;
const namesIn = (commits: readonly CommitEvent[]) =>
  withDays(commits, NOW).map((item) => ('head' in item ? item.head.name : item.at));

describe('the days of a list of commits', () => {
  test('shows a heading before the first commit of each day, in the order of the list', () => {
    const commits = [commit(at(0, 8)), commit(at(0, 0)), commit(at(1, 23)), commit(at(3))];
    expect(namesIn(commits)).toEqual(['Today', 0, 1, 'Yesterday', 2, 'Thursday', 3]);
  });

  test('counts the commits and documents of each day', () => {
    const [head] = withDays([commit(at(0), 20), commit(at(0)), commit(at(1))], NOW);
    expect(head).toMatchObject({ head: { commits: 2, documents: 21 } });
  });

  test('shows only a date after a week, or if a clock is ahead', () => {
    expect(namesIn([commit(at(-1)), commit(at(6)), commit(at(7))])).toEqual([
      undefined,
      0,
      'Monday',
      1,
      undefined,
      2,
    ]);
  });

  test('repeats a day where a commit was written by a wrong clock, and groups commits without a date', () => {
    const commits = [commit(at(0)), commit(at(1)), commit(at(0)), commit(undefined), commit(undefined)];
    expect(namesIn(commits)).toEqual(['Today', 0, 'Yesterday', 1, 'Today', 2, 'Without a date', 3, 4]);
  });

  test('keeps the first commit of the engine, which has no time, with the commit that follows it', () => {
    const start = commit(undefined, 0, []);
    expect(namesIn([commit(at(0)), commit(at(1)), start])).toEqual(['Today', 0, 'Yesterday', 1, 2]);
    expect(namesIn([start])).toEqual(['Without a date', 0]);
    const first = commit(undefined, 1, []);
    expect(namesIn([commit(at(0)), first])).toEqual(['Today', 0, 'Without a date', 1]);
  });

  test('uses the time at which the gateway received a commit without a time', () => {
    const received = { received: { atMs: at(1) }, documents: 1 } as CommitEvent;
    expect(namesIn([received])).toEqual(['Yesterday', 0]);
  });
});
