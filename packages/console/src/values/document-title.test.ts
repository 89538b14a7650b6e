import { expect, test } from 'vitest';
import { titleOfDocument } from './document-title.ts';
import { HOSTILE_NAMES } from './hostile-names.fixture.ts';

test.each([
  [{ code: 'ara', name: 'Arabic' }, 'Arabic'],
  [{ title: 'A book', label: 'L1' }, 'A book'],
  [{ n: 1, code: 'ara', note: 'x' }, 'ara'],
  [{ name: '  ', note: ' two\n lines\u202e ' }, 'two lines'],
  [{ name: 5 }, 'd1'],
  [{ name: 'x'.repeat(500) }, `${'x'.repeat(60)}…`],
  [{}, 'd1'],
  [undefined, 'd1'],
])('names the document %j "%s"', (fields, title) => {
  expect(titleOfDocument('d1', fields)).toBe(title);
});

test('shows an invisible id as JSON, and names a new document', () => {
  expect([titleOfDocument('\u200b', {}), titleOfDocument(undefined, undefined)]).toEqual([
    '"\\u200b"',
    'New document',
  ]);
});

test.each(HOSTILE_NAMES)('uses the text of the field "%s"', (name) => {
  expect(titleOfDocument('d1', Object.fromEntries([[name, 'text']]))).toBe('text');
});
