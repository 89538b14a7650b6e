/**
 * Compares a prototype of a store in OPFS with IndexedDB, in Chromium. Measures awaited strict
 * puts, reads of an archive and opening, in the leader's tab and in a second tab.
 *
 * `node bench/opfs.mjs [rounds]`
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const ROUNDS = Number(process.argv[2] ?? 5);
const PUTS = 500;
const READS = 200;
const OPENS = 12;
/** The bytes of rows that the engine reads to open 10,000 documents: mostly the index of blocks. */
const OPEN_BYTES = 900_000;
const TYPES = { html: 'text/html', mjs: 'text/javascript' };

const server = createServer(({ url }, response) => {
  const name = url === '/' ? 'index.html' : url.slice(1);
  try {
    const bytes =
      name === 'index.html'
        ? '<!doctype html><link rel="icon" href="data:,"><script type="module" src="page.mjs"></script>'
        : readFileSync(join(import.meta.dirname, 'opfs', name));
    response.writeHead(200, { 'content-type': TYPES[name.split('.').at(-1)], 'cache-control': 'max-age=60' });
    response.end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}/`;
const profile = mkdtempSync(join(tmpdir(), 'fixpoint-bench-opfs-'));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});

const rows = new Map();
const add = (name, values) => {
  for (const [unit, value] of Object.entries(values)) {
    const key = `${name} | ${unit}`;
    rows.set(key, [...(rows.get(key) ?? []), value]);
  }
};
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

async function tab() {
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(() => 'bench' in window);
  return (name, ...args) => page.evaluate(([fn, given]) => window.bench[fn](...given), [name, args]);
}

try {
  const leader = await tab();
  const idb = await tab();
  const followers = { channel: await tab(), port: await tab() };
  await leader('lead');
  await followers.channel('follow', 'channel');
  await followers.port('follow', 'port');
  await leader('fillOpen', OPEN_BYTES);
  for (let round = 0; round <= ROUNDS; round++) {
    const measured = {
      'IndexedDB strict put': () => idb('idbPuts', PUTS, 'strict'),
      'OPFS put, own tab': () => leader('puts', PUTS),
      'OPFS put, second tab by BroadcastChannel': () => followers.channel('puts', PUTS),
      'OPFS put, second tab by MessagePort': () => followers.port('puts', PUTS),
      'IndexedDB relaxed put': () => idb('idbPuts', PUTS, 'relaxed'),
      'OPFS append and flush inside the worker': () => leader('appends', PUTS),
      'OPFS append over zeros inside the worker': () => leader('appends', PUTS, true),
      'message to the worker and back': () => leader('nothing', PUTS),
      'IndexedDB strict, 32 records per transaction': () => idb('idbGrouped', 50, 32, 'strict'),
      'OPFS, 32 waiting puts': () => leader('grouped', 50, 32),
      'OPFS, 32 waiting puts, second tab by BroadcastChannel': () => followers.channel('grouped', 50, 32),
      'IndexedDB read of 128 kB': () => idb('idbWhole', READS),
      'OPFS read of 128 kB': () => leader('parts', READS, 131_072),
      'OPFS read of 128 kB, second tab by BroadcastChannel': () => followers.channel('parts', READS, 131_072),
      'OPFS read of 128 kB, second tab by MessagePort': () => followers.port('parts', READS, 131_072),
      'OPFS read of 4 kB': () => leader('parts', READS, 4096),
      'OPFS read of 4 kB, second tab by BroadcastChannel': () => followers.channel('parts', READS, 4096),
      'OPFS read of 4 kB, second tab by MessagePort': () => followers.port('parts', READS, 4096),
    };
    // The first round only warms up the browser.
    for (const [name, run] of Object.entries(measured)) {
      const result = await run();
      if (round > 0) add(name, result);
    }
    for (let n = 0; n < OPENS; n++) {
      const page = await tab();
      const first = await page('openIdb');
      const again = await tab();
      const second = await again('open', true);
      const [inWorker, inPage] = [await (await tab())('openIdbInWorker'), await (await tab())('openInPage')];
      const port = await tab();
      const [third, fourth] = [await port('openFollowing', 'port'), await port('openFollowing', 'channel')];
      if (round === 0) continue;
      add('open IndexedDB', first);
      add('open OPFS', second);
      add('open IndexedDB in a worker', inWorker);
      add('read OPFS in the page', inPage);
      add('open second tab by MessagePort', third);
      add('open second tab by BroadcastChannel', fourth);
    }
    for (const page of context.pages().slice(5)) await page.close();
  }
  for (const [name, values] of rows) console.log(`${name}: ${median(values).toFixed(2)} (${values.length})`);
} finally {
  await context.close();
  server.close();
  rmSync(profile, { recursive: true, force: true });
}
