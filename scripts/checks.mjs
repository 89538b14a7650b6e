/** The checks of `npm run check` and `npm test`. The summary counts each check as one test. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { bundleChecks } from './bundle-size.mjs';
import { bin, root, runBeside, tsc } from './ready.mjs';

const step = async (name, command, args) => {
  const started = Date.now();
  const { ok, output } = await runBeside(command, args, { quiet: true });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)\n`);
  if (!ok) process.stdout.write(output);
  return [{ passed: ok ? 1 : 0, failed: ok ? 0 : 1, failures: ok ? [] : [name] }];
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

/** The first lines of a message, without the codes that color it in a terminal. */
const firstLines = (message) =>
  (message ?? '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' codes start with one.
    .replace(/\u001B\[[\d;]*m/g, '')
    .split('\n')
    .slice(0, FAILURE_LINES)
    .join('\n      ');
const FAILURE_LINES = 6;

/** Failed tests of a report by Vitest, and files that failed outside of their tests. */
function failuresOf({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && status === 'failed') return [`${file}: ${firstLines(message)}`];
    return failed.map((test) => `${file}: ${test.fullName}\n      ${firstLines(test.failureMessages[0])}`);
  });
}

/**
 * Runs Vitest and returns the counts and the failures. A run that writes no report, or that has
 * errors outside of tests, counts as a failure.
 */
export async function runVitest(args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-tests-'));
  const file = join(folder, 'report.json');
  const started = Date.now();
  const { ok } = await runBeside(
    bin('vitest'),
    ['run', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    // A Vite build, which the bundle checks run, sets `NODE_ENV` to `production`. React has no
    // `act` in production.
    { env: { NODE_ENV: 'test', ...env } },
  );
  const time = `${args.join(' ')} took ${Math.round((Date.now() - started) / 1000)} s`;
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const failures = failuresOf(report);
    if (failures.length === 0 && !ok) failures.push(`${args.join(' ')}: an error outside of the tests`);
    return { passed: report.numPassedTests, failed: failures.length, failures, time };
  } catch (cause) {
    return { passed: 0, failed: 1, failures: [`vitest wrote no report: ${cause.message}`], time };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints times, failures and, as the last line, the counts. Returns the exit code. */
export function summary(results) {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  for (const { time } of results) if (time) process.stdout.write(`${time}\n`);
  for (const failure of results.flatMap(({ failures }) => failures))
    process.stdout.write(`FAIL  ${failure}\n`);
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
  return sum('failed') === 0 ? 0 : 1;
}
