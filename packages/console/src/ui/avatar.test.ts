import { expect, test } from 'vitest';
import { initialsOf } from './avatar.tsx';

test.each([
  ['Ada Lovelace', 'AL'],
  ['ada', 'A'],
  ['Augusta Ada King', 'AK'],
  ['  ', '?'],
  ['🦊 fox', '🦊F'],
])('the letters of "%s" are %s', (name, letters) => {
  expect(initialsOf(name)).toBe(letters);
});
