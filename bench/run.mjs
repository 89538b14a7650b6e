/** Runs all products in turn, several rounds, and writes tables of medians and ratios. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { runInChromium } from './browser/run.mjs';
import { runInNode } from './node/run.mjs';
import { createResults } from './results.mjs';

const QUICK = { rounds: 1, size: { puts: 500, documents: 2000 } };
const FULL = { rounds: 3, size: { puts: 3000, documents: 10_000 } };

/** @param executablePath the browser */
export async function runBench({ quick, executablePath, write }) {
  const { rounds, size } = quick ? QUICK : FULL;
  const results = createResults();
  const started = Date.now();
  const note = (text) => process.stderr.write(`${Math.round((Date.now() - started) / 1000)} s  ${text}\n`);
  runInNode({ rounds, size, results, note });
  await runInChromium({ executablePath, rounds, size, results, note });
  const about = { node: process.version, processors: cpus().length, rounds, size };
  const page = pageOf(results, about);
  process.stdout.write(page);
  mkdirSync('artefacts', { recursive: true });
  writeFileSync(join('artefacts', 'bench.json'), `${JSON.stringify(results.toJson(about), null, 2)}\n`);
  if (write) writeFileSync(join('docs', 'benchmarks.md'), page);
}

const pageOf = (results, { node, processors, rounds, size }) => `# Benchmarks

Written by \`npm run bench\`: ${rounds} round(s) on ${processors} processors, Node ${node}; ${size.puts} puts, ${size.documents} documents of about 200 bytes. All
products run in turn within each round. A cell has the median, in brackets the ratio to the first product of its row, and how far the rounds spread.
Absolute figures of a shared machine drift; ratios within a run are what counts. Fixpoint is encrypted and content-addressed, and keeps history, in both
columns; _strict_ means fsync in Node and \`{durability: "strict"}\` in IndexedDB.

${results.toMarkdown()}`;
