/**
 * `npm run bench`: compares the speed of the engine with other products and with the limits of this
 * machine. Writes docs/benchmarks.md. `--quick` takes less than three minutes, and writes only
 * artefacts/bench.json.
 */
import { ensureBuilt, ensureChromium, ensureInstalled, ensurePeers, requireNode } from './ready.mjs';

const HELP = `npm run bench             runs the whole benchmark and writes docs/benchmarks.md
npm run bench -- --quick  takes less than three minutes and writes only artefacts/bench.json
`;
const options = process.argv.slice(2);
if (options.some((option) => option !== '--quick')) {
  const isHelp = options.includes('--help');
  process[isHelp ? 'stdout' : 'stderr'].write(HELP);
  process.exit(isHelp ? 0 : 1);
}

requireNode();
ensureInstalled();
ensurePeers();
const executablePath = ensureChromium();
await ensureBuilt();
const { runBench } = await import('../bench/run.mjs');
const quick = options.includes('--quick');
await runBench({ quick, executablePath, write: !quick });
