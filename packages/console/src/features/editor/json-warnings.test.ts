import { expect, test } from 'vitest';
import { jsonWarnings } from './json-warnings.ts';

const messages = (text: string) => jsonWarnings(text).map(({ from, to }) => text.slice(from, to));

test('marks numbers that can’t be stored exactly', () => {
  expect(
    messages('{"a": 9007199254740993, "b": 9007199254740992, "c": 1.5, "d": [-12345678901234567890]}'),
  ).toEqual(['9007199254740993', '-12345678901234567890']);
  expect(messages('{"a": 0.1234567890123456789, "b": 0.30000000000000004, "c": 1.50, "d": 1e400}')).toEqual([
    '0.1234567890123456789',
    '1e400',
  ]);
});

test('says what is stored instead, and how to keep all digits', () => {
  expect(jsonWarnings('[9007199254740993]')[0]?.message).toBe(
    '9007199254740993 would become 9007199254740992. Write it as text to keep all digits.',
  );
});

test('marks a field that occurs twice in one object, even if the name is escaped', () => {
  expect(messages('{"a": 1, "b": {"a": 1}, "\\u0061": 2, "c": ["a", "a"]}')).toEqual(['"\\u0061"']);
});
