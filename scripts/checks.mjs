/** The checks of `npm run check` and `npm test`. The summary counts each check as one test. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleChecks } from './bundle-size.mjs';
import { bin, runBeside, tsc } from './ready.mjs';

const step = async (name, command, args) => {
  const started = Date.now();
  const { ok, output } = await runBeside(command, args, { quiet: true });
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`);
  if (!ok) process.stdout.write(output);
  return [{ passed: ok ? 1 : 0, failed: ok ? 0 : 1 }];
};

/**
 * Checks the types of sources and tests. Checks format, lint and bundle sizes in parallel with the
 * types, since each check uses one processor.
 */
export async function codeChecks() {
  const lanes = [
    [() => step('types', tsc, ['-b']), () => step('types of the tests', tsc, ['-p', 'tsconfig.tests.json'])],
    [() => step('format and lint', bin('biome'), ['check', '--max-diagnostics=50', '.'])],
    [
      () => step('unused exports, files and packages', bin('knip'), ['--no-config-hints', '--cache']),
      bundleChecks,
    ],
  ];
  const results = [];
  const runLane = async (lane) => {
    for (const check of lane) results.push(...(await check()));
  };
  await Promise.all(lanes.map(runLane));
  return results;
}

/**
 * Runs Vitest and returns the counts. A run that writes no report, or that has errors outside of
 * tests, counts as a failure.
 */
export async function runVitest(args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-tests-'));
  const report = join(folder, 'report.json');
  const { ok } = await runBeside(
    bin('vitest'),
    ['run', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    // A Vite build, which the bundle checks run, sets `NODE_ENV` to `production`. React has no
    // `act` in production.
    { env: { NODE_ENV: 'test', ...env } },
  );
  let counts = { passed: 0, failed: 1 };
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
    const failed = numFailedTests > 0 ? numFailedTests : numFailedTestSuites;
    counts = { passed: numPassedTests, failed: failed === 0 && !ok ? 1 : failed };
  } catch (cause) {
    process.stdout.write(`vitest wrote no report: ${cause.message}
`);
  }
  rmSync(folder, { recursive: true, force: true });
  return counts;
}

/** Prints the last line and returns the exit code. */
export function summary(results) {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
  return sum('failed') === 0 ? 0 : 1;
}
