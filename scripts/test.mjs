/** `npm test`: everything. Installs what is missing, also a browser; ends with `N passed, N failed`. */
import { codeChecks, runVitest, summary } from './checks.mjs';
import { ensureBuilt, ensureChromium, ensureInstalled, requireNode } from './ready.mjs';

requireNode();
ensureInstalled();
const chromium = ensureChromium();
const results = codeChecks();
ensureBuilt();
results.push(runVitest([], { CHROMIUM_PATH: chromium }));
process.exitCode = summary(results);
