/**
 * Measures the cost of a table over a big database in Node: the first window, windows anywhere,
 * counts, filter and sort. Needs a build.
 *
 * `node bench/rows.mjs [documents]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from 'fixpoint';
import { rowsOf } from 'fixpoint/rows';
import { documentOf, idOf, shuffled } from './documents.mjs';

const count = Number(process.argv[2] ?? 100_000);
const directory = mkdtempSync(join(tmpdir(), 'fixpoint-rows-'));

/** Measures the longest time that the event loop was blocked. */
function watchStops() {
  let longest = 0;
  let last = performance.now();
  let stopped = false;
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!stopped) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    stopped = true;
    return longest;
  };
}

async function measured(name, work) {
  const stop = watchStops();
  const started = performance.now();
  const result = await work();
  const ms = performance.now() - started;
  process.stdout.write(`${name}: ${ms.toFixed(1)} ms, longest stop ${stop().toFixed(1)} ms\n`);
  return result;
}

async function drained(parts) {
  let sum = 0;
  for await (const part of parts) sum += part.length;
  return sum;
}

try {
  const filling = fixpoint('rows', { directory });
  for (let from = 0; from < count; from += 5000)
    await filling.bulk(Array.from({ length: Math.min(5000, count - from) }, (_, n) => documentOf(from + n)));
  await filling.close();

  const db = fixpoint('rows', { directory });
  const rows = rowsOf(db);
  await measured('open and first window', () => rows.window({ limit: 50 }));
  await measured('count', () => rows.count());
  await measured('window in the middle', () => rows.window({ offset: count / 2, limit: 50 }));
  const places = shuffled(1000).map((n) => Math.floor((n * count) / 1000));
  await measured('1,000 windows anywhere', async () => {
    for (const offset of places) await rows.window({ offset, limit: 50 });
  });
  await measured('1,000 windows, one after another', async () => {
    let after = idOf(Math.floor(count / 3));
    for (let n = 0; n < 1000; n++) after = (await rows.window({ after, limit: 50 })).rows.at(-1)?.id ?? '';
  });
  await measured('fields', () => rows.fields());
  await db.put(documentOf(7, 1));
  await measured('fields after a change', () => rows.fields());
  await measured('window after a change', () => rows.window({ offset: count / 2, limit: 50 }));
  await measured('filter by a text in any field', () =>
    drained(rows.find({ texts: [{ text: 'author-42' }] })),
  );
  await measured('filter: first 50', () => drained(rows.find({ texts: [{ text: 'author-42' }], limit: 50 })));
  await measured('sort by a number', () => drained(rows.find({ sort: 'rank', descending: true })));
  await measured('sort by a text', () => drained(rows.find({ sort: 'title' })));
  await measured('scan of all documents', () => drained(rows.scan()));
  process.stdout.write(`memory: ${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB\n`);
  await db.close();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
