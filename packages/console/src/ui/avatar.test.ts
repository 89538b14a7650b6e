import { expect, test } from 'vitest';
import { initialsOf } from './avatar.tsx';

test.each([
  ['Ada Lovelace', 'AL'],
  ['ada', 'A'],
  ['Augusta Ada King', 'AK'],
  ['  ', '?'],
  ['🦊 fox', '🦊F'],
])('shortens "%s" to %s', (name, letters) => {
  expect(initialsOf(name)).toBe(letters);
});
