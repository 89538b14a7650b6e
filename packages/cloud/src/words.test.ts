import { describe, expect, test } from 'vitest';
import { readTask } from './words.ts';

describe('the arguments after main.js', () => {
  test.each([
    ['', { is: 'serve' }],
    ['rotate-keys', { is: 'rotate-keys', ofSessions: false }],
    ['rotate-keys sessions', { is: 'rotate-keys', ofSessions: true }],
    ['waitlist', { is: 'waitlist' }],
    [
      'waitlist approve a@example.com b@example.com',
      { is: 'approve', addresses: ['a@example.com', 'b@example.com'] },
    ],
    ['waitlist approve --all', { is: 'approve', addresses: undefined }],
  ])('select a task: %j', (line, task) => {
    expect(readTask(line.split(' ').filter(Boolean))).toEqual(task);
  });

  test.each([
    'serve',
    'rotate-key',
    '--help',
    '-v',
    'constructor',
    'rotate-keys session',
    'rotate-keys sessions now',
    'waitlist list',
    'waitlist approve',
    'waitlist approve --every',
    'waitlist approve --all a@example.com',
    'waitlist --all',
  ])('are rejected: %j', (line) => {
    expect(readTask(line.split(' '))).toBeUndefined();
  });
});
