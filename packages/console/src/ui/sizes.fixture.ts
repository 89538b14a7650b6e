import { afterEach, beforeEach, vi } from 'vitest';

/** Gives every element a size. Lists that render only the rows in view need sizes. */
export function withSizes(px = 1000): void {
  beforeEach(() => {
    for (const side of ['offsetHeight', 'offsetWidth', 'clientHeight', 'clientWidth'] as const)
      vi.spyOn(HTMLElement.prototype, side, 'get').mockReturnValue(px);
  });
  afterEach(() => void vi.restoreAllMocks());
}
