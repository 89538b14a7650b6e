/**
 * `npm run check`: checks format, lint, types, bundle sizes and architecture, and runs the unit
 * tests. The quick check before a commit.
 */

import { codeChecks, runVitest, summary } from './checks.mjs';
import { ensureExistingClient, ensureInstalled, requireNode } from './ready.mjs';

requireNode();
ensureInstalled();
// Needed for its types, because interoperability tests are type-checked with the rest.
ensureExistingClient();
const results = await codeChecks();
results.push(
  await runVitest(['--project', 'unit', '--project', 'dom', '--maxWorkers=100%', '--pool=threads']),
);
process.exitCode = summary(results);
