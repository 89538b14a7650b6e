import { Text } from '@codemirror/state';
import { expect, test, vi } from 'vitest';
import { readJson } from './read-json.ts';

test('converts a text to a string only once, however often it is read', () => {
  const text = Text.of(['{', '"a": 1', '}']);
  const puttingTogether = vi.spyOn(text, 'toString');
  const first = readJson(text);
  expect(first).toEqual({ text: '{\n"a": 1\n}', value: { a: 1 } });
  expect(readJson(text)).toBe(first);
  expect(puttingTogether).toHaveBeenCalledTimes(1);
});

test('returns the error and the text when the text isn’t JSON', () => {
  const read = readJson('{"a": oops}');
  expect(read.error).toBeInstanceOf(SyntaxError);
  expect(read.text).toBe('{"a": oops}');
});
