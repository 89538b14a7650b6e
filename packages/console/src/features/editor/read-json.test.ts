import { Text } from '@codemirror/state';
import { expect, test, vi } from 'vitest';
import { readJson } from './read-json.ts';

test('joins a text once for all its readers', () => {
  const text = Text.of(['{', '"a": 1', '}']);
  const puttingTogether = vi.spyOn(text, 'toString');
  const first = readJson(text);
  expect(first).toEqual({ text: '{\n"a": 1\n}', value: { a: 1 } });
  expect(readJson(text)).toBe(first);
  expect(puttingTogether).toHaveBeenCalledTimes(1);
});

test('reports text that is not JSON, with the text', () => {
  const read = readJson('{"a": oops}');
  expect(read.error).toBeInstanceOf(SyntaxError);
  expect(read.text).toBe('{"a": oops}');
});
