/**
 * Measures how the cost of operations changes as a database grows: time, bytes and memory over a
 * long sequence of operations. Runs in Node with strict durability.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from 'fixpoint';
import { documentOf, idOf } from './documents.mjs';

const now = () => performance.now();
const POINTS = 50;

export function bytesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Runs the operations, and measures them in windows of equal size. */
async function curve(directory, count, operation) {
  const window = Math.ceil(count / POINTS);
  const points = [];
  for (let from = 0; from < count; from += window) {
    const times = [];
    for (let n = from; n < Math.min(count, from + window); n++) {
      const started = now();
      await operation(n);
      times.push(now() - started);
    }
    times.sort((a, b) => a - b);
    points.push({
      at: from + times.length,
      meanMs: times.reduce((sum, time) => sum + time, 0) / times.length,
      p99Ms: times[Math.floor(times.length * 0.99)],
      megabytes: bytesBelow(directory) / 1e6,
      rssMb: process.memoryUsage.rss() / 1e6,
    });
  }
  return points;
}

async function openedMs(directory) {
  const started = now();
  const db = fixpoint('growth', { directory });
  await db.get(idOf(1)).catch(() => undefined);
  const ms = now() - started;
  await db.close();
  return ms;
}

const SCENARIOS = {
  puts: async (db, directory, { puts }) => curve(directory, puts, (n) => db.put(documentOf(n))),
  updates: async (db, directory, { updates }) => curve(directory, updates, (n) => db.put(documentOf(1, n))),
  deletes: async (db, directory, { deletes }) => {
    for (let from = 0; from < deletes; from += 1000)
      await db.bulk(Array.from({ length: 1000 }, (_, n) => documentOf(from + n)));
    return curve(directory, deletes, (n) => db.del(idOf(n)));
  },
  'attachments of 1 MB': async (db, directory, { attachments }) =>
    curve(directory, attachments, (n) => db.put({ _id: idOf(n), _files: { data: attachmentOf(n) } })),
  'openings and closings': async (_db, directory, { openings }) => {
    const options = { directory: join(directory, 'opened') };
    const filled = fixpoint('opened', options);
    await filled.bulk(Array.from({ length: 10_000 }, (_, n) => documentOf(n)));
    await filled.close();
    return curve(directory, openings, async (n) => {
      const opened = fixpoint('opened', options);
      await opened.get(idOf(n));
      await opened.put(documentOf(n, 1));
      await opened.close();
    });
  },
};

const MEGABYTE = 1_000_000;
const BYTES_AT_ONCE = 65_536;

function attachmentOf(n) {
  const bytes = new Uint8Array(MEGABYTE);
  for (let from = 0; from < MEGABYTE; from += BYTES_AT_ONCE)
    crypto.getRandomValues(bytes.subarray(from, from + BYTES_AT_ONCE));
  return new File([bytes], `${n}.bin`, { type: 'application/octet-stream' });
}

/**
 * Runs a scenario. Returns its curve, the size of the database after compaction, and the time to
 * open the database.
 */
export async function grow(name, sizes) {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-growth-'));
  try {
    const db = fixpoint('growth', { directory });
    await db.ready();
    const points = await SCENARIOS[name](db, directory, sizes);
    await db.compact();
    await db.close();
    return { name, points, compactedMb: bytesBelow(directory) / 1e6, openMs: await openedMs(directory) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export const GROWTH = Object.keys(SCENARIOS);

/** Returns how much slower the last tenth of the windows is than the first tenth. */
export function slowdown({ points }) {
  const tenth = Math.max(1, Math.floor(points.length / 10));
  const mean = (some) => some.reduce((sum, { meanMs }) => sum + meanMs, 0) / some.length;
  return mean(points.slice(-tenth)) / mean(points.slice(0, tenth));
}
