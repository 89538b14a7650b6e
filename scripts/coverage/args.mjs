/**
 * Vitest arguments that count the branches of the critical code, which is the code that could lose
 * or leak data. With them, Vitest fails if a branch isn't covered (R19).
 */
import { filesOf, ROOMS } from '../mutation/rooms.mjs';

const AT_LEAST = { lines: 94, branches: 98 };

/** @param rooms the rooms to count */
export const countArgs = (rooms) => [
  '--coverage.enabled',
  '--coverage.provider=v8',
  '--coverage.reportOnFailure',
  ...rooms.flatMap(filesOf).map((path) => `--coverage.include=${path}`),
];

export const coverageArgs = [
  ...countArgs(ROOMS),
  '--coverage.reporter=text',
  ...Object.entries(AT_LEAST).map(([what, share]) => `--coverage.thresholds.${what}=${share}`),
];
