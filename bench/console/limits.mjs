/**
 * Measures the console with many columns, huge values, a stream of changes and a long history, in
 * Debian's Chromium. Budgets are for an idle machine; the time of idle frames shows how busy the
 * machine is.
 *
 * `node bench/console/limits.mjs [--quick | --wide] [part ...]`
 *
 * With `--wide`, the test with 200 fields imports as many documents as the others, which takes
 * minutes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import {
  afterFrames,
  drawing,
  framesAtRest,
  longestFrame,
  putOneByOne,
  recordDrawing,
  recordFrames,
  scrollFrames,
  seenAfter,
  watchFor,
} from './in-page.mjs';
import { at, startProduct } from './product.mjs';

const quick = process.argv.includes('--quick');
const DOCS = quick ? 10_000 : 100_000;
const WIDE = quick ? 2000 : process.argv.includes('--wide') ? DOCS : 20_000;
/** Documents per import file. An import reads the whole file before it writes. */
const IMPORTED = 20_000;
const COMMITS = quick ? 2000 : 100_000;
const CHANGES = 4000;
/** Number of concurrent writes, which is enough for more than 1,000 changes per second. */
const IN_FLIGHT = 32;
let isFilled = false;
const COLUMNS = 200;
const folder = mkdtempSync(join(tmpdir(), 'fixpoint-console-limits-'));
const count = (number) => number.toLocaleString('en');

/** @param budget the largest value that is within the budget; `undefined` for no budget */
function result(name, value, unit, budget) {
  const over = budget === undefined ? '' : value > budget ? `, over ${budget}` : `, within ${budget}`;
  process.stdout.write(`${name}: ${value} ${unit}${over}\n`);
}

const product = await startProduct(folder);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--enable-precise-memory-info'],
});
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(590_000);
  await page.goto(`${product.url}/fp/databases`);
  const atRest = await page.evaluate(framesAtRest, 178);
  result('frame at rest, p95', at(atRest, 0.95), 'ms', undefined);
  const parts = { manyColumns, hugeValues, search, changes, longHistory, bigVersions };
  const chosen = process.argv.slice(2).filter((name) => Object.hasOwn(parts, name));
  for (const [name, part] of Object.entries(parts))
    if (chosen.length === 0 || chosen.includes(name)) await part(page);
} finally {
  await browser.close();
  product.child.kill('SIGTERM');
  await product.ended;
  rmSync(folder, { recursive: true, force: true });
}

async function importAll(page, name, length, docOf) {
  await page.goto(`${product.url}/fp/databases/new`);
  await page.getByLabel(/name/i).fill(name);
  await page.getByRole('button', { name: /create/i }).click();
  await page.waitForURL((now) => now.pathname === `/fp/databases/${name}`);
  for (let from = 0; from < length; from += IMPORTED) {
    const part = Array.from({ length: Math.min(IMPORTED, length - from) }, (_, n) => docOf(from + n));
    await importPart(page, name, part);
  }
  await page.goto(`${product.url}/fp/databases/${name}`);
  await page.getByText(`${count(length)} documents`, { exact: true }).waitFor();
  await page.evaluate(afterFrames);
}

async function importPart(page, name, docs) {
  const file = join(folder, `${name}.ndjson`);
  writeFileSync(file, `${docs.map((doc) => JSON.stringify(doc)).join('\n')}\n`);
  await page.goto(`${product.url}/fp/databases/${name}`);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByLabel('Choose files to import').setInputFiles(file);
  await page.getByRole('button', { name: /^Import [\d,]+ document/ }).click();
  await page.getByText(/imported\.$/).waitFor();
}

async function scrolled(page, what, options) {
  // Collects the garbage of the import, which is not a cost of the table.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { frames, nodes, heapMb, late } = await page.evaluate(scrollFrames, options);
  result(`${what}: frame while scrolling, p50`, at(frames, 0.5), 'ms', undefined);
  result(`${what}: frame while scrolling, p95`, at(frames, 0.95), 'ms', 20);
  result(`${what}: frame while scrolling, longest`, at(frames, 1), 'ms', 50);
  result(`${what}: rows that were late`, late, '%', undefined);
  result(`${what}: nodes in the page`, nodes, '', 1500);
  result(`${what}: heap of the page`, heapMb, 'MB', 150);
}

/** Returns the milliseconds from `act` until all elements of `sought` are visible. */
async function until(page, sought, act) {
  await page.evaluate(watchFor, sought);
  await act();
  return page.evaluate(seenAfter);
}

