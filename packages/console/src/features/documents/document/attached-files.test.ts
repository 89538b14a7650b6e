import type { StoredFile } from 'fixpoint';
import { expect, test } from 'vitest';
import { attachmentsOf, previewKind, withFiles, withoutFile } from './attached-files.ts';

const entry = { type: 'image/png', size: 3, file: () => Promise.reject(new Error('unused')) };
const doc = { _id: 'a', x: 1, _files: { 'a.png': entry, broken: 7 }, _publicFiles: { b: entry } };

test('lists the files in _files and _publicFiles, and ignores other values in these fields', () => {
  expect(attachmentsOf(doc).map(({ field, name }) => [field, name])).toEqual([
    ['_files', 'a.png'],
    ['_publicFiles', 'b'],
  ]);
  expect(attachmentsOf({ _files: null, _publicFiles: 'x' })).toEqual([]);
  expect(attachmentsOf(undefined)).toEqual([]);
});

test('adds files to the existing ones, and removes a field together with its last file', () => {
  const file = new File(['x'], 'new.txt');
  expect(Object.keys(withFiles(doc, [file])['_files'] as object)).toEqual(['a.png', 'broken', 'new.txt']);
  expect(withoutFile(doc, { field: '_publicFiles', name: 'b' })).toEqual({
    _id: 'a',
    x: 1,
    _files: doc._files,
  });
});

test('previews images and texts of a reasonable size', () => {
  const kindOf = (type: string, size = 10) => previewKind({ type, size } as StoredFile);
  expect([kindOf('image/png'), kindOf('text/html'), kindOf('application/pdf')]).toEqual([
    'picture',
    'text',
    'none',
  ]);
  expect(kindOf('image/png', 9_000_000)).toBe('none');
});
