/** Runs all products in turn for several rounds, and writes tables of medians and ratios. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { addBundles } from './browser/bundles.mjs';
import { runInChromium } from './browser/run.mjs';
import { runWithCloud } from './cloud/run.mjs';
import { slowdown } from './growth.mjs';
import { growthPlot } from './growth-plot.mjs';
import { addLimits } from './node/limits.mjs';
import { growInNode, runInNode } from './node/run.mjs';
import { createResults } from './results.mjs';

const QUICK = {
  rounds: 1,
  size: { puts: 500, documents: 1000 },
  sizes: { puts: 5000, updates: 2000, deletes: 1000, attachments: 20, openings: 10 },
  cloud: {
    documents: 1000,
    changes: 50,
    seconds: 2,
    sockets: 200,
    idle: 500,
    turns: 20,
    apart: [{ databases: 2, documents: 20 }],
  },
};
const FULL = {
  rounds: 3,
  size: { puts: 3000, documents: 10_000 },
  sizes: { puts: 100_000, updates: 10_000, deletes: 1000, attachments: 100, openings: 50 },
  cloud: {
    documents: 10_000,
    changes: 300,
    seconds: 5,
    sockets: 1000,
    idle: 9000,
    turns: 200,
    apart: [
      { databases: 4, documents: 20 },
      { databases: 16, documents: 20 },
      { databases: 16, documents: 1000 },
    ],
  },
};

/** @param executablePath path of the browser */
export async function runBench({ quick, executablePath, write }) {
  const { rounds, size, sizes, cloud } = quick ? QUICK : FULL;
  const results = createResults();
  const started = Date.now();
  const note = (text) => process.stderr.write(`${Math.round((Date.now() - started) / 1000)} s  ${text}\n`);
  runInNode({ rounds, size, results, note });
  addLimits({ rounds, results, note });
  await addBundles(results, note);
  await runInChromium({ executablePath, rounds, size, results, note });
  await runWithCloud({ rounds, cloud, results, note });
  const scenarios = growInNode({ sizes, note });
  const about = { node: process.version, processors: cpus().length, rounds, size };
  const page = pageOf(results, scenarios, about);
  process.stdout.write(page);
  mkdirSync('artefacts', { recursive: true });
  writeFileSync(
    join('artefacts', 'bench.json'),
    `${JSON.stringify(results.toJson({ ...about, scenarios }), null, 2)}\n`,
  );
  writeFileSync(join('artefacts', 'growth.svg'), growthPlot(scenarios));
  if (!write) return;
  writeFileSync(join('docs', 'benchmarks.md'), page);
  writeFileSync(join('docs', 'growth.svg'), growthPlot(scenarios));
}

const pageOf = (results, scenarios, { node, processors, rounds, size }) => `# Benchmarks

Written by \`npm run bench\`: ${rounds} round(s) on ${processors} processors, Node ${node}; ${size.puts} puts,
${size.documents} documents of about 200 bytes. Each round runs all products one after another.

Each cell shows the median of the rounds, then in brackets its ratio to the first product of the
row, then half the difference between the highest and the lowest round. On a shared machine,
absolute figures change from run to run, so compare ratios within a run. In both of its columns,
Fixpoint encrypts data, addresses it by content and keeps the history. _Strict_ means fsync in Node
and \`{durability: "strict"}\` in IndexedDB.

This machine encodes dag-cbor and hashes x${results.speed().toPrecision(2)} as fast as the machine on which the targets were set.
If a target is missed, _scaled_ is the figure that we would expect on that machine.

${results.toMarkdown()}
## Growth

Fixpoint strict in Node, one operation after another. _Slower_ compares the last tenth of the
operations with the first. The curves are in [growth.svg](growth.svg).

${growthTable(scenarios)}`;

function growthTable(scenarios) {
  const cells = scenarios.map((scenario) => {
    const { name, points, compactedMb, openMs } = scenario;
    const last = points.at(-1);
    const most = (field) => Math.max(...points.map((point) => point[field]));
    return [
      `${last.at.toLocaleString('en-US')} ${name}`,
      `${last.meanMs.toPrecision(3)} ms`,
      `x${slowdown(scenario).toPrecision(2)}`,
      `${most('megabytes').toPrecision(3)} MB`,
      `${compactedMb.toPrecision(3)} MB`,
      `${Math.round(most('rssMb'))} MB`,
      `${openMs.toPrecision(3)} ms`,
    ];
  });
  const head = [
    '',
    'last operations',
    'slower',
    'most on disk',
    'after compaction',
    'most memory',
    'open and get',
  ];
  return `${[head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`;
}
