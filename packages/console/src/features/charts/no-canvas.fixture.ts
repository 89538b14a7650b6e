import { vi } from 'vitest';

/** Lets charts draw in the test environment, which has no canvas. Nothing is visible. */
export function drawNothing(): void {
  const context = new Proxy({}, { get: () => () => ({ width: 0 }) });
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(context as never);
  vi.stubGlobal(
    'Path2D',
    class {
      rect() {}
    },
  );
}
