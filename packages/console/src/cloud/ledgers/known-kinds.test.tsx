import { beforeEach, expect, test, vi } from 'vitest';
import { forgetKind, knownKind, rememberKind } from './known-kinds.ts';

beforeEach(() => {
  forgetKind('l1');
  localStorage.clear();
});

test('[S16] returns the kind that the user chose at creation, whatever kind the server lists later', () => {
  rememberKind('l1', 'sealed');
  expect(knownKind({ ledgerId: 'l1', kind: 'open-key' })).toBe('sealed');
  expect(knownKind({ ledgerId: 'l1' })).toBe('sealed');
  expect(knownKind({ ledgerId: 'l2' })).toBeUndefined();
});

test('[S16] remembers the first kind that the server lists', () => {
  expect(knownKind({ ledgerId: 'l1' })).toBeUndefined();
  expect(knownKind({ ledgerId: 'l1', kind: 'sealed' })).toBe('sealed');
  expect(knownKind({ ledgerId: 'l1', kind: 'open-key' })).toBe('sealed');
  expect(localStorage.getItem('fixpoint:kind:l1')).toBe('sealed');
  forgetKind('l1');
  expect(knownKind({ ledgerId: 'l1', kind: 'open-key' })).toBe('open-key');
});

test('[S16] remembers a kind while the page is open in a browser without storage', () => {
  const blocked = () => {
    throw new Error('blocked');
  };
  vi.stubGlobal('localStorage', { getItem: blocked, setItem: blocked, removeItem: blocked });
  expect(knownKind({ ledgerId: 'l1' })).toBeUndefined();
  rememberKind('l1', 'sealed');
  expect(knownKind({ ledgerId: 'l1', kind: 'open-key' })).toBe('sealed');
  forgetKind('l1');
  expect(knownKind({ ledgerId: 'l1', kind: 'open-key' })).toBe('open-key');
});

test('[S16] ignores a stored text that isn’t a kind', () => {
  localStorage.setItem('fixpoint:kind:l1', 'constructor');
  expect(knownKind({ ledgerId: 'l1' })).toBeUndefined();
  expect(knownKind({ ledgerId: 'l1', kind: 'open-key' })).toBe('open-key');
});
