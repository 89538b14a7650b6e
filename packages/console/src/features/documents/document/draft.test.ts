import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocumentText } from './document-text.ts';
import {
  afterNotSaved,
  afterSave,
  canSave,
  draftOf,
  isEdited,
  keepText,
  takeMerged,
  takeStored,
  underneath,
  withKept,
  withStored,
  withText,
} from './draft.ts';

const opened = draftOf('a', { _id: 'a', x: 1 });

test('allows saving only when the text is a valid document with changes', () => {
  expect(canSave(opened)).toBe(false);
  expect(canSave(withText(opened, '{"x":1}'))).toBe(false);
  expect(canSave(withText(opened, '{"x":2'))).toBe(false);
  expect(canSave(withText(opened, '[2]'))).toBe(false);
  expect(canSave(withText(opened, '{"x":2}'))).toBe(true);
  expect(canSave(withText(opened, '{"_id":"b","x":2}'))).toBe(false);
});

test('allows saving a new document when it is valid, and counts an empty one as unedited', () => {
  const fresh = draftOf(undefined, undefined);
  expect([canSave(fresh), isEdited(fresh)]).toEqual([true, false]);
  expect([canSave(withText(fresh, '{')), isEdited(withText(fresh, '{'))]).toEqual([false, true]);
  expect(isEdited(withText(fresh, ''))).toBe(false);
  expect(isEdited(withText(fresh, '{"_id":"b"}'))).toBe(true);
});

test('disables saving after a save, unless the user typed during the save', () => {
  const edited = withText(opened, '{"x":2}');
  expect(canSave(afterSave(edited, 'a', { x: 2 }, opened.stored))).toBe(false);
  expect(canSave(afterSave(withText(edited, '{"x":3}'), 'a', { x: 2 }, opened.stored))).toBe(true);
});

test('gives a saved new document its id, and removes the id from the text unless the user typed more', () => {
  const fresh = withText(draftOf(undefined, undefined), '{"_id":"b","x":1}');
  const saved = afterSave(fresh, 'b', { _id: 'b', x: 1 }, undefined);
  expect([saved.id, isEdited(saved), canSave(saved)]).toEqual(['b', false, false]);
  expect([saved.text, saved.revision]).toEqual(['{\n  "x": 1\n}', 1]);

  const typedOn = afterSave(withText(fresh, '{"_id":"b","x":12}'), 'b', { _id: 'b', x: 1 }, undefined);
  expect([typedOn.text, isEdited(typedOn), canSave(typedOn)]).toEqual(['{"_id":"b","x":12}', true, true]);
});

test('keeps the text and its layout after the save of a new document whose text has no id', () => {
  const fresh = withText(draftOf(undefined, undefined), '{"x":1}');
  expect(afterSave(fresh, 'b', { x: 1 }, undefined)).toMatchObject({ id: 'b', text: '{"x":1}', revision: 0 });
});

test('keeps a change that arrived during the save', () => {
  const edited = withText(opened, '{"x":2}');
  const newer = withStored(edited, { _id: 'a', x: 3 });
  const after = afterSave(newer, 'a', { x: 2 }, opened.stored);
  expect([after.text, after.stored, isEdited(after)]).toEqual(['{\n  "x": 3\n}', { _id: 'a', x: 3 }, false]);
  const typed = afterSave(withText(newer, '{"x":4}'), 'a', { x: 2 }, opened.stored);
  expect([typed.text, underneath(typed)]).toEqual(['{"x":4}', 'changed']);
  const gone = afterSave(withStored(edited, undefined), 'a', { x: 2 }, opened.stored);
  expect([gone.text, underneath(gone)]).toEqual(['{"x":2}', 'deleted']);
});

test('reports what a save found instead of the stored document', () => {
  const edited = withText(opened, '{"x":2}');
  expect(underneath(afterNotSaved(edited, { _id: 'a', x: 3 }))).toBe('changed');
  expect(underneath(afterNotSaved(edited, undefined))).toBe('deleted');
  const recreated = afterNotSaved(keepText(withStored(edited, undefined)), { _id: 'a', x: 3 });
  expect([underneath(recreated), recreated.text]).toEqual(['changed', '{"x":2}']);
});

test('follows the stored document while the text has no edits', () => {
  const live = withStored(opened, { _id: 'a', x: 5 });
  expect([live.text, live.revision]).toEqual(['{\n  "x": 5\n}', 1]);
  expect(underneath(live)).toBeUndefined();
});

