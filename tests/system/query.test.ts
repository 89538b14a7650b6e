/** Queries, saved queries, and the storage panel. */
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  faultsOf,
  importDocuments,
  LOOKS,
  makeDatabase,
  typeText,
  wear,
  withConsole,
} from './local.fixture.ts';
import { chooseIn, type Visitor } from './product.fixture.ts';

let url: string;
let ada: Visitor;
let page: Page;
let browser: Browser;

withConsole(async (opened) => {
  ({ url, ada, browser } = opened);
  page = ada.page;
  const docs = Array.from({ length: 250 }, (_, n) => ({
    _id: `d-${String(n).padStart(3, '0')}`,
    rating: 250 - n,
    'first name': `n${n}`,
  }));
  await makeDatabase(page, url, 'library', docs);
});

const open = async (id = '') => {
  await page.goto(`${url}/fp/databases/library/query${id}`);
  await page.getByRole('textbox', { name: 'Map function' }).waitFor({ state: 'visible' });
};
const cells = (column: number) =>
  page.getByRole('grid').locator(`[role=gridcell][aria-colindex="${column}"]`).allInnerTexts();
const run = () => page.getByRole('button', { name: 'Query', exact: true }).click();

/** Returns the values of the Explain panel by their names. */
const explained = async () => {
  const panel = page.getByRole('region', { name: 'Results' }).locator('details');
  if ((await panel.getAttribute('open')) === null) await panel.getByText('Explain').click();
  const [names, values] = [panel.locator('dt'), panel.locator('dd')];
  await names.first().waitFor({ state: 'visible' });
  const texts = await values.allInnerTexts();
  return Object.fromEntries((await names.allInnerTexts()).map((name, at) => [name, texts[at]]));
};

