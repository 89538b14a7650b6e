import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { expect, test } from 'vitest';
import { fieldIn, fieldNotes, setFieldNotes } from './field-notes.ts';

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

test('shows notes beside the lines of their fields, shows a pressed note whole, and hides all', () => {
  const doc = '{\n  "a": 1,\n  "b": {\n    "a": 2\n  }\n}';
  const view = new EditorView({
    parent: document.body,
    state: EditorState.create({ doc, extensions: fieldNotes(undefined) }),
  });
  const notes = () =>
    [...view.dom.querySelectorAll('.cm-field-notes .cm-gutterElement')]
      .map(({ textContent }) => textContent)
      .filter(Boolean);
  expect(notes()).toEqual([]);
  setFieldNotes(
    view,
    new Map([
      ['a', 'Ada'],
      ['b', 'Grace'],
    ]),
  );
  expect(notes()).toEqual(['Ada', 'Grace']);
  const wholes = () => [...view.dom.querySelectorAll('.cm-whole-note')].map(({ textContent }) => textContent);
  const press = (at: number) => view.dom.querySelectorAll<HTMLElement>('.cm-field-notes span')[at]?.click();
  press(0);
  expect(wholes()).toEqual(['Ada']);
  press(1);
  expect(wholes()).toEqual(['Grace']);
  press(1);
  expect(wholes()).toEqual([]);
  setFieldNotes(view, undefined);
  expect(view.dom.querySelector('.cm-field-notes')).toBeNull();
  view.destroy();
});
