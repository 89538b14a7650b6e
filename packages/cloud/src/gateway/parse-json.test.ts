import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from './parse-json.ts';

test('[R20] reads valid JSON as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 20 }), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 2000 },
  );
});

test('ignores brackets, commas and quotes inside a text', () => {
  for (const part of ['[', '{', '\\"[', '\\\\', ',', '\\\\\\"{'])
    expect(parseJson(`{"a":"${part.repeat(60_000)}"}`)).toBeTypeOf('object');
});

test.each([
  ['lists', '['.repeat(500_000)],
  ['maps', '{"a":'.repeat(200_000)],
  ['closed lists', '['.repeat(65) + ']'.repeat(65)],
])('[S7] rejects deeply nested %s', (_, text) => {
  expect(() => parseJson(text)).toThrow('too deep');
});

test('reads JSON at the limit of depth or number of parts', () => {
  expect(parseJson('['.repeat(64) + ']'.repeat(64))).toHaveLength(1);
  expect(parseJson(`[${'0,'.repeat(49_999)}0]`)).toHaveLength(50_000);
});

test('[S7] rejects JSON with too many parts', () => {
  expect(() => parseJson(`[${'0,'.repeat(50_001)}0]`)).toThrow('too many parts');
  expect(() =>
    parseJson(`{${Array.from({ length: 50_002 }, (_, index) => `"${index}":0`).join(',')}}`),
  ).toThrow('too many parts');
});

test.each(['', '{', '"', '"\\', 'nul', '{"a":1}}', '\0'])('rejects text that is not JSON: %j', (text) => {
  expect(() => parseJson(text)).toThrow('not JSON');
});