describe('a query', () => {
  test('emits the id and the document by default', async () => {
    await open();
    await run();
    await page.getByText(/^250 rows in [\d,]+ ms/).waitFor({ state: 'visible' });
    await expect.poll(async () => (await cells(1))[0]).toBe('d-000');
    await expect.poll(async () => (await cells(2))[0]).toContain('"rating": 250');
  });

  test('previews the first rows while the user types, and runs the whole query in key order with a shortcut', async () => {
    await open();
    await typeText(page, 'Map function', '(doc, emit) => emit(doc.rating)');
    await page.getByText(/^First 100 rows in [\d,]+ ms/).waitFor({ state: 'visible' });
    await expect.poll(async () => (await cells(1)).slice(0, 2)).toEqual(['250', '249']);
    await page.getByRole('textbox', { name: 'Map function' }).press('ControlOrMeta+Enter');
    await page.getByText(/^250 rows in [\d,]+ ms/).waitFor({ state: 'visible' });
    await expect.poll(async () => (await cells(1)).slice(0, 2)).toEqual(['1', '2']);
  });

  test('loads further rows when the user scrolls to them', async () => {
    await open();
    await typeText(page, 'Map function', '(doc, emit) => emit(doc.rating)');
    await page.getByRole('textbox', { name: 'Map function' }).press('ControlOrMeta+Enter');
    await page.getByText(/^250 rows in [\d,]+ ms/).waitFor({ state: 'visible' });
    await page.getByRole('link', { name: 'd-249', exact: true }).focus();
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'd-000', exact: true }).waitFor({ state: 'visible' });
    await expect.poll(async () => (await cells(1)).at(-1)).toBe('250');
  });

  test('explains how many documents were read, and whether the index was current', async () => {
    await makeDatabase(page, url, 'explained', [{ _id: 'a', n: 1 }, { _id: 'b', n: 2 }, { _id: 'c' }]);
    await page.goto(`${url}/fp/databases/explained/query`);
    const shown = (documents: string, index: RegExp) =>
      expect.poll(explained).toMatchObject({
        'Documents read': documents,
        Index: expect.stringMatching(index) as string,
        Rows: '2',
      });
    await typeText(page, 'Map function', '(doc) => doc.n');
    await page.getByText(/^First 2 rows/).waitFor({ state: 'visible' });
    await run();
    await page.getByText(/^2 rows in/).waitFor({ state: 'visible' });
    await shown('3', /^built or updated/);
    await run();
    await shown('0', /^up to date$/);
    // Navigates without a reload, because the index is stored only a moment after the query.
    const sidebar = page.locator('#sidebar');
    await sidebar.getByRole('link', { name: 'All Documents' }).click();
    await importDocuments(page, [{ _id: 'd' }]);
    await sidebar.getByRole('link', { name: 'Query', exact: true }).click();
    await run();
    await page.getByText(/^2 rows in/).waitFor({ state: 'visible' });
    await shown('1', /^built or updated/);
  });

  test('completes the fields of the documents', async () => {
    await open();
    await typeText(page, 'Map function', '(doc) => ');
    await page.keyboard.type('doc.ra');
    await page.getByRole('option', { name: /rating/ }).waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await typeText(page, 'Map function', '(doc) => ');
    await page.keyboard.type('doc.fir');
    await page.getByRole('option', { name: /first name/ }).click();
    await expect.poll(() => page.locator('.cm-line').first().innerText()).toBe('(doc) => doc["first name"]');
    await expect.poll(async () => (await cells(1))[0]).toBe('n0');
  });

  test.each([
    ['(doc) => {', /Error:/],
    ['(doc) => { throw new Error("of my own") }', /Error: .*of my own/],
    ['(doc) => fetch("/api")', /Error: .*fetch/],
    ['(doc) => { for (;;); }', /Error:/],
  ])('[S8] shows the failure of %s in a panel, and continues', async (text, message) => {
    await open();
    await typeText(page, 'Map function', text);
    await run();
    await page.getByRole('alert').filter({ hasText: message }).waitFor({ state: 'visible' });
    await typeText(page, 'Map function', '(doc) => doc._id');
    await run();
    await page.getByText(/^250 rows in [\d,]+ ms/).waitFor({ state: 'visible' });
  });

  test('saves a query with the next default name, then renames the query, opens its link, and removes the query', async () => {
    await open();
    await typeText(page, 'Map function', '(doc, emit) => emit(doc.rating)');
    await expect.poll(async () => (await cells(1))[0]).toBe('250');
    await expect.poll(() => page.getByLabel('Query name').inputValue()).toBe('Query 1');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL(/\/query\/[^/]+$/);
    await page.getByRole('link', { name: 'Query 1' }).waitFor({ state: 'visible' });
    // The results stay visible, and the editor keeps its undo history.
    await expect.poll(async () => (await cells(1))[0]).toBe('250');
    await page.getByRole('textbox', { name: 'Map function' }).press('ControlOrMeta+z');
    await page.getByRole('button', { name: 'Revert' }).click();
    await page.locator('#sidebar').getByRole('link', { name: 'Query', exact: true }).click();
    await page.waitForURL(/\/query$/);
    await expect.poll(() => page.getByLabel('Query name').inputValue()).toBe('Query 2');
    await expect.poll(async () => (await cells(1))[0]).toBe('d-000');
    await page.goBack();
    await expect.poll(() => page.getByLabel('Query name').inputValue()).toBe('Query 1');
    const id = page.url().slice(page.url().lastIndexOf('/'));
    await page.getByLabel('Query name').fill('By rating');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'By rating' }).waitFor({ state: 'visible' });
    await open(id);
    await run();
    await page.getByText(/^250 rows/).waitFor({ state: 'visible' });
    await expect.poll(async () => (await cells(1))[0]).toBe('1');
    await chooseIn(page, 'Open', 'Remove this query');
    await page.waitForURL(/\/query$/);
    await page.getByText('Removed "By rating".').waitFor({ state: 'visible' });
    // A message stays open while the pointer is over it.
    await page.getByRole('button', { name: 'Undo' }).hover();
    await page.getByRole('link', { name: 'By rating' }).waitFor({ state: 'hidden' });
    await expect.poll(() => page.getByLabel('Query name').inputValue()).toBe('Query 1');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'By rating' }).waitFor({ state: 'visible' });
  });

  test('chooses a default name that no other tab uses', async () => {
    await makeDatabase(page, url, 'named', []);
    await page.goto(`${url}/fp/databases/named/query`);
    const name = page.getByLabel('Query name');
    await expect.poll(() => name.inputValue()).toBe('Query 1');
    const other = await ada.context.newPage();
    await other.goto(`${url}/fp/databases/named/query`);
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.waitForURL(/\/query\/[^/]+$/);
    await other.close();
    await expect.poll(() => name.inputValue()).toBe('Query 2');
    await name.fill('of my own');
    expect(await name.inputValue()).toBe('of my own');
  });
});

