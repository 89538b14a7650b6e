import { expect, test } from 'vitest';
import { FORMATS, formatLabel, formatOfName, mediaType } from './formats.ts';

test.each([
  ['a.csv', 'csv'],
  ['A.CSV', 'csv'],
  ['a.ndjson', 'ndjson'],
  ['a.jsonl', 'ndjson'],
  ['a.json', 'json'],
  ['a.csv.json', 'json'],
  ['notes', 'json'],
  ['notes.txt', 'json'],
])('reads a file named %s as %s', (name, format) => {
  expect(formatOfName(name)).toBe(format);
});

test('gives each format a label and a media type of its own', () => {
  expect(new Set(FORMATS.map(formatLabel)).size).toBe(FORMATS.length);
  expect(new Set(FORMATS.map(mediaType)).size).toBe(FORMATS.length);
});
