/**
 * Measures delays that users notice in the console, in Debian's Chromium, against the budgets of
 * docs/decisions/0064: the first paint, a table of many documents, typing in a big document,
 * queries over all documents, export, and a long history.
 *
 * `node bench/console/run.mjs [--quick]`
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { firstPaints } from './first-paint.mjs';
import {
  afterFrames,
  longestFrame,
  pasteText,
  recordFrames,
  recordInteractions,
  scrollFrames,
  seenAfter,
  watchFor,
} from './in-page.mjs';
import { workOfKeys } from './key-work.mjs';
import { manyCommits } from './many-commits.mjs';
import { at, startProduct } from './product.mjs';

const quick = process.argv.includes('--quick');
const COUNT = quick ? 10_000 : 100_000;
const COMMITS = quick ? 300 : 5000;
/** Milliseconds to wait until the console has counted the fields of all documents. */
const COUNTED_MS = quick ? 2000 : 10_000;
/** Elements in which the console shows the number of documents. */
const TEXTS = ['main :is(p, span)'];
const rowsOf = (count) => ({ selectors: TEXTS, pattern: `^${count.toLocaleString('en')} rows` });
const folder = mkdtempSync(join(tmpdir(), 'fixpoint-console-bench-'));
const results = [];
const note = (text) => process.stderr.write(`${text}\n`);

/** @param budget the largest value that is within the budget; `undefined` for no budget */
function result(name, value, unit, budget) {
  results.push({ name, value, unit, budget });
  note(`${name}: ${value} ${unit}${budget === undefined ? '' : ` (budget ${budget})`}`);
}

const product = await startProduct(folder);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--enable-precise-memory-info'],
});
try {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  page.setDefaultTimeout(300_000);
  const interactions = new Map();
  await page.exposeFunction('tellInteraction', ({ interactionId, duration, name }) => {
    const key = `${page.url()} ${interactionId}`;
    const known = interactions.get(key);
    if (known === undefined || known.duration < duration) interactions.set(key, { duration, name });
  });
  await page.addInitScript(recordInteractions);
  await firstPaints({ browser, url: product.url, result });
  await fill(page, 'big', COUNT);
  await openTable(page);
  await scroll(page);
  await search(page);
  await exportAll(page);
  await query(page);
  if (!quick) await fill(page, 'ten', 10_000);
  await queryByDefault(page, quick ? 'big' : 'ten', 10_000, 600);
  if (!quick) await queryByDefault(page, 'big', COUNT, 4000);
  await openMegabyte(page);
  await type(page, 'big-one', 9000, { p95: 32, longest: 64, work: 16 });
  if (!quick) await type(page, 'bigger-one', 45_000, { p95: 50 });
  await manyCommits({ page, url: product.url, result, commits: COMMITS });
  const slow = [...interactions.values()].map(({ duration }) => duration);
  result('clicks and keys that the browser reported', slow.length, '', undefined);
  result('click or key until its effect is drawn, p98', at(slow, 0.98), 'ms', 100);
  result('click or key until its effect is drawn, longest', at(slow, 1), 'ms', undefined);
} finally {
  await browser.close();
  product.child.kill('SIGTERM');
  await product.ended;
  rmSync(folder, { recursive: true, force: true });
}
report();

async function fill(page, name, count) {
  const file = join(folder, `${name}.ndjson`);
  const lines = Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      _id: `doc-${String(n).padStart(6, '0')}`,
      title: `Title ${n} of the documents`,
      year: 1800 + (n % 220),
      done: n % 3 === 0,
      tags: ['one', `t${n % 50}`],
    }),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  await page.goto(`${product.url}/fp/databases/new`);
  await page.getByLabel(/name/i).fill(name);
  await page.getByRole('button', { name: /create/i }).click();
  await page.waitForURL((now) => now.pathname === `/fp/databases/${name}`);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const before = await heapOf(page);
  await page.getByLabel('Choose files to import').setInputFiles(file);
  const button = page.getByRole('button', { name: /^Import [\d,]+ document/ });
  await button.waitFor();
  const read = (await heapOf(page)) - before;
  const began = performance.now();
  await button.click();
  await page.getByText(/imported\.$/).waitFor();
  const seconds = (performance.now() - began) / 1000;
  const what = `import of ${count.toLocaleString('en')}`;
  result(what, Math.round(count / seconds), 'documents/s', undefined);
  result(`${what}: bytes`, at([statSync(file).size / 1e6 / seconds], 0), 'MB/s', undefined);
  result(`${what}: heap for the file that was read`, Math.round(read), 'MB', 50);
}

function heapOf(page) {
  return page.evaluate(() => (performance.memory?.usedJSHeapSize ?? 0) / 1e6);
}

