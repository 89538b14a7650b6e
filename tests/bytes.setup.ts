/**
 * Compares byte arrays with one native call. Vitest compares them as objects, property by property,
 * which took several seconds of each test run.
 */
import { expect } from 'vitest';

expect.addEqualityTesters([
  (one, other) =>
    one instanceof Uint8Array && other instanceof Uint8Array && one.constructor === other.constructor
      ? Buffer.compare(one, other) === 0
      : undefined,
]);
