import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentIdAtEnd, documentPath } from './document-path.ts';

const BASE = '/fp/databases/notes/docs';
const throughTheAddressBar = (id: string) =>
  documentIdAtEnd(new URL(documentPath(BASE, id), 'http://localhost').pathname);

test('the id "new" makes a document', () => {
  expect(documentIdAtEnd(`${BASE}/new`)).toBeUndefined();
});

test.each([
  'new',
  '~new',
  '~~new',
  '.',
  '..',
  '~.',
  'a/b',
  'a%2Fb',
  '%',
  '?',
  '#',
  'a b',
  '~tilde',
  'ä',
  '~',
])('the document %j is reached by its path', (id) => {
  expect(throughTheAddressBar(id)).toBe(id);
  expect(documentPath(BASE, id).split('/')).toHaveLength(BASE.split('/').length + 1);
});

test('every printable id is reached by its path', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (id) => {
      expect(throughTheAddressBar(id)).toBe(id);
    }),
  );
});

test('an id that needs no care has the plain path', () => {
  expect(documentPath(BASE, '~a/new')).toBe(`${BASE}/~a%2Fnew`);
});