async function manyColumns(page) {
  const names = Array.from({ length: COLUMNS - 1 }, (_, n) => `field ${String(n).padStart(3, '0')}`);
  await importAll(page, 'wide', WIDE, (n) => ({
    _id: `doc-${String(n).padStart(6, '0')}`,
    ...Object.fromEntries(names.map((name, at) => [name, `${n} of ${at}`])),
  }));
  await scrolled(page, `${count(WIDE)} documents of ${COLUMNS} fields`, { count: 178, px: 160 });
  await scrolled(page, 'the same, sideways', { count: 120, px: 160, sideways: true });
}

async function hugeValues(page) {
  const [one, five] = [1e6, 5e6].map((size) => 'abcdefghi '.repeat(size / 10));
  await importAll(page, 'huge', 60, (n) => ({
    _id: `doc-${String(n).padStart(2, '0')}`,
    title: `number ${n}`,
    text: n % 20 === 0 ? five : one,
  }));
  await scrolled(page, 'values of 1 and 5 MB', { count: 60, px: 30 });
  for (const [id, size] of [
    ['doc-59', 1],
    ['doc-40', 5],
  ]) {
    await page.goto(`${product.url}/fp/databases/huge?find=number ${Number(id.slice(4))}`);
    await page.getByRole('link', { name: id, exact: true }).waitFor();
    await page.evaluate(afterFrames);
    const link = page.getByRole('link', { name: id, exact: true });
    const took = await until(page, { selectors: ['[data-editor] >>> .cm-line'] }, () => link.click());
    result(`a value of ${size} MB opened`, took, 'ms', 150);
  }
}

async function manyDocuments(page) {
  if (isFilled) return;
  isFilled = true;
  await importAll(page, 'many', DOCS, (n) => ({
    _id: `doc-${String(n).padStart(6, '0')}`,
    title: `Title ${n} of the documents`,
    year: 1800 + (n % 220),
    done: n % 3 === 0,
  }));
}

async function search(page) {
  await manyDocuments(page);
  const rows = `${count(DOCS)} documents`;
  await page.goto(`${product.url}/fp/databases/many`);
  await page.getByText(rows, { exact: true }).waitFor();
  const done = page.getByRole('button', { name: 'done', exact: true });
  const isSorted = { selectors: ['[aria-busy=false] [data-row="0"] a'], pattern: '^doc-000001$' };
  await page.evaluate(recordFrames);
  result(`${rows} sorted by a field`, await until(page, isSorted, () => done.click()), 'ms', 1500);
  result(`${rows} longest frame while sorting`, await page.evaluate(longestFrame), 'ms', 50);
  await page.goto(`${product.url}/fp/databases/many`);
  await page.getByText(rows, { exact: true }).waitFor();
  await page.getByRole('searchbox').focus();
  const type = (text) => () => page.keyboard.insertText(text);
  const first = { selectors: ['main p'], pattern: 'documents? found' };
  await page.evaluate(recordFrames);
  result(
    `${rows} filtered: first found, pause of 200 ms included`,
    await until(page, first, type('Title 7')),
    'ms',
    400,
  );
  await page.getByText(/documents? found$/).waitFor();
  result(`${rows} longest frame while filtering`, await page.evaluate(longestFrame), 'ms', 50);
  await page.getByRole('searchbox').press('End');
  const all = { selectors: ['main p'], pattern: '^1{2,3} documents found$' };
  result(
    `${rows} filtered: all found, pause of 200 ms included`,
    await until(page, all, type('77')),
    'ms',
    1700,
  );
}

/** Creates and shows a database, because the page loads its engine only for a database. */
async function openEngine(page, name) {
  await page.goto(`${product.url}/fp/databases/new`);
  await page.getByLabel(/name/i).fill(name);
  await page.getByRole('button', { name: /create/i }).click();
  await page.getByText(/^No documents found/).waitFor();
}

function engineOf(page) {
  const [engine] = page.workers().filter((worker) => worker.url().includes('engine-worker'));
  if (engine === undefined) throw new Error('the page has no engine');
  return engine.url();
}

/**
 * Measures this page while a second page writes documents that this page shows. The second page
 * first writes slowly, then at full speed.
 */
