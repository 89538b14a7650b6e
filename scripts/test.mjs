/**
 * `npm test`: everything. Installs what is missing, also a browser; ends with `N passed, N failed`. `test.mjs night` and `test.mjs release` run it with the
 * larger budgets of docs/reliability.md.
 */
import { bundleChecks } from './bundle-size.mjs';
import { codeChecks, runVitest, summary } from './checks.mjs';
import {
  ensureBuilt,
  ensureChromium,
  ensureExistingClient,
  ensureInstalled,
  ensureOlderReact,
  requireNode,
} from './ready.mjs';

requireNode();
ensureInstalled();
ensureExistingClient();
ensureOlderReact();
const chromium = ensureChromium();
const results = [...codeChecks(), ...(await bundleChecks())];
ensureBuilt();
results.push(runVitest([], { CHROMIUM_PATH: chromium, FIXPOINT_BUDGET: process.argv[2] ?? 'commit' }));
process.exitCode = summary(results);