/** Returns the milliseconds from `act` until all elements of `sought` are visible. */
async function until(page, sought, act) {
  await page.evaluate(watchFor, sought);
  await act();
  return page.evaluate(seenAfter);
}

async function openTable(page) {
  await page.goto(`${product.url}/fp/databases`);
  await page.getByRole('link', { name: 'big' }).first().waitFor();
  const row = { selectors: ['[data-row] a'], pattern: '^doc-000000$' };
  const total = { selectors: TEXTS, pattern: `^${COUNT.toLocaleString('en')} documents$` };
  await page.goto(`${product.url}/fp/databases/big`, { waitUntil: 'commit' });
  await page.evaluate(watchFor, { ...row, sinceStart: true });
  result('first row from a cold page', await page.evaluate(seenAfter), 'ms', 1200);
  await page.evaluate(watchFor, { ...total, sinceStart: true });
  result('exact count from a cold page', await page.evaluate(seenAfter), 'ms', 2200);
  await page.getByRole('link', { name: 'History' }).click();
  await page.waitForURL(/history/);
  await page.evaluate(afterFrames);
  const all = page.getByRole('link', { name: 'All Documents' });
  result('first row of an open database', await until(page, row, () => all.click()), 'ms', 300);
  await page.getByText(`${COUNT.toLocaleString('en')} documents`, { exact: true }).waitFor();
}

async function scroll(page) {
  const { frames, nodes, heapMb, late } = await page.evaluate(scrollFrames, { count: 178, px: 160 });
  result('frame while scrolling, p50', at(frames, 0.5), 'ms', undefined);
  result('frame while scrolling, p95', at(frames, 0.95), 'ms', 20);
  result('frame while scrolling, longest', at(frames, 1), 'ms', 50);
  result('rows that were late', late, '%', undefined);
  result('nodes in the page', nodes, '', 1500);
  result('heap of the page', heapMb, 'MB', 150);
  const middle = { selectors: ['[data-row] a'], pattern: `^doc-${String(COUNT / 2).padStart(6, '0')}$` };
  await page.evaluate(watchFor, middle);
  await page.getByRole('grid').evaluate((grid) => {
    dispatchEvent(new Event('pointerdown'));
    grid.scrollTo({ top: grid.scrollHeight / 2 });
  });
  result('jump to the middle', await page.evaluate(seenAfter), 'ms', undefined);
}

async function search(page) {
  await page.getByRole('grid').evaluate((grid) => grid.scrollTo({ top: 0 }));
  const year = page.getByRole('button', { name: 'year', exact: true });
  // `doc-000220` is the second document of the first year.
  const isSorted = { selectors: ['[data-row] a'], pattern: '^doc-000220$' };
  result('sorted by a field', await until(page, isSorted, () => year.click()), 'ms', 1500);
  const isFound = { selectors: TEXTS, pattern: 'documents? found$' };
  await page.getByRole('searchbox').focus();
  const type = () => page.keyboard.insertText('Title 77');
  result(
    'search in all fields, typing pause of 200 ms included',
    await until(page, isFound, type),
    'ms',
    1700,
  );
}

async function query(page) {
  await page.goto(`${product.url}/fp/databases/big/query`);
  const editor = page.getByRole('textbox', { name: 'Map function' });
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  const isPreview = { selectors: TEXTS, pattern: '^First 100 rows' };
  const type = () => page.keyboard.insertText('(doc, emit) => emit(doc.year)');
  const first = await until(page, isPreview, type);
  result('first rows of a typed query, pause of 400 ms included', first, 'ms', 500);
  const run = () => page.getByRole('button', { name: 'Query', exact: true }).click();
  result('query over all documents', await until(page, rowsOf(COUNT), run), 'ms', quick ? 600 : 4000);
}

/** Runs the editor's default function, which emits each document. */
async function queryByDefault(page, name, count, budget) {
  await page.goto(`${product.url}/fp/databases/${name}/query`);
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.getByRole('textbox', { name: 'Map function' }).waitFor();
  await page.evaluate(recordFrames);
  const run = () => page.getByRole('button', { name: 'Query', exact: true }).click();
  const what = `the default function over ${count.toLocaleString('en')} documents`;
  result(what, await until(page, rowsOf(count), run), 'ms', budget);
  result(`${what}: longest frame during the query`, await page.evaluate(longestFrame), 'ms', 50);
}

async function exportAll(page) {
  await page.goto(`${product.url}/fp/databases/big`);
  await page.getByText(`${COUNT.toLocaleString('en')} documents`, { exact: true }).waitFor();
  const before = await heapOf(page);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const began = performance.now();
  await page.getByRole('menuitem', { name: /NDJSON/ }).click();
  const bytes = statSync(await (await download).path()).size;
  const seconds = (performance.now() - began) / 1000;
  result('export', at([bytes / 1e6 / seconds], 0), 'MB/s', undefined);
  result('heap growth of an export', Math.round((await heapOf(page)) - before), 'MB', 50);
}

