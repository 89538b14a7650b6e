import { describe, expect, test } from 'vitest';
import { atSearch, headIn, sameHead, searchAt } from './version-address.ts';

const parametersOf = (search: string) => new URLSearchParams(search);

describe('the address of a past version', () => {
  test('contains each event of the head, and is decoded to the same head', () => {
    const head = ['bafyone', 'a/b,c&d'];
    expect(atSearch(['bafyone', 'bafytwo'])).toBe('at=bafyone,bafytwo');
    expect(headIn(parametersOf(atSearch(['bafyone', 'bafytwo'])))).toEqual(['bafyone', 'bafytwo']);
    expect(parametersOf(atSearch(head)).get('at')).toBe(head.join(','));
  });

  test('means the current version when it contains no event', () => {
    expect(headIn(parametersOf(''))).toBeUndefined();
    expect(headIn(parametersOf('at='))).toBeUndefined();
    expect(headIn(parametersOf('at=,,'))).toBeUndefined();
  });

  test('keeps the other parameters when the head changes', () => {
    expect(searchAt(parametersOf('at=old&changes=&q=milk'), ['new'])).toBe('at=new&changes=&q=milk');
    expect(searchAt(parametersOf('at=old'), ['new'])).toBe('at=new');
  });
});

test('compares heads event by event', () => {
  expect(sameHead(['a', 'b'], ['a', 'b'])).toBe(true);
  expect(sameHead(['a', 'b'], ['a'])).toBe(false);
  expect(sameHead(['a'], ['b'])).toBe(false);
});
