/** `npm run check`: format, lint, types, bundle sizes, architecture and unit tests. The quick round before a commit. */

import { codeChecks, runVitest, summary } from './checks.mjs';
import { ensureExistingClient, ensureInstalled, requireNode } from './ready.mjs';

requireNode();
ensureInstalled();
// Its types: tests of interoperability are checked with the rest.
ensureExistingClient();
const results = await codeChecks();
results.push(
  await runVitest(['--project', 'unit', '--project', 'dom', '--maxWorkers=100%', '--pool=threads']),
);
process.exitCode = summary(results);
