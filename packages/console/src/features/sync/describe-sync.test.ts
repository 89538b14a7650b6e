import { expect, test } from 'vitest';
import { describeSync } from './describe-sync.ts';

const nothing = { toSend: 0, toFetch: 0 };

test('always shows pending work as a number', () => {
  expect(describeSync({ state: 'offline', toSend: 3, toFetch: 0 })).toBe('Offline, 3 to send');
  expect(describeSync({ state: 'catching-up', toSend: 3, toFetch: 2 })).toBe(
    'Catching up, 3 to send, 2 to fetch',
  );
  expect(describeSync({ state: 'refused', toSend: 1, toFetch: 0 })).toBe('Refused, 1 to send');
});

test('has a distinct label for each state', () => {
  const states = ['offline', 'connecting', 'catching-up', 'in-sync', 'refused'] as const;
  const words = states.map((state) => describeSync({ state, ...nothing }));
  expect(words).toEqual(['Offline', 'Connecting', 'Catching up', 'In sync', 'Refused']);
});
