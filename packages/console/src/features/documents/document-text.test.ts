import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocumentText, sameFields, textOfDocument } from './document-text.ts';

test('omits the id from the text', () => {
  expect(textOfDocument({ _id: 'a', x: 1 })).toEqual({ text: '{\n  "x": 1\n}', exact: true });
});

test('shows a document with bytes or long integers, but doesn’t allow to edit it as text', () => {
  expect(textOfDocument({ _id: 'a', photo: new Uint8Array(2) })).toEqual({
    text: '{\n  "photo": "2 bytes"\n}',
    exact: false,
  });
  expect(textOfDocument({ n: [2n ** 60n] }).exact).toBe(false);
});

test.each(['', '[]', '1', 'null', '{', '{"a":1}}', '"x"'])('rejects %j as a document', (text) => {
  expect(parseDocumentText(text, 'a')).toHaveProperty('problem');
});

test('rejects a changed id of a stored document', () => {
  expect(parseDocumentText('{"_id":"a","x":1}', 'a')).toEqual({ fields: { x: 1 } });
  expect(parseDocumentText('{"_id":"b","x":1}', 'a').problem).toMatch(/cannot be changed/);
});

test('lets a new document choose its id', () => {
  expect(parseDocumentText('{"_id":"b","x":1}', undefined)).toEqual({ fields: { _id: 'b', x: 1 } });
  expect(parseDocumentText('{"_id":7}', undefined).problem).toMatch(/_id/);
});

test('compares fields regardless of order; values, missing fields and lengths count', () => {
  expect(sameFields({ _id: 'a', x: 1, y: [{ z: null }] }, { y: [{ z: null }], x: 1 })).toBe(true);
  for (const other of [{ x: 1 }, { x: 1, y: undefined }, { x: 1, y: [] }, { x: 1, y: { 0: 'a' } }])
    expect(sameFields({ x: 1, y: ['a'] }, other)).toBe(false);
  expect(sameFields(JSON.parse('{"__proto__": {}}'), {})).toBe(false);
});

test('converts between text and document both ways', () => {
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
