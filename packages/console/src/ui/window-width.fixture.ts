import { vi } from 'vitest';

/** Lets the window be as wide as a desktop, or not, from now on. End it with `unstubAllGlobals`. */
export function widthOfWindow(isWide: boolean): void {
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: isWide && query === '(width >= 80rem)',
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
}
