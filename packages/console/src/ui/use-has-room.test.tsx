import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { useHasRoom } from './use-is-narrow.ts';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('follows the width of the window', () => {
  const listeners = new Set<() => void>();
  const asked: string[] = [];
  let hasRoom = true;
  vi.stubGlobal('matchMedia', (query: string) => {
    asked.push(query);
    return {
      matches: hasRoom,
      addEventListener: (_type: string, listener: () => void) => listeners.add(listener),
      removeEventListener: (_type: string, listener: () => void) => listeners.delete(listener),
    };
  });
  const { result, unmount } = renderHook(useHasRoom);
  expect([result.current, new Set(asked)]).toEqual([true, new Set(['(width >= 64rem)'])]);
  hasRoom = false;
  act(() => {
    for (const listener of listeners) listener();
  });
  expect(result.current).toBe(false);
  unmount();
  expect(listeners.size).toBe(0);
});
