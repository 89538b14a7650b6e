/**
 * `npm run bench`: compares the speed of the engine with other products and with the limits of this
 * machine. Writes docs/benchmarks.md. `--quick` takes less than three minutes, and writes only
 * artefacts/bench.json.
 */
import { ensureBuilt, ensureChromium, ensureInstalled, ensurePeers, requireNode } from './ready.mjs';

requireNode();
ensureInstalled();
ensurePeers();
const executablePath = ensureChromium();
await ensureBuilt();
const { runBench } = await import('../bench/run.mjs');
const quick = process.argv.includes('--quick');
await runBench({ quick, executablePath, write: !quick });
