import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentIdAtEnd, documentPath } from './document-path.ts';

const BASE = '/fp/databases/notes/docs';
const throughTheAddressBar = (id: string) =>
  documentIdAtEnd(new URL(documentPath(BASE, id), 'http://localhost').pathname);

test('uses the id "new" for a new document', () => {
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
])('reaches the document %j by its path', (id) => {
  expect(throughTheAddressBar(id)).toBe(id);
  expect(documentPath(BASE, id).split('/')).toHaveLength(BASE.split('/').length + 1);
});

test('reaches every printable id by its path', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (id) => {
      expect(throughTheAddressBar(id)).toBe(id);
    }),
  );
});

test('adds no tilde to an id that only begins like a special path', () => {
  expect(documentPath(BASE, '~a/new')).toBe(`${BASE}/~a%2Fnew`);
});
