/** `npm run bench`: how fast the engine is on this machine, beside what the machine allows. `--quick` for a short run. */
import { ensureBuilt, ensureInstalled, requireNode } from './ready.mjs';

requireNode();
ensureInstalled();
ensureBuilt();
const { runBench } = await import('../bench/run.mjs');
await runBench({ quick: process.argv.includes('--quick') });
