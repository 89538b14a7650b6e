/**
 * `npm run check`: the quick check before a commit. Checks format, lint, types, bundle sizes and
 * architecture, and runs the unit and DOM tests, without the long ones and with fewer generated
 * inputs.
 */

import { codeChecks, runVitest, summary } from './checks.mjs';
import { ensureExistingClient, ensureInstalled, requireNode } from './ready.mjs';

requireNode();
ensureInstalled();
// The interoperability tests are type-checked too, so the types of this client must be installed.
ensureExistingClient();
// Run in parallel, because neither keeps all processors busy all the time.
const [checks, tests] = await Promise.all([
  codeChecks(),
  runVitest(['--project', 'unit', '--project', 'dom', '--maxWorkers=100%', '--pool=threads'], {
    FIXPOINT_BUDGET: 'check',
  }),
]);
process.exitCode = summary([...checks, tests]);
