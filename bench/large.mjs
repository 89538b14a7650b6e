/**
 * Measures how the cost of operations depends on the number of documents: databases of 1,000 to
 * 1,000,000 documents with unordered ids, filled in bulks of 1,000 and closed right after that.
 * Each phase is a separate Node process. Writes a plot to artefacts/large.svg. Needs a build.
 *
 * `node bench/large.mjs [number of documents ...]`
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixpoint } from 'fixpoint';
import { scatteredDocOf, scatteredIdOf, shuffled } from './documents.mjs';
import { bytesBelow } from './growth.mjs';
import { sizesPlot } from './growth-plot.mjs';
import { secondsOf } from './seconds.mjs';

const SIZES = [1000, 10_000, 100_000, 1_000_000];
const BULK = 1000;

const memory = () => process.resourceUsage().maxRSS / 1e3;

const PHASES = {
  fill: async (directory, count) => {
    const db = fixpoint('large', { directory });
    const seconds = await secondsOf(async () => {
      for (let from = 0; from < count; from += BULK)
        await db.bulk(
          Array.from({ length: Math.min(BULK, count - from) }, (_, n) => scatteredDocOf(from + n)),
        );
    });
    await db.close();
    return {
      'documents filled per second': count / seconds,
      'MB of memory to fill': memory(),
      'MB on disk': bytesBelow(directory) / 1e6,
    };
  },
  use: async (directory, count) => {
    const db = fixpoint('large', { directory });
    const open = await secondsOf(() => db.get(scatteredIdOf(17)));
    const order = shuffled(count).slice(0, 2000);
    const gets = await secondsOf(async () => {
      for (const n of order) await db.get(scatteredIdOf(n));
    });
    const puts = await secondsOf(async () => {
      for (const n of order.slice(0, 1000)) await db.put(scatteredDocOf(n, 1));
    });
    const head = await secondsOf(() => db.head());
    await db.close();
    return {
      'ms to open and get': open * 1000,
      'cold gets per second': order.length / gets,
      'awaited puts per second': Math.min(1000, order.length) / puts,
      'ms until the head contains them': head * 1000,
      'MB of memory to use': memory(),
    };
  },
  compact: async (directory) => {
    const db = fixpoint('large', { directory });
    const seconds = await secondsOf(() => db.compact());
    await db.close();
    return {
      's to compact': seconds,
      'MB after compaction': bytesBelow(directory) / 1e6,
      'MB of memory to compact': memory(),
    };
  },
  'use again': async (directory, count) => {
    const db = fixpoint('large', { directory });
    const open = await secondsOf(() => db.get(scatteredIdOf(17)));
    const order = shuffled(count).slice(0, 2000);
    const gets = await secondsOf(async () => {
      for (const n of order) await db.get(scatteredIdOf(n));
    });
    await db.close();
    return {
      'ms to open and get, compacted': open * 1000,
      'cold gets per second, compacted': order.length / gets,
    };
  },
  query: async (directory) => {
    const db = fixpoint('large', { directory });
    const first = await secondsOf(() => db.query('rank', { range: [50, 50] }));
    const range = await secondsOf(() => db.query('rank', { range: [51, 51] }));
    await db.close();
    return {
      's of the first query': first,
      'ms of a range': range * 1000,
      'MB of memory to query': memory(),
    };
  },
};

if (process.argv[2] === 'phase') {
  const [, , , name, directory, count] = process.argv;
  process.stdout.write(`${JSON.stringify(await PHASES[name](directory, Number(count)))}\n`);
  process.exit(0);
}

const sizes = process.argv.slice(2).map(Number);
const rows = new Map();
for (const count of sizes.length > 0 ? sizes : SIZES) {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-large-'));
  for (const name of Object.keys(PHASES)) {
    const done = spawnSync(
      process.execPath,
      [fileURLToPath(import.meta.url), 'phase', name, directory, String(count)],
      { encoding: 'utf8' },
    );
    const line = done.stdout.split('\n').find((text) => text.startsWith('{'));
    if (line === undefined) process.stderr.write(`${count} ${name} failed: ${done.stderr.slice(0, 500)}\n`);
    for (const [what, value] of Object.entries(JSON.parse(line ?? '{}'))) {
      process.stdout.write(`${count} ${what}: ${Number(value.toPrecision(3))}\n`);
      rows.set(what, [...(rows.get(what) ?? []), { at: count, value }]);
    }
  }
  rmSync(directory, { recursive: true, force: true });
}
mkdirSync('artefacts', { recursive: true });
writeFileSync(join('artefacts', 'large.svg'), sizesPlot(rows));
