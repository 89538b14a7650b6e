import type { DocumentConflicts } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { draftOf, keepText, takeMerged, withStored, withText } from '../document/draft.ts';
import { canMergeDraft, mergeOf } from './merging.ts';

const BASE = { _id: 'milk', litres: 1, shelf: 'A' };
const THEIRS = { _id: 'milk', litres: 1, shelf: 'B' };
const stored = draftOf('milk', BASE);
const edited = withText(stored, '{"litres": 2, "shelf": "A"}');
const clashing = withStored(edited, THEIRS);

const version = (value: object | undefined) => ({ event: 'e', parents: [], concurrent: true, value });
const conflict = (...values: (object | undefined)[]): DocumentConflicts => {
  const [winner, ...losers] = values.map(version);
  return { winner, losers } as unknown as DocumentConflicts;
};

describe('the merge of a draft', () => {
  test.each([
    ['a new document', draftOf(undefined, undefined)],
    ['a document without edits', stored],
    ['a document that only the user edited', edited],
    ['a document that only somebody else changed', withStored(stored, THEIRS)],
    ['a document that was deleted elsewhere', withStored(edited, undefined)],
    ['a text that isn’t valid', withText(clashing, '{')],
    ['a text that equals the other version', withText(clashing, JSON.stringify({ shelf: 'B', litres: 1 }))],
    ['a text that the user kept', keepText(clashing)],
    [
      'a document with values that text can’t express',
      withStored(edited, { ...THEIRS, raw: new Uint8Array(2) }),
    ],
    ['a text that was merged', takeMerged(clashing, { litres: 2, shelf: 'B' })],
  ])('is impossible for %s', (_what, draft) => {
    expect(canMergeDraft(draft)).toBe(false);
    expect(mergeOf(draft, undefined)).toBe(undefined);
  });

  test('has the base, the text and the stored document', () => {
    expect(canMergeDraft(clashing)).toBe(true);
    expect(mergeOf(clashing, undefined)).toEqual({
      what: 'draft',
      base: BASE,
      mine: { litres: 2, shelf: 'A' },
      theirs: THEIRS,
    });
  });

  test('comes before the merge of versions of devices', () => {
    expect(mergeOf(clashing, conflict(BASE, THEIRS))?.what).toBe('draft');
  });
});

describe('the merge of versions', () => {
  test('is offered for a document without a conflict of the text', () => {
    const found = conflict(BASE, THEIRS);
    expect(mergeOf(stored, found)).toEqual({ what: 'versions', conflict: found });
    expect(mergeOf(edited, found)?.what).toBe('versions');
  });

  test.each([
    ['the shown version', conflict(undefined, THEIRS)],
    ['another version', conflict(BASE, undefined)],
    ['the last of several versions', conflict(BASE, THEIRS, undefined)],
  ])('is impossible if %s deleted the document, or was dropped', (_what, found) => {
    expect(mergeOf(stored, found)).toBe(undefined);
  });
});
