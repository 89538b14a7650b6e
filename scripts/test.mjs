/**
 * `npm test`: runs all tests. Installs missing packages and the browser first. The last line is `N
 * passed, N failed`. `test.mjs night` and `test.mjs release` use the larger budgets of
 * docs/reliability.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeChecks, runVitest, summary } from './checks.mjs';
import { coverageArgs } from './coverage/args.mjs';
import { runOnOtherNodes } from './other-nodes.mjs';
import {
  ensureBuilt,
  ensureChromium,
  ensureExistingClient,
  ensureFirefox,
  ensureInstalled,
  ensureOlderReact,
  requireNode,
  root,
  runBeside,
} from './ready.mjs';
import { fastFolder, servicesRun, startServices, stopServices } from './services.mjs';

requireNode();
ensureInstalled();
ensureExistingClient();
ensureOlderReact();
const chromium = ensureChromium();
const isOwnServices = !(await servicesRun());
// In another process, because installing services waits for downloads and blocks its process.
const starting = runBeside(process.execPath, [join(root, 'scripts/services.mjs'), 'start'], { quiet: true });
const results = await codeChecks();
await ensureBuilt();
await starting;
const services = await startServices();
const budget = process.argv[2] ?? 'commit';
// The quick budget has no time for a second browser.
const firefox = budget === 'commit' ? undefined : ensureFirefox();
// Only the quick budget keeps test files in memory. The nightly and release runs write to the disk.
const memory = budget === 'commit' ? mkdtempSync(join(fastFolder(), 'fixpoint-tests-')) : undefined;
const env = {
  ...services.env,
  ...(memory && { FIXPOINT_TEST_MEMORY: memory }),
  CHROMIUM_PATH: chromium,
  ...(firefox && { FIREFOX_PATH: firefox }),
  FIXPOINT_BUDGET: budget,
};
// Two lanes run in parallel, each with one test file at a time. On two cores, a third lane would
// make the run longer. A lane that is free starts the next of these runs. The longest runs are
// first, so that both lanes end at about the same time. The other budgets use one lane, because one
// Vitest run must count the whole coverage.
const LANES = 2;
const RUNS = [
  ['system'],
  ['processes'],
  ['simulated'],
  ['unit'],
  ['dom', 'react-18'],
  ['tables', 'mocked'],
  // This project exists only with PostgreSQL.
  ...(env.FIXPOINT_TEST_POSTGRES === undefined ? [] : [['scale-out']]),
].map((projects) => projects.map((name) => `--project=${name}`));
const waiting = budget === 'commit' ? [...RUNS] : [coverageArgs];
const runLane = async () => {
  for (let args = waiting.shift(); args !== undefined; args = waiting.shift())
    results.push(await runVitest(args, env));
};
await Promise.all(Array.from({ length: LANES }, runLane));
const others = budget === 'commit' ? { results: [], missing: [] } : await runOnOtherNodes(env);
results.push(...others.results);
if (memory) rmSync(memory, { recursive: true, force: true });
if (isOwnServices) stopServices();
// These lines are printed last, so that a run without services doesn't look complete.
for (const line of [...services.missing, ...others.missing])
  process.stdout.write(`NOT TESTED, because it is missing: ${line}
`);
if (firefox === undefined && budget !== 'commit')
  process.stdout.write('NOT TESTED, because Firefox is missing: the console in Firefox\n');
process.exitCode = summary(results);
