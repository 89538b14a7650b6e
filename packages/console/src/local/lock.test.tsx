import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { setLocked, useIsLocked } from './lock.ts';

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const lockOf = (database: string) => renderHook(() => useIsLocked(database)).result;
const lock = (database: string, isOn: boolean) => act(() => setLocked(database, isOn));

describe('the lock of a database', () => {
  test('takes effect at once, and only for this database', () => {
    const [notes, shop] = [lockOf('notes'), lockOf('shop')];
    expect([notes.current, shop.current]).toEqual([false, false]);
    lock('notes', true);
    expect([notes.current, shop.current]).toEqual([true, false]);
    lock('notes', false);
    expect(notes.current).toBe(false);
  });

  test('remains after the page is closed', () => {
    lock('notes', true);
    expect(lockOf('notes').current).toBe(true);
  });

  test('changes when another tab locks the database', () => {
    const notes = lockOf('notes');
    localStorage.setItem('fixpoint:locked:notes', 'yes');
    act(() => void window.dispatchEvent(new Event('storage')));
    expect(notes.current).toBe(true);
  });

  test('works without storage while the page is open', () => {
    const refuse = () => {
      throw new DOMException('denied', 'SecurityError');
    };
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(refuse);
    vi.spyOn(Storage.prototype, 'removeItem').mockImplementation(refuse);
    vi.spyOn(Storage.prototype, 'getItem').mockImplementation(refuse);
    const notes = lockOf('notes');
    lock('notes', true);
    expect(notes.current).toBe(true);
    lock('notes', false);
    expect(notes.current).toBe(false);
  });
});
