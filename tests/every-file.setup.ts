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

/** Timeout of waits in ms. Long, because machines can be busy: Vitest's own second isn't enough. */
const PATIENCE_MS = 60_000;

// This file runs once for each test file of a process, so it keeps the original functions.
const kept = globalThis as { waits?: Pick<typeof vi, 'waitFor' | 'waitUntil'> };
kept.waits ??= { waitFor: vi.waitFor, waitUntil: vi.waitUntil };
const { waitFor, waitUntil } = kept.waits;
const patient = <Options extends object>(options: number | Options | undefined) =>
  typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options };
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
