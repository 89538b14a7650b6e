/**
 * Arguments with which Vitest counts the branches of the critical code, which must not lose or leak
 * anything, and fails if one isn't taken (R19).
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
