import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { moveQueryDraft, readQueryDraft, writeQueryDraft } from './query-draft.ts';

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
});
afterEach(() => void vi.unstubAllGlobals());

test('removes the draft of a new query when it is saved', () => {
  writeQueryDraft('db', undefined, 'saved text');
  moveQueryDraft('db', undefined, 'q1', 'saved text');
  expect([readQueryDraft('db', undefined), readQueryDraft('db', 'q1')]).toEqual([undefined, undefined]);
});

test('keeps text typed during a save as a draft of the saved query', () => {
  writeQueryDraft('db', undefined, 'saved text and more');
  moveQueryDraft('db', undefined, 'q1', 'saved text');
  expect([readQueryDraft('db', undefined), readQueryDraft('db', 'q1')]).toEqual([
    undefined,
    'saved text and more',
  ]);
});

test('keeps text typed during another save of a saved query', () => {
  writeQueryDraft('db', 'q1', 'newer');
  moveQueryDraft('db', 'q1', 'q1', 'saved text');
  expect(readQueryDraft('db', 'q1')).toBe('newer');
});
