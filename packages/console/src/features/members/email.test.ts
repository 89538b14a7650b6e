import { expect, test } from 'vitest';
import { isEmail } from './email.ts';

test.each(['ada@example.com', 'ada+notes@mail.example.co.uk', "o'hara@x-y.io"])('searches for %s', (text) => {
  expect(isEmail(text)).toBe(true);
});

test.each([
  '',
  'ada',
  'ada@',
  'ada@example',
  '@example.com',
  'a b@example.com',
  'ada@-x.com',
  'ada@example.com, x@y.z',
])('doesn’t search for "%s" yet', (text) => {
  expect(isEmail(text)).toBe(false);
});
