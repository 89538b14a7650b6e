/**
 * `npm run bench`: how fast the engine is on this machine, beside its peers and beside what the machine allows. Writes docs/benchmarks.md; `--quick` takes less
 * than three minutes and writes nothing but what it prints and artefacts/bench.json.
 */
import { ensureBuilt, ensureChromium, ensureInstalled, ensurePeers, requireNode } from './ready.mjs';

requireNode();
ensureInstalled();
ensurePeers();
const executablePath = ensureChromium();
ensureBuilt();
const { runBench } = await import('../bench/run.mjs');
const quick = process.argv.includes('--quick');
await runBench({ quick, executablePath, write: !quick });
