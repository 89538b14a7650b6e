import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocumentText } from './document-text.ts';
import {
  afterSave,
  canSave,
  draftOf,
  isEdited,
  keepText,
  takeMerged,
  takeStored,
  underneath,
  withStored,
  withText,
} from './draft.ts';

const opened = draftOf('a', { _id: 'a', x: 1 });

test('saving is possible when the text is a document that differs', () => {
  expect(canSave(opened)).toBe(false);
  expect(canSave(withText(opened, '{"x":1}'))).toBe(false);
  expect(canSave(withText(opened, '{"x":2'))).toBe(false);
  expect(canSave(withText(opened, '[2]'))).toBe(false);
  expect(canSave(withText(opened, '{"x":2}'))).toBe(true);
  expect(canSave(withText(opened, '{"_id":"b","x":2}'))).toBe(false);
});

test('a new document can be saved as soon as it is one, and leaving loses nothing while it is empty', () => {
  const fresh = draftOf(undefined, undefined);
  expect([canSave(fresh), isEdited(fresh)]).toEqual([true, false]);
  expect([canSave(withText(fresh, '{')), isEdited(withText(fresh, '{'))]).toEqual([false, true]);
  expect(isEdited(withText(fresh, ''))).toBe(false);
  expect(isEdited(withText(fresh, '{"_id":"b"}'))).toBe(true);
});

test('saving disables saving again, and what was typed meanwhile stays edited', () => {
  const edited = withText(opened, '{"x":2}');
  expect(canSave(afterSave(edited, 'a', { x: 2 }))).toBe(false);
  expect(canSave(afterSave(withText(edited, '{"x":3}'), 'a', { x: 2 }))).toBe(true);
});

test('a saved new document has its id, which leaves its text if nothing was typed meanwhile', () => {
  const fresh = withText(draftOf(undefined, undefined), '{"_id":"b","x":1}');
  const saved = afterSave(fresh, 'b', { _id: 'b', x: 1 });
  expect([saved.id, isEdited(saved), canSave(saved)]).toEqual(['b', false, false]);
  expect([saved.text, saved.revision]).toEqual(['{\n  "x": 1\n}', 1]);

  const typedOn = afterSave(withText(fresh, '{"_id":"b","x":12}'), 'b', { _id: 'b', x: 1 });
  expect([typedOn.text, isEdited(typedOn), canSave(typedOn)]).toEqual(['{"_id":"b","x":12}', true, true]);
});

test('a saved new document without an id in its text keeps the text and its layout', () => {
  const fresh = withText(draftOf(undefined, undefined), '{"x":1}');
  expect(afterSave(fresh, 'b', { x: 1 })).toMatchObject({ id: 'b', text: '{"x":1}', revision: 0 });
});

test('without edits the text follows the store', () => {
  const live = withStored(opened, { _id: 'a', x: 5 });
  expect([live.text, live.revision]).toEqual(['{\n  "x": 5\n}', 1]);
  expect(underneath(live)).toBeUndefined();
});

test('the own layout of the text stays when the store says the same', () => {
  const laidOut = withText(opened, '{ "x": 1 }');
  expect(withStored(laidOut, { _id: 'a', x: 1 })).toMatchObject({ text: '{ "x": 1 }', revision: 0 });
});

test('with edits the text stays, and says that the document changed underneath', () => {
  const edited = withStored(withText(opened, '{"x":2}'), { _id: 'a', x: 5 });
  expect(edited.text).toBe('{"x":2}');
  expect(underneath(edited)).toBe('changed');
  expect(takeStored(edited).text).toBe('{\n  "x": 5\n}');
  expect(underneath(keepText(edited))).toBeUndefined();
  expect(canSave(keepText(edited))).toBe(true);
});

test('a document that becomes what was typed did not change underneath', () => {
  expect(underneath(withStored(withText(opened, '{"x":2}'), { _id: 'a', x: 2 }))).toBeUndefined();
});

test('a document that is deleted keeps its text, which can be saved again', () => {
  const deleted = withStored(withText(opened, '{"x":2}'), undefined);
  expect([deleted.text, underneath(deleted), canSave(deleted)]).toEqual(['{"x":2}', 'deleted', true]);
  const untouched = withStored(opened, undefined);
  expect([underneath(untouched), canSave(keepText(untouched))]).toEqual(['deleted', true]);
});

test('a document that holds bytes cannot be saved as text', () => {
  const photo = draftOf('p', { _id: 'p', photo: new Uint8Array(2) });
  expect([photo.editable, canSave(withText(photo, '{"x":1}'))]).toEqual([false, false]);
});

test('attached files are no part of the text, and a change of them is no change underneath', () => {
  const entry = { size: 1, file: () => undefined };
  const withFile = draftOf('a', { _id: 'a', x: 1, _files: { f: entry } });
  expect([withFile.text, withFile.editable, canSave(withFile)]).toEqual(['{\n  "x": 1\n}', true, false]);
  const edited = withStored(withText(withFile, '{"x":2}'), { _id: 'a', x: 1, _files: { g: entry } });
  expect([underneath(edited), Object.keys(edited.files['_files'] as object)]).toEqual([undefined, ['g']]);
  const typed = draftOf('a', { _id: 'a', _files: { f: 'no file' } });
  expect(typed.text).toContain('no file');
});

test('a merged document is an edit of what is stored now', () => {
  const edited = withStored(withText(opened, '{"x":2}'), { _id: 'a', x: 1, y: 1 });
  const merged = takeMerged(edited, { x: 2, y: 1 });
  expect([underneath(merged), canSave(merged), merged.revision]).toEqual([undefined, true, 1]);
});

test('what is opened says what its text says, and is not edited, whatever it holds', () => {
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
