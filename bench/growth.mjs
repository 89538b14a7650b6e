/** How cost changes as a database grows: time per operation, bytes and memory after each thousand operations. Node, strict. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from 'fixpoint';
import { documentOf, idOf } from './documents.mjs';

const now = () => performance.now();

function bytesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Does `count` operations, one after another, and measures each window of them. */
async function curve(directory, count, window, operation) {
  const db = fixpoint('growth', { directory });
  await db.ready();
  const points = [];
  for (let from = 0; from < count; from += window) {
    const times = [];
    for (let n = from; n < from + window; n++) {
      const started = now();
      await operation(db, n);
      times.push(now() - started);
    }
    times.sort((a, b) => a - b);
    points.push({
      at: from + window,
      meanMs: times.reduce((sum, time) => sum + time, 0) / window,
      p99Ms: times[Math.floor(window * 0.99)],
      bytes: bytesBelow(directory),
      rssMb: process.memoryUsage.rss() / 1e6,
    });
  }
  await db.close();
  const started = now();
  const again = fixpoint('growth', { directory });
  await again.get(idOf(0)).catch(() => undefined);
  const openMs = now() - started;
  await again.close();
  return { points, openMs };
}

export const GROWTH = {
  puts: (directory, { puts }) => curve(directory, puts, puts / 100, (db, n) => db.put(documentOf(n))),
  updates: (directory, { updates }) =>
    curve(directory, updates, updates / 20, (db, n) => db.put(documentOf(0, n))),
};

export async function growth(sizes, names = Object.keys(GROWTH)) {
  const results = {};
  for (const name of names) {
    const directory = mkdtempSync(join(tmpdir(), 'fixpoint-growth-'));
    results[name] = await GROWTH[name](directory, sizes);
    rmSync(directory, { recursive: true, force: true });
  }
  return results;
}
