/** Tests the table of documents. */
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { drawnAgain, watchDrawing } from './drawn-again.fixture.ts';
import { makeLibrary, openLibrary, shownIds } from './library.fixture.ts';
import { faultsOf, LOOKS, makeDatabase, openImport, slowWay, wear, withConsole } from './local.fixture.ts';
import { chooseIn, type Visitor } from './product.fixture.ts';

const names = Array.from({ length: 200 }, (_, at) => `field ${String(at).padStart(3, '0')}`);
const wideDocs = Array.from({ length: 60 }, (_, n) => ({
  _id: `wide-${String(n).padStart(2, '0')}`,
  ...Object.fromEntries(names.map((name, at) => [name, `${n} of ${at}`])),
}));
let url: string;
let ada: Visitor;
let page: Page;
let browser: Browser;

withConsole(async (opened) => {
  ({ url, ada, browser } = opened);
  page = ada.page;
  await makeDatabase(page, url, 'wide', wideDocs);
  await makeLibrary(page, url);
});

const open = (search = '') => openLibrary(page, url, search);
const headings = async () =>
  (await page.getByRole('columnheader').allInnerTexts()).filter(
    (text) => text !== '' && text !== 'Select all rows',
  );

describe('the table of documents', () => {
  test('shows all fields as columns: the id first, then the most used fields', async () => {
    await open();
    await expect.poll(headings).toEqual(['document id', 'title', 'year', 'tags', 'place', 'Actions']);
    await page.getByText('even, 0').waitFor({ state: 'visible' });
  });

  test('renders only rows in view, and shows the last row after a jump to the end', async () => {
    await open();
    await page.getByRole('link', { name: 'doc-0000' }).focus();
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'doc-1199' }).waitFor({ state: 'visible' });
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(60);
  });

  test('renders only columns in view', async () => {
    await page.goto(`${url}/fp/databases/wide`);
    await page.getByText('0 of 0', { exact: true }).waitFor({ state: 'visible' });
    const grid = page.getByRole('grid');
    await grid.evaluate((one) => one.scrollTo({ top: one.scrollHeight / 2 }));
    await page.getByText('30 of 0', { exact: true }).waitFor({ state: 'visible' });
    await expect.poll(() => page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1300);
    await grid.evaluate((one) => one.scrollTo({ left: one.scrollWidth / 2 }));
    await page.getByText('30 of 100', { exact: true }).waitFor({ state: 'visible' });
    await expect.poll(() => page.locator('[data-row="30"] [role=gridcell]').count()).toBeLessThan(18);
    await grid.evaluate((one) => one.scrollTo({ left: one.scrollWidth }));
    await page.getByText('30 of 199', { exact: true }).waitFor({ state: 'visible' });
    await page.getByRole('link', { name: 'wide-30' }).waitFor({ state: 'visible' });
  });

  test('renders only new rows on a scroll step', async () => {
    await page.goto(`${url}/fp/databases/wide`);
    const grid = page.getByRole('grid');
    const scrollTo = async (place: { top?: number; left?: number }, seen: string) => {
      await grid.evaluate((one, to) => one.scrollTo(to), place);
      await page.getByText(seen, { exact: true }).waitFor({ state: 'visible' });
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
    };
    // Starts at rows and columns whose neighbours are already loaded.
    await scrollTo({ top: 400 }, '12 of 1');
    await watchDrawing(page);
    await scrollTo({ top: 440 }, '13 of 1');
    await scrollTo({ top: 480 }, '14 of 1');
    const down = await drawnAgain(page);
    expect(down.rows).toBeGreaterThan(10);
    expect(down).toMatchObject({ rowsAgain: 0, cellsAgain: 0 });
    await scrollTo({ left: 1200 }, '14 of 13');
    await scrollTo({ left: 0 }, '14 of 0');
    await watchDrawing(page);
    await scrollTo({ left: 200 }, '14 of 2');
    const aside = await drawnAgain(page);
    expect(aside.cells).toBeGreaterThan(30);
    expect(aside.cellsAgain).toBe(0);
  });

  test('focuses the fixed columns without scrolling the table', async () => {
    await page.goto(`${url}/fp/databases/wide`);
    const grid = page.getByRole('grid');
    const leftPx = () => grid.evaluate(({ scrollLeft }) => scrollLeft);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await page.getByRole('link', { name: 'wide-02' }).focus();
    await page.keyboard.press('Tab');
    await expect.poll(focused).toBe('Delete wide-02');
    expect(await leftPx()).toBe(0);
    await grid.evaluate((one) => one.scrollTo({ left: 900 }));
    await page.keyboard.press('Shift+Tab');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('wide-02');
    expect(await leftPx()).toBe(900);
    // Moving the focus to the next cell scrolls that cell into view. Otherwise the fixed columns
    // would cover the cell.
    await page.keyboard.press('ArrowRight');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-column')))
      .toMatch(/^field/);
    const [cell, link] = await Promise.all([
      page.locator(':focus').boundingBox(),
      page.getByRole('link', { name: 'wide-02' }).boundingBox(),
    ]);
    expect(cell?.x).toBeGreaterThanOrEqual((link?.x ?? 0) + (link?.width ?? 0));
  });

  test('sorts and filters the whole table, and keeps this view in the link', async () => {
    await open();
    await page.getByRole('button', { name: 'year', exact: true }).click();
    await page.getByRole('button', { name: 'year', exact: true }).click();
    await expect.poll(async () => (await shownIds(page))[0]).toBe('doc-1199');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Field').selectOption('year');
    await page.getByLabel('Condition').selectOption('less');
    await page.getByLabel('Value').fill('1802');
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByText('12 documents found').waitFor({ state: 'visible' });
    const search = new URL(page.url()).search;
    await open(search);
    await page.getByText('12 documents found').waitFor({ state: 'visible' });
    await page.getByRole('searchbox').fill('title 1001');
    await page.getByText('1 document found').waitFor({ state: 'visible' });
    await expect.poll(() => shownIds(page)).toEqual(['doc-1001']);
    await page.getByRole('searchbox').fill('no such text');
    await page.getByText(/No documents match/).waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Show all documents' }).click();
    await page.getByText('1,200 documents', { exact: true }).waitFor({ state: 'visible' });
    await expect
      .poll(async () => [
        await page.getByRole('searchbox').inputValue(),
        new URL(page.url()).searchParams.size,
      ])
      .toEqual(['', 1]);
    await open(search);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.getByText('1,200 documents', { exact: true }).waitFor({ state: 'visible' });
  });

  test('handles a second click that arrives before the page is drawn again', async () => {
    await open();
    const year = page.getByRole('button', { name: 'year', exact: true });
    await year.evaluate((heading: HTMLElement) => {
      heading.click();
      heading.click();
    });
    await page.waitForURL(/\?sort=-year$/);
    await expect.poll(async () => (await shownIds(page))[0]).toBe('doc-1199');
  });

  test('follows a link that is clicked right after a typed search, even if the linked page loads slowly', async () => {
    const { page: slow, stopTime, arrive } = await slowWay(browser, /\/databases\._name\.docs\._id-/);
    await makeDatabase(slow, url, 'pocket', [{ _id: 'milk', item: 'milk' }]);
    const link = slow.getByRole('grid').getByRole('link', { name: 'milk', exact: true });
    await link.waitFor({ state: 'visible' });
    await stopTime();
    await slow.getByRole('searchbox').fill('mi');
    await link.evaluate((one: HTMLElement) => one.click());
    await arrive();
    await slow.waitForURL(/\/docs\/milk$/);
    await slow.getByRole('textbox', { name: /document/i }).waitFor({ state: 'visible' });
    await slow.context().close();
  });

  test('loads the history of many documents only as far as the user scrolls', async () => {
    await page.goto(`${url}/fp/databases/library/history?view=documents`);
    const said = page.getByText(/documents( and more)?, newest first/);
    await said.waitFor({ state: 'visible' });
    expect(await said.innerText()).toMatch(/^200\+ documents/);
    const [newest] = await shownIds(page);
    await page.getByRole('grid').getByRole('link').first().focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return said.innerText();
      })
      .toMatch(/^1,\d{3} documents, newest/);
    await page.keyboard.press('Home');
    await expect.poll(async () => (await shownIds(page))[0]).toBe(newest);
  });

  test('hides, pins, moves and widens columns, and saves the layout', async () => {
    await open();
    const menu = async (column: string, item: string) => {
      await page.getByRole('columnheader', { name: column }).hover();
      await page.getByRole('button', { name: `Column ${column}` }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await menu('tags', 'Hide');
    await menu('place', 'Pin to the left');
    await menu('year', 'Move left');
    await expect.poll(headings).toEqual(['document id', 'place', 'year', 'title', 'Actions']);
    const heading = page.getByRole('columnheader', { name: 'title' });
    const widthOf = async () => Math.round((await heading.boundingBox())?.width ?? 0);
    const before = await widthOf();
    const edge = heading.locator('[data-resizer]');
    const box = await edge.boundingBox();
    if (box === null) throw new Error('the column has no edge');
    await page.mouse.move(box.x + 4, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x - 56, box.y + 10, { steps: 4 });
    await page.mouse.up();
    await expect.poll(widthOf).toBeLessThan(before - 40);
    await open();
    await expect.poll(headings).toEqual(['document id', 'place', 'year', 'title', 'Actions']);
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await expect.poll(headings).toEqual(['document id', 'title', 'year', 'tags', 'place', 'Actions']);
  });

  test.each(LOOKS)('fits at $width px in the $theme theme, including its menus and dialogs', async (worn) => {
    await wear(page, worn);
    await open('?sort=-year&where=%5B%22year%22%2C%22exists%22%5D');
    await page.getByLabel('Select doc-1199').click();
    await expect.poll(() => page.getByLabel('Select doc-1199').isChecked()).toBe(true);
    const shown = `documents-${worn.width}-${worn.theme}`;
    await ada.shot(shown);
    const faults = await faultsOf(page);
    for (const dialog of ['Filter', 'Columns', 'Import']) {
      if (dialog === 'Import') await openImport(page);
      else if (dialog === 'Columns' && worn.width === 375) await chooseIn(page, 'More table actions', dialog);
      else await page.getByRole('button', { name: dialog }).first().click();
      await page.getByRole('dialog').waitFor({ state: 'visible' });
      faults.push(...(await faultsOf(page)).map((fault) => `${dialog}: ${fault}`));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
    expect(faults).toEqual([]);
  });

  test('reports no hidden problems', () => {
    expect(ada.problems).toEqual([]);
  });
});
