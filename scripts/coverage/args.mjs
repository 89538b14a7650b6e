/** What Vitest is told to count which branches of the code that must not lose or leak anything are taken, and to fail where one is not (R19). */
import { filesOf, ROOMS } from '../mutation/rooms.mjs';

const AT_LEAST = { lines: 94, branches: 98 };

/** @param rooms what is counted */
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
