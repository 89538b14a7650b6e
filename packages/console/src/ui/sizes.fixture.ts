import { afterEach, beforeEach, vi } from 'vitest';

/** Gives every element a size, which lists need that render only the rows in view. */
export function withSizes(px = 1000): void {
  beforeEach(() => {
    for (const side of ['offsetHeight', 'offsetWidth', 'clientHeight', 'clientWidth'] as const)
      vi.spyOn(HTMLElement.prototype, side, 'get').mockReturnValue(px);
  });
  afterEach(() => void vi.restoreAllMocks());
}
