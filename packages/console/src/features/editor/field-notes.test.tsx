import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { expect, onTestFinished, test } from 'vitest';
import {
  type FieldNote,
  type FieldNotes,
  fieldIn,
  fieldNotes,
  type ShowNote,
  setFieldNotes,
  showNoteAtCaret,
} from './field-notes.ts';

test.each([
  ['  "a": 1,', 'a'],
  ['  "a\\"b": {', 'a"b'],
  ['  "__proto__" : 1', '__proto__'],
  ['    "nested": 1', undefined],
  ['  "text",', undefined],
  ['  "\\x": 1', undefined],
  ['{', undefined],
])('finds in the line %j the top-level field %s', (line, field) => {
  expect(fieldIn(line)).toBe(field);
});

const noteOf = (person: string | undefined, more: Partial<FieldNote> = {}): FieldNote => ({
  text: `${person}, 2 minutes ago`,
  short: '2 minutes ago',
  person,
  isUnsaved: false,
  ...more,
});
const NOTES = new Map([
  ['a', noteOf('Ada Lovelace')],
  ['b', noteOf(undefined, { text: 'This device', short: 'This device' })],
  ['c', noteOf(undefined, { short: 'You, now', isUnsaved: true })],
]);

function drawn(notes: FieldNotes | undefined) {
  const doc = '{\n  "a": 1,\n  "b": {\n    "a": 2\n  },\n  "c": 3\n}';
  const shown: (readonly [string, string | undefined])[] = [];
  const show: ShowNote = (field, anchor) => void shown.push([field, (anchor as HTMLElement).title]);
  const view = new EditorView({
    parent: document.body,
    state: EditorState.create({ doc, extensions: fieldNotes(notes, show) }),
  });
  onTestFinished(() => view.destroy());
  const marks = () => [...view.dom.querySelectorAll<HTMLElement>('.cm-author')];
  return { view, show, shown, marks };
}

test('shows the author beside the line of each field, as a picture and a time, and hides them', () => {
  const { view, show, marks } = drawn(undefined);
  expect(marks()).toEqual([]);
  setFieldNotes(view, NOTES, show);
  const initials = marks().map((one) => one.querySelector<HTMLElement>('.cm-avatar')?.dataset['initials']);
  expect(initials).toEqual(['AL', undefined, undefined]);
  expect(marks().map((one) => one.querySelector('svg') !== null)).toEqual([false, true, true]);
  // Beside the rest of the object in "b", but not beside the braces of the document.
  expect(view.dom.querySelectorAll('.cm-author-rest').length).toBe(2);
  expect(marks().map(({ textContent }) => textContent)).toEqual(['2 minutes ago', 'This device', 'You, now']);
  expect(marks().map(({ className }) => className.includes('cm-unsaved'))).toEqual([false, false, true]);
  expect(marks()[0]?.title).toBe('Ada Lovelace, 2 minutes ago');
  setFieldNotes(view, undefined, show);
  expect(view.dom.querySelector('.cm-field-notes')).toBeNull();
});

test('shows the details of an author after a press', () => {
  const { marks, shown } = drawn(NOTES);
  marks()[0]?.querySelector('span')?.click();
  expect(shown).toEqual([['a', 'Ada Lovelace, 2 minutes ago']]);
});

test('shows the details of the field at the caret, also inside of its value', () => {
  const { view, show, shown } = drawn(NOTES);
  const at = (line: number) => {
    view.dispatch({ selection: { anchor: view.state.doc.line(line).from } });
    return showNoteAtCaret(view, show);
  };
  expect([1, 2, 4, 5].map(at)).toEqual([false, true, true, true]);
  expect(shown.map(([field]) => field)).toEqual(['a', 'b', 'b']);
  setFieldNotes(view, undefined, show);
  expect(at(2)).toBe(false);
});
