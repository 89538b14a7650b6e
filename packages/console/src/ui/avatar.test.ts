import { expect, test } from 'vitest';
import { colourOf, initialsOf } from './avatar.tsx';

test.each([
  ['Ada Lovelace', 'AL'],
  ['ada', 'A'],
  ['Augusta Ada King', 'AK'],
  ['  ', '?'],
  ['🦊 fox', '🦊F'],
])('shortens "%s" to %s', (name, letters) => {
  expect(initialsOf(name)).toBe(letters);
});

test('gives a person the same colour everywhere, and most people different ones', () => {
  expect(colourOf(' Ada Lovelace ')).toBe(colourOf('Ada Lovelace'));
  const colours = ['Ada Lovelace', 'Grace Hopper', 'Katherine Johnson', 'Dorothy Vaughan', '🦊'].map(
    colourOf,
  );
  expect(new Set(colours).size).toBeGreaterThan(2);
  for (const colour of colours) expect([0, 1, 2, 3, 4]).toContain(colour);
});
