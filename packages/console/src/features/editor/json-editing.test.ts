import { syntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { jsonEditing } from './json-editing.ts';
import { LAYOUT_CHARS_MAX } from './json-layout.ts';

const editing = (text: string) => EditorState.create({ doc: text, extensions: jsonEditing(text.length) });
const textOf = (chars: number) => JSON.stringify(['x'.repeat(chars - 4)]);

test('parses a short text to colour it, but never a long one', () => {
  expect(syntaxTree(editing(textOf(100))).length).toBe(100);
  expect(syntaxTree(editing(textOf(LAYOUT_CHARS_MAX))).length).toBeGreaterThan(0);
  const long = editing(textOf(LAYOUT_CHARS_MAX + 1));
  expect(syntaxTree(long).length).toBe(0);
  const next = long.update({ changes: { from: 5, insert: 'y' } }).state;
  expect(syntaxTree(next).length).toBe(0);
});

test('switches colouring when a text becomes long or short', () => {
  const short = editing('[]');
  const long = short.update({ changes: { from: 1, insert: `"${'x'.repeat(LAYOUT_CHARS_MAX)}"` } }).state;
  expect(syntaxTree(long).length).toBe(0);
  const again = long.update({ changes: { from: 1, to: long.doc.length - 1 } }).state;
  expect(syntaxTree(again).length).toBe(2);
});