describe('a worker of map functions that never answers', () => {
  /** From its first message on, holds a lock and never answers, until it is terminated. */
  const LOOPING = `self.onmessage = () =>
    navigator.locks.request('looping', () => new Promise(() => setTimeout(() => { for (;;); }, 50)));`;
  const held = (from: Page) =>
    from.evaluate(async () => (await navigator.locks.query()).held?.some(({ name }) => name === 'looping'));

  test('[S8] ends after the time limit or with its page, and other queries continue', async () => {
    const context = await browser.newContext({ serviceWorkers: 'block' });
    const [first, other] = [await context.newPage(), await context.newPage()];
    await makeDatabase(other, url, 'looped', [{ _id: 'a' }]);
    const openQuery = async (shown: Page, script?: string) => {
      if (script !== undefined)
        await shown.route(/map-worker/, (route) =>
          route.fulfill({
            contentType: 'text/javascript',
            headers: { 'cache-control': 'no-store' },
            body: script,
          }),
        );
      await shown.goto(`${url}/fp/databases/looped/query`);
    };
    const query = (shown: Page) => shown.getByRole('button', { name: 'Query', exact: true }).click();
    await openQuery(first, LOOPING);
    await expect.poll(() => held(other)).toBe(true);
    await query(first);
    await first
      .getByRole('alert')
      .filter({ hasText: /stopped after/ })
      .waitFor({ state: 'visible' });
    await expect.poll(() => held(other)).toBe(false);
    await first.unroute(/map-worker/);
    await query(first);
    await first.getByText(/^1 row in/).waitFor({ state: 'visible' });
    await openQuery(first, LOOPING);
    await expect.poll(() => held(other)).toBe(true);
    await first.close();
    await expect.poll(() => held(other)).toBe(false);
    await openQuery(other);
    await query(other);
    await other.getByText(/^1 row in/).waitFor({ state: 'visible' });
    await context.close();
  });
});

test('shows used and free space in the storage panel, and encrypts the database with a new key', async () => {
  await page.goto(`${url}/fp/databases/library`);
  await chooseIn(page, 'Database actions', 'Storage');
  const storage = page.getByRole('region', { name: 'Storage in this browser' });
  for (const fact of ['All databases', 'Available'])
    await storage
      .getByText(fact, { exact: true })
      .locator('xpath=following-sibling::dd')
      .getByText(/^[\d.,]+ .?B$/)
      .waitFor({ state: 'visible' });
  await storage.getByText('While there is space').waitFor({ state: 'visible' });
  await storage.getByRole('button', { name: 'Ask the browser to keep the data' }).click();
  await page.getByText(/^The browser (declined|keeps the data)/).waitFor({ state: 'visible' });
  await page.getByRole('button', { name: 'Measure' }).click();
  await page.getByText(/ in \d+ archives?$/).waitFor({ state: 'visible' });
  await page.getByRole('button', { name: 'Use a new key' }).click();
  await page.getByText(/^Encrypted again with the new key/).waitFor({ state: 'visible' });
  await page.reload();
  await page.getByText('250 documents', { exact: true }).waitFor({ state: 'visible' });
});

test.each(LOOKS)('fits at $width px in the $theme theme', async (worn) => {
  await wear(page, worn);
  const faults: string[] = [];
  const look = async (name: string) => {
    await ada.shot(`${name}-${worn.width}-${worn.theme}`);
    faults.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`));
  };
  await open();
  await typeText(page, 'Map function', '(doc, emit) => { emit(doc._id, doc); }');
  await run();
  await page.getByText(/^250 rows/).waitFor({ state: 'visible' });
  await explained();
  await look('query');
  await typeText(page, 'Map function', '(doc) => doc.x.y');
  await run();
  await page.getByRole('alert').waitFor({ state: 'visible' });
  await look('query-error');
  await page.goto(`${url}/fp/databases/library`);
  await chooseIn(page, 'Database actions', 'Storage');
  await page.getByRole('dialog').waitFor({ state: 'visible' });
  await look('storage');
  expect(faults).toEqual([]);
});

test('reports no hidden problems', () => {
  expect(ada.problems).toEqual([]);
});
