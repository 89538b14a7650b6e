import { Text } from '@codemirror/state';
import { expect, test, vi } from 'vitest';
import { errorPlace, readJson } from './read-json.ts';

test('joins a text once for all its readers', () => {
  const text = Text.of(['{', '"a": 1', '}']);
  const puttingTogether = vi.spyOn(text, 'toString');
  const first = readJson(text);
  expect(first).toEqual({ text: '{\n"a": 1\n}', value: { a: 1 } });
  expect(readJson(text)).toBe(first);
  expect(puttingTogether).toHaveBeenCalledTimes(1);
});

test('reports where the error is', () => {
  const text = '{\n  "a": 1,\n  "b": oops\n}';
  const { error } = readJson(text);
  expect(error).toBeInstanceOf(SyntaxError);
  expect(errorPlace(new SyntaxError('Bad thing at position 5 (line 1)'), text)).toBe(5);
  expect(errorPlace(new SyntaxError('JSON.parse: bad at line 3 column 8 of the JSON data'), text)).toBe(
    text.indexOf('oops'),
  );
  expect(errorPlace(new SyntaxError('at position 5000'), text)).toBe(text.length);
  expect(errorPlace(new SyntaxError('no place'), text)).toBe(0);
});
