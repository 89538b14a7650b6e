import { afterAll, expect, vi } from 'vitest';

// Compares byte arrays with one native call. Vitest compares them as objects, property by property,
// which took several seconds of each test run.
expect.addEqualityTesters([
  (one, other) =>
    one instanceof Uint8Array && other instanceof Uint8Array && one.constructor === other.constructor
      ? Buffer.compare(one, other) === 0
      : undefined,
]);

// Vitest restores globals before each test. Without this, the modules of the next file would load
// with the globals that the last test of this file replaced.
afterAll(() => void vi.unstubAllGlobals());
