import { expect, test } from 'vitest';
import { FORMATS, formatLabel, mediaType } from './formats.ts';

test('gives each format a label and a media type of its own', () => {
  expect(new Set(FORMATS.map(formatLabel)).size).toBe(FORMATS.length);
  expect(new Set(FORMATS.map(mediaType)).size).toBe(FORMATS.length);
});
