/** `npm run check`: format, lint, types, bundle sizes, architecture and unit tests. The quick round before a commit. */

import { bundleChecks } from './bundle-size.mjs';
import { codeChecks, runVitest, summary } from './checks.mjs';
import { ensureInstalled, requireNode } from './ready.mjs';

requireNode();
ensureInstalled();
const results = [...codeChecks(), ...(await bundleChecks())];
results.push(runVitest(['--project', 'unit']));
process.exitCode = summary(results);
