import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { COPIES_KEY, copyOf } from './ledger-copies.ts';
import { isMovedCopy, moveCopy } from './move-copy.ts';

beforeEach(() => localStorage.clear());
afterEach(() => void vi.unstubAllGlobals());

test('gives each ledger a copy of its own', () => {
  expect([copyOf('z1'), copyOf('z2')]).toEqual(['cloud-ledger-z1', 'cloud-ledger-z2']);
  expect([isMovedCopy('z1'), isMovedCopy('constructor')]).toEqual([false, false]);
});

test('takes a copy along to the next ledger, and never uses it for the earlier one again', () => {
  moveCopy('z1', 'z2');
  expect([copyOf('z1'), copyOf('z2')]).toEqual(['cloud-ledger-z1-2', 'cloud-ledger-z1']);
  expect([isMovedCopy('z1'), isMovedCopy('z2')]).toEqual([false, true]);
  moveCopy('z2', 'z3');
  const copies = ['z1', 'z2', 'z3'].map(copyOf);
  expect(copies).toEqual(['cloud-ledger-z1-2', 'cloud-ledger-z2', 'cloud-ledger-z1']);
  // Back to the first ledger: its copy in between doesn't count any more.
  moveCopy('z3', 'z1');
  expect([copyOf('z1'), copyOf('z3')]).toEqual(['cloud-ledger-z1', 'cloud-ledger-z3']);
  expect(isMovedCopy('z1')).toBe(false);
});

test('ignores notes that are not names', () => {
  for (const text of ['{', 'null', '7', '{"z1":7}', '["z1"]']) {
    localStorage.setItem(COPIES_KEY, text);
    expect(copyOf('z1')).toBe('cloud-ledger-z1');
  }
});

test('moves nothing in a browser without storage', () => {
  const blocked = () => {
    throw new Error('blocked');
  };
  vi.stubGlobal('localStorage', { getItem: blocked, setItem: blocked });
  expect(() => moveCopy('z1', 'z2')).toThrow(expect.objectContaining({ code: 'STORE_FAILED' }));
  expect([copyOf('z1'), copyOf('z2')]).toEqual(['cloud-ledger-z1', 'cloud-ledger-z2']);
});