test('keeps the layout of the text when the stored document has the same fields', () => {
  const laidOut = withText(opened, '{ "x": 1 }');
  expect(withStored(laidOut, { _id: 'a', x: 1 })).toMatchObject({ text: '{ "x": 1 }', revision: 0 });
});

test('keeps edited text, and reports a change of the stored document', () => {
  const edited = withStored(withText(opened, '{"x":2}'), { _id: 'a', x: 5 });
  expect(edited.text).toBe('{"x":2}');
  expect(underneath(edited)).toBe('changed');
  expect(takeStored(edited).text).toBe('{\n  "x": 5\n}');
  expect(underneath(keepText(edited))).toBeUndefined();
  expect(canSave(keepText(edited))).toBe(true);
});

test('reports no change when the stored document becomes equal to the typed text', () => {
  expect(underneath(withStored(withText(opened, '{"x":2}'), { _id: 'a', x: 2 }))).toBeUndefined();
});

test('keeps the text of a deleted document, and allows saving it again', () => {
  const deleted = withStored(withText(opened, '{"x":2}'), undefined);
  expect([deleted.text, underneath(deleted), canSave(deleted)]).toEqual(['{"x":2}', 'deleted', true]);
  const untouched = withStored(opened, undefined);
  expect([underneath(untouched), canSave(keepText(untouched))]).toEqual(['deleted', true]);
});

test('doesn’t allow saving the text of a document that contains bytes', () => {
  const photo = draftOf('p', { _id: 'p', photo: new Uint8Array(2) });
  expect([photo.editable, canSave(withText(photo, '{"x":1}'))]).toEqual([false, false]);
});

test('omits attached files from the text, and doesn’t report their changes', () => {
  const entry = { size: 1, file: () => undefined };
  const withFile = draftOf('a', { _id: 'a', x: 1, _files: { f: entry } });
  expect([withFile.text, withFile.editable, canSave(withFile)]).toEqual(['{\n  "x": 1\n}', true, false]);
  const edited = withStored(withText(withFile, '{"x":2}'), { _id: 'a', x: 1, _files: { g: entry } });
  expect([underneath(edited), Object.keys(edited.files['_files'] as object)]).toEqual([undefined, ['g']]);
  const typed = draftOf('a', { _id: 'a', _files: { f: 'no file' } });
  expect(typed.text).toContain('no file');
});

test('treats a merged document as an edit of the stored one', () => {
  const edited = withStored(withText(opened, '{"x":2}'), { _id: 'a', x: 1, y: 1 });
  const merged = takeMerged(edited, { x: 2, y: 1 });
  expect([underneath(merged), canSave(merged), merged.revision]).toEqual([undefined, true, 1]);
});

test('opens every document as unedited, whatever its fields', () => {
  const docs = fc.dictionary(
    fc.string().filter((name) => name !== '_id'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(docs, (fields) => {
      const draft = draftOf('a', { ...fields, _id: 'a' });
      const said = parseDocumentText(draft.text, 'a');
      expect(said.problem).toBeUndefined();
      expect(JSON.stringify(draft.parsed)).toBe(JSON.stringify(said));
      expect(isEdited(draft)).toBe(false);
    }),
  );
  // JSON has no negative zero.
  expect(isEdited(draftOf('a', { _id: 'a', x: -0 }))).toBe(false);
});

test('rejects saving as text after a merge with values that text can’t express', () => {
  const draft = withText(draftOf('a', { _id: 'a', x: 1 }), '{"x": 2}');
  expect(canSave(takeMerged(draft, { x: 2, raw: new Uint8Array(2) }))).toBe(false);
});

test('keeps the base of a kept text, so that a change of the document since then shows', () => {
  const stored = draftOf('a', { _id: 'a', x: 1, y: 9 });
  const restored = withKept(stored, '{"x": 2, "y": 1}', '{"x": 1, "y": 1}');
  expect([isEdited(restored), underneath(restored), restored.text]).toEqual([
    true,
    'changed',
    '{"x": 2, "y": 1}',
  ]);
  const same = withKept(stored, '{"x": 2, "y": 9}', '{"x": 1, "y": 9}');
  expect([isEdited(same), underneath(same)]).toEqual([true, undefined]);
  for (const base of [undefined, 'nonsense'])
    expect(underneath(withKept(stored, '{}', base))).toBeUndefined();
});
