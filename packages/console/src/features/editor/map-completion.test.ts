import { CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { mapCompletion } from './map-completion.ts';

const KNOWN = [
  { name: '_id', detail: '9 documents' },
  { name: 'title', detail: '9 documents' },
  { name: 'first name', detail: '2 documents' },
];

function at(text: string): { labels: string[]; from: number | undefined } {
  const context = new CompletionContext(EditorState.create({ doc: text }), text.length, false);
  const result = mapCompletion(() => KNOWN)(context) as CompletionResult | null;
  return { labels: result?.options.map(({ label }) => label) ?? [], from: result?.from };
}

test('offers the fields of the documents after "doc." and "doc["', () => {
  expect(at('(doc) => doc.')).toEqual({ labels: ['_id', 'title', 'first name'], from: 13 });
  expect(at('(doc) => doc?.ti')).toMatchObject({ from: 14 });
  expect(at('emit(doc["fi')).toMatchObject({ labels: ['_id', 'title', 'first name'], from: 10 });
});

test('offers doc and emit elsewhere, and nothing after other objects', () => {
  expect(at('(doc, emit) => { em').labels).toEqual(['emit', 'doc']);
  expect(at('(doc, emit) => { ').labels).toEqual([]);
  expect(at('other.').labels).toEqual([]);
});
