/** `npm run check`: format, lint, types, architecture and unit tests. The quick round before a commit. */

import { codeChecks, runVitest, summary } from './checks.mjs';
import { ensureInstalled, requireNode } from './ready.mjs';

requireNode();
ensureInstalled();
const results = codeChecks();
results.push(runVitest(['--project', 'unit']));
process.exitCode = summary(results);
