import * as v from 'valibot';
import { expect, test } from 'vitest';
import { resultId } from './cloud-token-requests.ts';
import { handOffCode, isLongResultId } from './hand-off-code.ts';

test('returns the same code of eight letters for each call with the same id', () => {
  const id = 'q3J9vRk2TtLw8ZxYpB1nMd';
  expect(handOffCode(id)).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  expect(handOffCode(id)).toBe(handOffCode(id));
});

test('returns different codes for 2,000 ids that differ in their last characters', () => {
  const codes = Array.from({ length: 2000 }, (_, at) => handOffCode(`q3J9vRk2TtLw8ZxYpB1nM${at}`));
  expect(new Set(codes).size).toBe(codes.length);
});

test('accepts result ids of at least 22 characters, and those of existing clients', () => {
  const isTaken = (text: string) => v.is(resultId, text);
  for (const taken of ['x'.repeat(22), 'x'.repeat(128), 'z8fYpQ2Lk1', 'z8fYpQ2Lk', 'z8fYpQ2L'])
    expect(isTaken(taken), taken).toBe(true);
  for (const refused of ['', 'x'.repeat(21), 'x'.repeat(129), 'z0fYpQ2Lk', 'z8fYpQ2Lk12', '12345678', 'a b'])
    expect(isTaken(refused), refused).toBe(false);
  expect([isLongResultId('x'.repeat(22)), isLongResultId('z8fYpQ2Lk1')]).toEqual([true, false]);
});
