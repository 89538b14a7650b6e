import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useIsNarrow } from './use-is-narrow.ts';

afterEach(() => void vi.unstubAllGlobals());

describe('a narrow window', () => {
  const listeners = new Set<() => void>();
  let isNarrow = false;
  beforeEach(() => {
    isNarrow = false;
    vi.stubGlobal('matchMedia', (query: string) => ({
      matches: isNarrow && query === '(width < 40rem)',
      addEventListener: (_type: string, listener: () => void) => listeners.add(listener),
      removeEventListener: (_type: string, listener: () => void) => listeners.delete(listener),
    }));
  });
  const become = (is: boolean) =>
    act(() => {
      isNarrow = is;
      for (const listener of listeners) listener();
    });

  test('is noticed when the window changes, for example when a phone is turned', () => {
    const { result } = renderHook(useIsNarrow);
    expect(result.current).toBe(false);
    become(true);
    expect(result.current).toBe(true);
    become(false);
    expect(result.current).toBe(false);
  });

  test('is known at the first render', () => {
    isNarrow = true;
    expect(renderHook(useIsNarrow).result.current).toBe(true);
  });

  test('stops watching after the table is closed', () => {
    const { unmount } = renderHook(useIsNarrow);
    expect(listeners.size).toBe(1);
    unmount();
    expect(listeners.size).toBe(0);
  });
});
