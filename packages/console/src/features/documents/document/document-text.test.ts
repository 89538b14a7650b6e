import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sameFields, textOfDocument } from '../../../values/document-fields.ts';
import { parseDocumentText } from './document-text.ts';

test.each(['', '[]', '1', 'null', '{', '{"a":1}}', '"x"'])('rejects %j as a document', (text) => {
  expect(parseDocumentText(text, 'a')).toHaveProperty('problem');
});

test('rejects a changed id of a stored document', () => {
  expect(parseDocumentText('{"_id":"a","x":1}', 'a')).toEqual({ fields: { x: 1 } });
  expect(parseDocumentText('{"_id":"b","x":1}', 'a').problem).toMatch(/can’t be changed/);
});

test('lets a new document choose its id', () => {
  expect(parseDocumentText('{"_id":"b","x":1}', undefined)).toEqual({ fields: { _id: 'b', x: 1 } });
  expect(parseDocumentText('{"_id":7}', undefined).problem).toMatch(/_id/);
});

test('parses the text of a document back to the same fields', () => {
  const fields = fc.dictionary(
    fc.string().filter((name) => name !== '_id'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fields, (doc) => {
      const parsed = parseDocumentText(textOfDocument(doc).text, 'a');
      expect(parsed.problem === undefined && sameFields(parsed.fields, JSON.parse(JSON.stringify(doc)))).toBe(
        true,
      );
    }),
  );
});
