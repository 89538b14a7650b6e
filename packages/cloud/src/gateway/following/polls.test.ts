import { expect, test } from 'vitest';
import { createPolls } from './polls.ts';

test('continues a poll where its last answer ended, and starts a new poll from the beginning', () => {
  const polls = createPolls();
  polls.answered('a', { cursor: 3, mark: 'm' });
  polls.answered('a', { cursor: 5, mark: 'n' });
  expect([polls.next('a'), polls.next('b')]).toEqual([{ cursor: 5, mark: 'n' }, { cursor: 0 }]);
});

test('drops the poll that was answered longest ago, which then restarts from the beginning', () => {
  const polls = createPolls();
  polls.answered('old', { cursor: 1 });
  polls.answered('used', { cursor: 2 });
  for (let at = 0; at < 9998; at += 1) polls.answered(`p${at}`, { cursor: 3 });
  polls.answered('used', { cursor: 4 });
  polls.answered('one more', { cursor: 5 });
  expect(polls.next('old')).toEqual({ cursor: 0 });
  expect([polls.next('used').cursor, polls.next('one more').cursor]).toEqual([4, 5]);
});
