import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compared, inGroups } from './safety-digits.ts';

const NUMBER = '0123456789'.repeat(6);

test('accepts the number with spaces, line breaks and dashes', () => {
  for (const text of [
    NUMBER,
    inGroups(NUMBER),
    ` ${inGroups(NUMBER).replaceAll(' ', '\n')} `,
    NUMBER.replace(/.{5}/g, '$&-'),
  ])
    expect(compared(NUMBER, text)).toEqual({ result: 'equal' });
});

test('[N4] reports each number with another digit as different', () => {
  fc.assert(
    fc.property(fc.nat(59), fc.integer({ min: 1, max: 9 }), (at, more) => {
      const digit = (Number(NUMBER[at]) + more) % 10;
      const other = `${NUMBER.slice(0, at)}${digit}${NUMBER.slice(at + 1)}`;
      expect(compared(NUMBER, inGroups(other))).toEqual({ result: 'different' });
    }),
  );
});

test('counts missing digits, and reports a wrong one before the number is complete', () => {
  expect(compared(NUMBER, '01234 5')).toEqual({ result: 'missing', count: 54 });
  expect(compared(NUMBER, '01234 6')).toEqual({ result: 'different' });
  expect(compared(NUMBER, `${NUMBER}0`)).toEqual({ result: 'different' });
});

test('tells other text from a number', () => {
  expect(compared(NUMBER, ' ')).toEqual({ result: 'empty' });
  expect(compared(NUMBER, 'Z-Code 12345')).toEqual({ result: 'no number' });
});
