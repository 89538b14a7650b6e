/** The table of documents, as a user works with it. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { drawnAgain, watchDrawing } from './drawn-again.fixture.ts';
import {
  faultsOf,
  importDocuments,
  LOOKS,
  makeDatabase,
  slowWay,
  wear,
  withConsole,
} from './local.fixture.ts';
import type { Visitor } from './product.fixture.ts';

const COUNT = 1200;
const docs = Array.from({ length: COUNT }, (_, n) => ({
  _id: `doc-${String(n).padStart(4, '0')}`,
  title: `Title ${n}`,
  year: 1800 + (n % 200),
  ...(n % 2 === 0 && { tags: ['even', n] }),
  ...(n % 4 === 0 && { place: { city: 'Lisbon' } }),
}));
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
  page.on('dialog', (dialog) => void dialog.accept());
  await makeDatabase(page, url, 'wide', wideDocs);
  await makeDatabase(page, url, 'library', docs);
  await page.getByText('1,200 documents', { exact: true }).waitFor({ state: 'visible' });
});

const open = async (search = '') => {
  await page.goto(`${url}/fp/databases/library${search}`);
  await page.getByRole('grid').getByRole('link').first().waitFor({ state: 'visible' });
  await page.getByText(/^[\d,]+ documents?( found)?$/).waitFor({ state: 'visible' });
};
const shownIds = () => page.getByRole('grid').getByRole('link').allInnerTexts();
const headings = async () =>
  (await page.getByRole('columnheader').allInnerTexts()).filter(
    (text) => text !== '' && text !== 'Select all rows',
  );

describe('the table of documents', () => {
  test('columns are the union of the fields, the id first, the others by how many documents use them', async () => {
    await open();
    expect(await headings()).toEqual(['document id', 'title', 'year', 'tags', 'place', 'Actions']);
    await page.getByText('["even", 0]').waitFor({ state: 'visible' });
  });

  test('only rows that are looked at are in the page, and a jump to the end shows the last one', async () => {
    await open();
    await page.getByRole('link', { name: 'doc-0000' }).focus();
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'doc-1199' }).waitFor({ state: 'visible' });
    expect(await page.getByRole('row').count()).toBeLessThan(60);
  });

  test('of many columns those in view are in the page', async () => {
    await page.goto(`${url}/fp/databases/wide`);
    await page.getByText('0 of 0', { exact: true }).waitFor({ state: 'visible' });
    const grid = page.getByRole('grid');
    await grid.evaluate((one) => one.scrollTo({ top: one.scrollHeight / 2 }));
    await page.getByText('30 of 0', { exact: true }).waitFor({ state: 'visible' });
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1000);
    await grid.evaluate((one) => one.scrollTo({ left: one.scrollWidth / 2 }));
    await page.getByText('30 of 100', { exact: true }).waitFor({ state: 'visible' });
    expect(await page.locator('[data-row="30"] [role=gridcell]').count()).toBeLessThan(18);
    await grid.evaluate((one) => one.scrollTo({ left: one.scrollWidth }));
    await page.getByText('30 of 199', { exact: true }).waitFor({ state: 'visible' });
    await page.getByRole('link', { name: 'wide-30' }).waitFor({ state: 'visible' });
  });

  test('a step of scrolling draws what comes into view, and nothing that is there already', async () => {
    await page.goto(`${url}/fp/databases/wide`);
    const grid = page.getByRole('grid');
    const scrollTo = async (place: { top?: number; left?: number }, seen: string) => {
      await grid.evaluate((one, to) => one.scrollTo(to), place);
      await page.getByText(seen, { exact: true }).waitFor({ state: 'visible' });
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
    };
    // To where the rows and columns that come next are read already.
    await scrollTo({ top: 400 }, '12 of 1');
    await watchDrawing(page);
    await scrollTo({ top: 440 }, '13 of 1');
    await scrollTo({ top: 480 }, '14 of 1');
    const down = await drawnAgain(page);
    expect(down.rows).toBeGreaterThan(10);
    expect(down).toMatchObject({ rowsAgain: 0, cellsAgain: 0 });
    await scrollTo({ left: 1200 }, '14 of 8');
    await scrollTo({ left: 0 }, '14 of 0');
    await watchDrawing(page);
    await scrollTo({ left: 200 }, '14 of 2');
    const aside = await drawnAgain(page);
    expect(aside.cells).toBeGreaterThan(30);
    expect(aside.cellsAgain).toBe(0);
  });

  test('what stays at its sides gets the focus where the table is, which does not move for it', async () => {
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
    // A cell is brought out from below them.
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

  test('it is sorted and filtered as a whole, and a link leads to exactly this view', async () => {
    await open();
    await page.getByRole('button', { name: 'year', exact: true }).click();
    await page.getByRole('button', { name: 'year', exact: true }).click();
    await expect.poll(async () => (await shownIds())[0]).toBe('doc-1199');
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
    expect(await shownIds()).toEqual(['doc-1001']);
    await page.getByRole('searchbox').fill('no such text');
    await page.getByText(/No document matches/).waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Show all documents' }).click();
    await page.getByText('1,200 documents', { exact: true }).waitFor({ state: 'visible' });
    expect([await page.getByRole('searchbox').inputValue(), new URL(page.url()).searchParams.size]).toEqual([
      '',
      1,
    ]);
    await open(search);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.getByText('1,200 documents', { exact: true }).waitFor({ state: 'visible' });
  });

  test('clicks that come faster than the page is drawn all count', async () => {
    await open();
    const year = page.getByRole('button', { name: 'year', exact: true });
    await year.evaluate((heading: HTMLElement) => {
      heading.click();
      heading.click();
    });
    await page.waitForURL(/\?sort=-year$/);
    await expect.poll(async () => (await shownIds())[0]).toBe('doc-1199');
  });

  test('who types a search and follows a link at once gets there, however long the way takes', async () => {
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

  test('many documents are chosen and deleted at once, and come back', async () => {
    await open('?find=Title%2011');
    await page.getByText('111 documents found').waitFor({ state: 'visible' });
    await page.getByLabel('Select all rows').check();
    await page.getByLabel('Select doc-0011').uncheck();
    await page.getByText('110 selected').waitFor({ state: 'visible' });
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('110 documents are deleted.').waitFor({ state: 'visible' });
    await page.getByText('1 document found').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('111 documents found').waitFor({ state: 'visible' });
  });

  test('what is chosen and gone, or not among what is found, is chosen no longer', async () => {
    await makeDatabase(page, url, 'chosen', [
      { _id: 'a', n: 1 },
      { _id: 'b', n: 2 },
      { _id: 'c', n: 3 },
    ]);
    await page.goto(`${url}/fp/databases/chosen`);
    const selection = page.getByRole('region', { name: 'Selection' });
    await page.getByLabel('Select a', { exact: true }).check();
    await page.getByLabel('Select b', { exact: true }).check();
    await page.getByRole('button', { name: 'Delete a', exact: true }).click();
    await selection.getByText('1 selected').waitFor({ state: 'visible' });
    const other = await ada.context.newPage();
    await other.goto(`${url}/fp/databases/chosen`);
    other.once('dialog', (dialog) => void dialog.accept());
    await other.getByRole('button', { name: 'Delete b', exact: true }).click();
    await selection.waitFor({ state: 'hidden' });
    await other.close();
    await page.getByLabel('Select all rows').check();
    await selection.getByText('1 selected').waitFor({ state: 'visible' });
    await page.getByRole('searchbox').fill('3');
    await page.getByText('1 document found').waitFor({ state: 'visible' });
    expect(await selection.count()).toBe(0);
  });

  test('on a screen without a pointer a tap edits a cell, once that is turned on', async () => {
    const context = await ada.context.browser()?.newContext({
      viewport: { width: 375, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    const phone = await context?.newPage();
    if (context === undefined || phone === undefined) throw new Error('there is no browser');
    await makeDatabase(phone, url, 'pocket', [{ _id: 'a-rather-long-id-of-a-document', title: 'first' }]);
    const cell = phone.locator('[data-row="0"] [data-column="title"]');
    await expect.poll(() => cell.innerText()).toBe('first');
    const box = await cell.boundingBox();
    expect(box?.x ?? 375).toBeLessThan(300);
    await phone.getByRole('button', { name: 'Edit cells' }).tap();
    await cell.tap();
    // In front of the page, where it hides no other cell.
    const dialog = phone.getByRole('dialog', { name: 'Edit title' });
    const title = dialog.getByRole('textbox', { name: /^title of a-rather/ });
    await expect.poll(() => title.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await phone.getByRole('grid').getByRole('textbox').count()).toBe(0);
    await phone.screenshot({ path: 'artefacts/cell-375.png' });
    expect(await faultsOf(phone)).toEqual([]);
    await title.fill('not kept');
    await dialog.getByRole('button', { name: 'Cancel' }).tap();
    await dialog.waitFor({ state: 'detached' });
    await cell.tap();
    await dialog.getByRole('combobox', { name: /^Kind of title/ }).selectOption('number');
    await title.fill('no number');
    await dialog.getByText('This is not a number.').waitFor({ state: 'visible' });
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByRole('combobox', { name: /^Kind of title/ }).selectOption('text');
    await title.fill('by a finger');
    await dialog.getByText('a-rather-long-id-of-a-document').tap();
    await dialog.getByRole('button', { name: 'Save' }).tap();
    await expect.poll(() => cell.innerText()).toBe('by a finger');
    await phone.getByText(/is changed\.$/).waitFor({ state: 'visible' });
    expect(new URL(phone.url()).pathname).toMatch(/\/pocket$/);
    await phone.getByRole('button', { name: 'Edit cells' }).tap();
    await cell.tap();
    await phone.waitForURL(/\/docs\/a-rather-long-id-of-a-document$/);
    await context.close();
  });

  test('a cell is edited where it is, by pointer or by keys; Escape leaves it, and Undo takes it back', async () => {
    await open();
    const cell = (row: number, column: string) =>
      page.locator(`[data-row="${row}"] [data-column="${column}"]`);
    await cell(1, 'title').hover();
    await page.getByRole('button', { name: 'Edit title' }).click();
    const title = page.getByRole('textbox', { name: 'title of doc-0001' });
    expect(await title.inputValue()).toBe('Title 1');
    await title.fill('Another title');
    await page.keyboard.press('Escape');
    await title.waitFor({ state: 'detached' });
    expect(await cell(1, 'title').innerText()).toBe('Title 1');
    // The focus is in the cell again.
    await page.keyboard.press('F2');
    await title.fill('Another title');
    await page.keyboard.press('Enter');
    expect(await cell(1, 'title').innerText()).toBe('Another title');
    await page.getByText('title of doc-0001 is changed.').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => cell(1, 'title').innerText()).toBe('Title 1');

    await cell(1, 'title').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const year = page.getByRole('textbox', { name: 'year of doc-0001' });
    expect(await page.getByRole('combobox', { name: 'Kind of year of doc-0001' }).inputValue()).toBe(
      'number',
    );
    await year.fill('no number');
    await page.keyboard.press('Enter');
    expect(await year.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('combobox', { name: 'Kind of year of doc-0001' }).selectOption('json');
    await year.fill('{"from": 1801}');
    await year.press('Enter');
    await page.getByText('year of doc-0001 is changed.').waitFor({ state: 'visible' });
    await open();
    await expect.poll(() => cell(1, 'year').innerText()).toBe('{"from": 1801}');
    // A field that a document does not have gets its first value, and loses it.
    await cell(1, 'place').hover();
    await page.getByRole('button', { name: 'Edit place' }).click();
    await page.getByRole('combobox', { name: 'Kind of place of doc-0001' }).selectOption('boolean');
    await page.getByRole('combobox', { name: 'place of doc-0001', exact: true }).selectOption('true');
    await page.keyboard.press('Enter');
    await expect.poll(() => cell(1, 'place').innerText()).toBe('true');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => cell(1, 'place').innerText()).toBe('');
    await cell(1, 'year').hover();
    await page.getByRole('button', { name: 'Edit year' }).click();
    await page.getByRole('combobox', { name: 'Kind of year of doc-0001' }).selectOption('number');
    await year.fill('1801');
    await year.press('Enter');
    await expect.poll(() => cell(1, 'year').innerText()).toBe('1801');
  });

  test('one field of many is set or taken away after a preview, and comes back', async () => {
    await open('?find=Title%2011');
    await page.getByText('111 documents found').waitFor({ state: 'visible' });
    await page.getByLabel('Select all rows').check();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit 111 documents' });
    await dialog.getByLabel('Field', { exact: true }).fill('tags');
    await dialog.getByRole('combobox', { name: 'Kind of new value' }).selectOption('none');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByText(/^Of 111 documents: 55 lose the field, 56 stay/).waitFor({ state: 'visible' });
    expect(await faultsOf(page)).toEqual([]);
    await ada.shot('documents-bulk-edit');
    await dialog.getByRole('combobox', { name: 'Kind of new value' }).selectOption('json');
    await dialog.getByRole('textbox', { name: 'new value' }).fill('["edited"]');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog
      .getByText('Of 111 documents: 55 get another value, 56 get the field.')
      .waitFor({ state: 'visible' });
    await dialog.getByRole('button', { name: 'Change 111 documents' }).click();
    await page.getByText('111 documents are changed.').waitFor({ state: 'visible' });
    await page.getByText('["edited"]').first().waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('["edited"]').first().waitFor({ state: 'hidden' });
  });

  test('what is exported is all of it', async () => {
    await open();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: /NDJSON/ }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    const lines = text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(docs);
    await page.getByText('1,200 documents are exported.').waitFor({ state: 'visible' });
  });

  test('an import says what it would replace, and replaces it when it is told to', async () => {
    await open();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByLabel('File to import').setInputFiles({
      name: 'more.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('_id,title\r\ndoc-0000,"Once, again"\r\nnew-one,7\r\n'),
    });
    await page.getByText('1 document is new.').waitFor({ state: 'visible' });
    await page.getByLabel(/Replace 1 document/).check();
    await page.getByRole('button', { name: 'Import 2 documents' }).click();
    await page.getByText('2 documents are imported.').waitFor({ state: 'visible' });
    await page.getByText('Once, again').waitFor({ state: 'visible' });
    await page.getByText('1,201 documents', { exact: true }).waitFor({ state: 'visible' });
    await importDocuments(page, [{ _id: 'another' }]);
    await page.getByText('1,202 documents', { exact: true }).waitFor({ state: 'visible' });
  });

  test('a file without documents says why, and another one is chosen', async () => {
    await open();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Import documents' });
    const choose = (text: string) =>
      dialog.getByLabel('File to import').setInputFiles({
        name: 'more.json',
        mimeType: 'application/json',
        buffer: Buffer.from(text),
      });
    await choose('[1]');
    await dialog.getByText('1: A document is a JSON object.').waitFor({ state: 'visible' });
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Choose another file' }).click();
    await choose('[{"_id":"not-yet"}]');
    await dialog.getByRole('button', { name: 'Import 1 document' }).waitFor({ state: 'visible' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('1,202 documents', { exact: true }).waitFor({ state: 'visible' });
  });

  test('the history of many documents is read as far as somebody looks', async () => {
    await page.goto(`${url}/fp/databases/library/history`);
    const said = page.getByText(/documents( and more)?, each at its latest change/);
    await said.waitFor({ state: 'visible' });
    expect(await said.innerText()).toMatch(/^200 documents and more/);
    const [newest] = await shownIds();
    await page.getByRole('link', { name: newest ?? '', exact: true }).focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return said.innerText();
      })
      .toMatch(/^1,\d{3} documents, each/);
    await page.keyboard.press('Home');
    await expect.poll(async () => (await shownIds())[0]).toBe(newest);
  });

  test('changes of another page show, and what is looked at stays where it is', async () => {
    await open();
    const grid = page.getByRole('grid');
    await grid.evaluate((element) => element.scrollTo({ top: 20_000 }));
    await page.getByRole('link', { name: 'doc-0500' }).waitFor({ state: 'visible' });
    const placeOf = async () => (await page.getByRole('link', { name: 'doc-0500' }).boundingBox())?.y;
    const before = await placeOf();
    const other = await ada.context.newPage();
    await other.goto(`${url}/fp/databases/library`);
    await importDocuments(
      other,
      Array.from({ length: 40 }, (_, n) => ({ _id: `aaa-${n}`, title: 'before all others' })),
    );
    await page.getByText('1,242 documents', { exact: true }).waitFor({ state: 'visible' });
    await expect.poll(placeOf).toBe(before);
    await other.close();
  });

  test('columns are hidden, pinned, moved and made wider, and stay so', async () => {
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
    await page.mouse.move(box.x + 104, box.y + 10, { steps: 4 });
    await page.mouse.up();
    await expect.poll(widthOf).toBeGreaterThan(before + 60);
    await open();
    await expect.poll(headings).toEqual(['document id', 'place', 'year', 'title', 'Actions']);
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await expect.poll(headings).toEqual(['document id', 'title', 'year', 'tags', 'place', 'Actions']);
  });

  test.each(LOOKS)(
    'it is well at $width px in the $theme theme, with its menus and dialogs',
    async (worn) => {
      await wear(page, worn);
      await open('?sort=-year&where=%5B%22year%22%2C%22exists%22%5D');
      await page.getByLabel('Select doc-1199').check();
      const shown = `documents-${worn.width}-${worn.theme}`;
      await ada.shot(shown);
      const faults = await faultsOf(page);
      for (const dialog of ['Filter', 'Columns', 'Import']) {
        await page.getByRole('button', { name: dialog, exact: true }).click();
        await page.getByRole('dialog').waitFor({ state: 'visible' });
        faults.push(...(await faultsOf(page)).map((fault) => `${dialog}: ${fault}`));
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
      }
      expect(faults).toEqual([]);
    },
  );

  test('nothing of this went wrong unseen', () => {
    expect(ada.problems).toEqual([]);
  });
});
