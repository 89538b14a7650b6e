import { act, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { useIsWide } from './use-is-wide.ts';

afterEach(() => void vi.unstubAllGlobals());

test('follows the width of the window until the page is left', () => {
  const listeners = new Set<() => void>();
  let matches = false;
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: matches && query === '(width >= 80rem)',
    addEventListener: (_type: string, listener: () => void) => listeners.add(listener),
    removeEventListener: (_type: string, listener: () => void) => listeners.delete(listener),
  }));
  const { result, unmount } = renderHook(useIsWide);
  expect(result.current).toBe(false);
  matches = true;
  act(() => {
    for (const listener of listeners) listener();
  });
  expect(result.current).toBe(true);
  unmount();
  expect(listeners.size).toBe(0);
});