async function changes(page) {
  await manyDocuments(page);
  const writer = await page.context().newPage();
  const middle = DOCS / 2;
  const idOf = (n) => `doc-${String(n).padStart(6, '0')}`;
  await writer.goto(`${product.url}/fp/databases`);
  await page.bringToFront();
  await page.goto(`${product.url}/fp/databases/many`);
  await page.getByText(`${count(DOCS)} documents`, { exact: true }).waitFor();
  await page.getByRole('grid').evaluate((grid) => grid.scrollTo({ top: grid.scrollHeight / 2 }));
  await page.getByRole('link', { name: idOf(middle) }).waitFor();
  await page
    .getByRole('row', { name: idOf(middle) })
    .getByRole('checkbox')
    .check();
  const place = () => page.getByRole('grid').evaluate((grid) => grid.scrollTop);
  const before = await place();
  const script = engineOf(page);
  await page.evaluate(recordDrawing);
  const told = Array.from({ length: 20 }, (_, n) => ({
    _id: idOf(middle + (n % 10)),
    title: `told-${n};`,
    year: 1,
  }));
  const written = await writer.evaluate(putOneByOne, { script, name: 'many', docs: told, pauseMs: 250 });
  await page.getByText('told-19;').waitFor();
  const { seen } = await page.evaluate(drawing);
  const late = written.map((when, n) => Math.max(0, seen[`told-${n};`] - when));
  result('delay until a change of another page is visible, p50', at(late, 0.5), 'ms', undefined);
  result('delay until a change of another page is visible, p95', at(late, 0.95), 'ms', 100);
  await page.evaluate(recordDrawing);
  const docs = Array.from({ length: CHANGES }, (_, n) => ({
    _id: idOf(middle + (n % 10)),
    title: `of ${n}`,
    year: n,
  }));
  const began = performance.now();
  await writer.evaluate(putOneByOne, { script, name: 'many', docs, inFlight: IN_FLIGHT });
  const perSecond = Math.round((1000 * CHANGES) / (performance.now() - began));
  await page.getByText(`of ${CHANGES - 1}`, { exact: true }).waitFor();
  const { times, frames, took } = await page.evaluate(drawing);
  result(`${count(CHANGES)} changes of another page`, perSecond, 'a second', undefined);
  result('times that the table was drawn during these changes', times, '', undefined);
  result(
    'times that the table was drawn per frame',
    Math.round((100 * times) / Math.max(1, frames)) / 100,
    '',
    1,
  );
  result('frame during these changes, p95', at(took, 0.95), 'ms', 20);
  result('longest frame during these changes', at(took, 1), 'ms', 50);
  result('pixels that the table scrolled by itself', Math.abs((await place()) - before), '', 0);
  await writer.close();
  result('selected rows that lost their selection', 1 - (await page.getByText('1 selected').count()), '', 0);
}

async function longHistory(page) {
  await openEngine(page, 'before-commits');
  const docs = Array.from({ length: COMMITS }, (_, n) => ({ _id: `day-${n % 500}`, n }));
  await page.evaluate(putOneByOne, { script: engineOf(page), name: 'diary', docs });
  await page.goto(`${product.url}/fp/databases/diary/history`);
  await page.getByRole('grid').getByRole('link').first().waitFor();
  await page.evaluate(afterFrames);
  const what = `${count(COMMITS)} commits`;
  const commits = page.getByRole('region', { name: 'Commits' });
  const isListed = { selectors: ['section[aria-label=Commits] li'] };
  const open = () => page.getByRole('tab', { name: 'Commits' }).click();
  result(`${what}: newest commits listed`, await until(page, isListed, open), 'ms', 500);
  const frames = await commits.getByRole('list').evaluate(async (list) => {
    const taken = [];
    let last = await new Promise(requestAnimationFrame);
    for (let n = 0; n < 178; n += 1) {
      list.parentElement.scrollTop += 160;
      const now = await new Promise(requestAnimationFrame);
      taken.push(now - last);
      last = now;
    }
    return taken;
  });
  result(`${what}: frame while scrolling, p95`, at(frames, 0.95), 'ms', 20);
  result(`${what}: frame while scrolling, longest`, at(frames, 1), 'ms', 50);
  result(
    `${what}: nodes in the page`,
    await page.evaluate(() => document.querySelectorAll('*').length),
    '',
    1500,
  );
  const isBrowsed = { selectors: ['input[type=range]:enabled', '[data-row] a'] };
  const browse = () => page.getByRole('link', { name: 'Browse past versions' }).click();
  result(`${what}: past documents and slider shown`, await until(page, isBrowsed, browse), 'ms', 500);
}

async function bigVersions(page) {
  await openEngine(page, 'before-versions');
  const docOf = (version) => ({
    _id: 'big',
    items: Array.from({ length: 9000 }, (_, n) => ({
      n: n === 4500 ? -version : n,
      name: `item number ${n}`,
      tags: ['a', 'b'],
      at: n / 7,
    })),
  });
  const docs = [docOf(1), docOf(2)];
  await page.evaluate(putOneByOne, { script: engineOf(page), name: 'versions', docs });
  await page.goto(`${product.url}/fp/databases/versions/docs/big`);
  await page.getByRole('button', { name: 'Show versions' }).click();
  const version = page.getByRole('button', { name: /Changed/ });
  await version.waitFor();
  await page.evaluate(afterFrames);
  const size = (JSON.stringify(docs[0]).length / 1e6).toFixed(1);
  const isCompared = { selectors: ['ins'] };
  result(
    `changes of a version of ${size} MB shown`,
    await until(page, isCompared, () => version.click()),
    'ms',
    200,
  );
}