/**
 * Opens a document of 1 MB in a database with many documents. The first time, the console is still
 * counting documents, as it is for users who open the document at once. The second time, the count
 * is complete.
 */
async function openMegabyte(page) {
  const size = await writeBig(page, 'a-megabyte', 7050);
  result(`${size} MB opened in the editor`, await openBig(page, 'a-megabyte'), 'ms', 150);
  await page.goto(`${product.url}/fp/databases/big`);
  await page.getByText(/^[\d,]+ documents$/).waitFor();
  await page.waitForTimeout(COUNTED_MS);
  result(`${size} MB opened, all documents counted`, await openShown(page, 'a-megabyte'), 'ms', 150);
}

async function openBig(page, id) {
  await page.goto(`${product.url}/fp/databases/big`);
  return openShown(page, id);
}

async function openShown(page, id) {
  const link = page.getByRole('link', { name: id, exact: true });
  await link.waitFor();
  return until(page, { selectors: ['[data-editor] >>> .cm-line'] }, () => link.click());
}

/**
 * Creates a document with `items` list items in the document editor. Returns the size of the text
 * in megabytes.
 */
async function writeBig(page, id, items, pasteBudget) {
  await page.goto(`${product.url}/fp/databases/big/docs/new`);
  const editor = page.getByRole('textbox', { name: /document/i });
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  const list = Array.from({ length: items }, (_, n) => ({
    n,
    name: `item number ${n}`,
    tags: ['a', 'b'],
    at: n / 7,
  }));
  const text = JSON.stringify({ _id: id, items: list }, undefined, 2);
  const paste = performance.now();
  await page.locator('.cm-content').evaluate(pasteText, text);
  await page.evaluate(afterFrames);
  const size = (text.length / 1e6).toFixed(1);
  result(`${size} MB pasted`, Math.round(performance.now() - paste), 'ms', pasteBudget);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL((now) => now.pathname.endsWith(`/${id}`));
  return size;
}

async function type(page, id, items, budgets) {
  const size = await writeBig(page, id, items, budgets.longest && 500);
  result(`${size} MB opened in the editor`, await openBig(page, id), 'ms', undefined);
  await page.getByRole('textbox', { name: /document/i }).click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.insertText('"note": "",');
  for (let n = 0; n < 2; n += 1) await page.keyboard.press('ArrowLeft');
  await page.evaluate(() => {
    window.keys = [];
    addEventListener(
      'keydown',
      () => {
        const began = performance.now();
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => window.keys.push(performance.now() - began);
          channel.port2.postMessage(0);
        });
      },
      true,
    );
  });
  for (let n = 0; n < 60; n += 1) await page.keyboard.press('a', { delay: 20 });
  await page.evaluate(afterFrames);
  const keys = await page.evaluate(() => window.keys);
  const work = await workOfKeys({ browser, page, times: 60, delay: 80 });
  const busy = work.map((key) => key.busy);
  const slow = (await workOfKeys({ browser, page, times: 10, delay: 600 })).map(({ longest }) => longest);
  result(`key to frame in ${size} MB, p50`, at(keys, 0.5), 'ms', undefined);
  result(`key to frame in ${size} MB, p95`, at(keys, 0.95), 'ms', budgets.p95);
  result(`key to frame in ${size} MB, longest`, at(keys, 1), 'ms', budgets.longest);
  result(`work of a key in ${size} MB, p50`, at(busy, 0.5), 'ms', undefined);
  result(`work of a key in ${size} MB, p95`, at(busy, 0.95), 'ms', budgets.work);
  result(
    `longest task during a key press and the pause after it in ${size} MB`,
    at(slow, 1),
    'ms',
    budgets.work && 50,
  );
}

function report() {
  const lines = results.map(({ name, value, unit, budget }) => {
    const isOver = budget !== undefined && value > budget;
    return `| ${name} | ${value} ${unit} | ${budget === undefined ? '' : `${budget} ${unit}`} | ${budget === undefined ? '' : isOver ? 'over' : 'within'} |`;
  });
  const head = `${COUNT.toLocaleString('en')} documents\n\n| What | Measured | Budget | |\n| --- | --- | --- | --- |\n`;
  process.stdout.write(`${head}${lines.join('\n')}\n`);
  mkdirSync('artefacts', { recursive: true });
  writeFileSync(
    join('artefacts', 'bench-console.json'),
    `${JSON.stringify({ documents: COUNT, results }, null, 2)}\n`,
  );
}
