import { expect, test } from 'vitest';
import { parseDocumentText, textOfDocument } from './json-text.ts';

test('the id is no part of the text, and cannot come in by it', () => {
  expect(textOfDocument({ _id: 'a', x: 1 })).toBe('{\n  "x": 1\n}');
  expect(parseDocumentText('{"_id":"b","x":1}')).toEqual({ fields: { x: 1 } });
});

test.each(['', '[]', '1', 'null', '{'])('%j is no document', (text) => {
  expect(parseDocumentText(text)).toHaveProperty('problem');
});
