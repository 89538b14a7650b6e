/**
 * `npm test`: runs all tests. Installs what is missing, including a browser. Ends with `N passed, N
 * failed`. `test.mjs night` and `test.mjs release` use the larger budgets of docs/reliability.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeChecks, runVitest, summary } from './checks.mjs';
import { coverageArgs } from './coverage/args.mjs';
import {
  ensureBuilt,
  ensureChromium,
  ensureExistingClient,
  ensureInstalled,
  ensureOlderReact,
  requireNode,
} from './ready.mjs';
import { fastFolder, startServices, stopServices } from './services.mjs';

requireNode();
ensureInstalled();
ensureExistingClient();
ensureOlderReact();
const chromium = ensureChromium();
const results = await codeChecks();
ensureBuilt();
const services = await startServices();
const budget = process.argv[2] ?? 'commit';
// At night, all tests write to the disk.
const memory = budget === 'commit' ? mkdtempSync(join(fastFolder(), 'fixpoint-tests-')) : undefined;
const env = {
  ...services.env,
  ...(memory && { FIXPOINT_TEST_MEMORY: memory }),
  CHROMIUM_PATH: chromium,
  FIXPOINT_BUDGET: budget,
};
// Two lanes, each with one test file at a time: a third one made the run longer on two cores.
// Coverage is counted over a whole run.
const LANES = [
  ['simulated', ['processes', 'tables', 'mocked']],
  [['unit', 'dom', 'react-18', 'scale-out'], 'system'],
];
const argsOf = (projects) => [projects].flat().map((name) => `--project=${name}`);
const lanes = budget === 'commit' ? LANES.map((runs) => runs.map(argsOf)) : [[coverageArgs]];
const runLane = async (runs) => {
  for (const args of runs) results.push(await runVitest(args, env));
};
await Promise.all(lanes.map(runLane));
if (memory) rmSync(memory, { recursive: true, force: true });
if (services.isNew) stopServices();
// Printed last, so that a run without them doesn't look complete.
for (const line of services.missing)
  process.stdout.write(`NOT TESTED, because a service is missing: ${line}
`);
process.exitCode = summary(results);
