/** Edits documents like in a spreadsheet, by keyboard: undo, paste, fill, copy, and coming back. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { faultsOf, LOOKS, makeDatabase, wear, withConsole } from './local.fixture.ts';
import type { Visitor } from './product.fixture.ts';
import { allowClipboard } from './product.fixture.ts';

let url: string;
let ada: Visitor;
let page: Page;

const DOCS = Array.from({ length: 400 }, (_, n) => ({
  _id: `item-${String(n).padStart(3, '0')}`,
  code: String(n).padStart(3, '0'),
  name: `Item ${n}`,
  size: n,
}));

withConsole(async (opened) => {
  ({ url, ada } = opened);
  page = ada.page;
  page.on('dialog', (dialog) => void dialog.accept());
  await allowClipboard(ada.context, url);
  await makeDatabase(page, url, 'items', DOCS);
});

const undoBar = (of = page) => of.getByRole('region', { name: 'Undo' });
const cell = (row: number, column: string, of = page) =>
  of.locator(`[data-row="${row}"] [data-column="${column}"]`);
const cellText = (row: number, column: string, of = page) => cell(row, column, of).innerText();

async function open(search = '', of = page) {
  await of.goto(`${url}/fp/databases/items${search}`);
  await cell(0, 'code', of).waitFor({ state: 'visible' });
}

/** Opens the editor of a cell by keyboard, and types a value. */
async function type(row: number, column: string, value: string, of = page) {
  await of.bringToFront();
  await cell(row, column, of).focus();
  await of.keyboard.press('F2');
  await of.getByRole('textbox', { name: new RegExp(`^${column} of`) }).waitFor({ state: 'visible' });
  await of.keyboard.press('ControlOrMeta+a');
  await of.keyboard.type(value);
  await of.keyboard.press('Enter');
  await expect.poll(() => cellText(row, column, of)).toBe(value);
}

const setClipboard = (text: string) => page.evaluate((value) => navigator.clipboard.writeText(value), text);
const clipboard = () => page.evaluate(() => navigator.clipboard.readText());

describe('undo and redo', () => {
  test('undoes and redoes by keyboard on every page of the database', async () => {
    await open();
    await type(1, 'name', 'first');
    await undoBar().getByText('Changed name of item-001.').waitFor({ state: 'visible' });
    await type(1, 'name', 'second');
    await page.getByRole('link', { name: 'History', exact: true }).first().click();
    await page
      .getByText(/changes since/)
      .first()
      .waitFor({ state: 'visible' });
    await page.keyboard.press('ControlOrMeta+z');
    await undoBar().getByText('Undid “Changed name of item-001”.').waitFor({ state: 'visible' });
    await page.keyboard.press('ControlOrMeta+z');
    await page.keyboard.press('ControlOrMeta+Shift+z');
    await undoBar().getByText('Redid “Changed name of item-001”.').waitFor({ state: 'visible' });
    await page.goBack();
    await expect.poll(() => cellText(1, 'name')).toBe('first');
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(() => cellText(1, 'name')).toBe('Item 1');
  });

  test('asks first, and names the change of another tab that Undo would overwrite', async () => {
    await open();
    await type(2, 'name', 'mine');
    const other = await ada.context.newPage();
    await open('', other);
    await type(2, 'name', 'theirs', other);
    await page.bringToFront();
    await expect.poll(() => cellText(2, 'name')).toBe('theirs');
    await cell(2, 'name').focus();
    await page.keyboard.press('ControlOrMeta+z');
    const question = page.getByRole('group', { name: 'Undo “Changed name of item-002”' });
    await question.getByText(/^Another tab on this device changed this document since\./).waitFor();
    await question.getByText('item-002: name is now "theirs"').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await cellText(2, 'name')).toBe('theirs');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-column')))
      .toBe('name');
    // A change of another field is kept, without a question.
    await type(2, 'size', '77', other);
    await page.bringToFront();
    await expect.poll(() => cellText(2, 'size')).toBe('77');
    await page.keyboard.press('ControlOrMeta+z');
    await question.getByRole('button', { name: 'Undo anyway' }).press('Enter');
    await expect.poll(() => cellText(2, 'name')).toBe('Item 2');
    expect(await cellText(2, 'size')).toBe('77');
    await other.close();
  });

  test('restores a deleted document with its file', async () => {
    await makeDatabase(page, url, 'files', [{ _id: 'photo', about: 'sea' }]);
    await page.goto(`${url}/fp/databases/files/docs/photo`);
    await page.getByLabel('Files to add').setInputFiles({
      name: 'sea.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('waves'),
    });
    await undoBar().getByText('Added sea.txt.').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'photo' }).focus();
    await page.keyboard.press('Delete');
    await undoBar().getByText('Deleted document photo.').waitFor({ state: 'visible' });
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByRole('link', { name: 'photo' }).click();
    await page.getByText('waves', { exact: true }).waitFor({ state: 'visible' });
    await page.getByText('Saved in this browser.').waitFor({ state: 'visible' });
  });
});

describe('cells', () => {
  test('pastes cells of a spreadsheet with their types, and undoes this as one step', async () => {
    await open();
    await setClipboard('0901\t"two\nlines"\t1,234\n0902\tplain\t-5\n');
    await cell(10, 'code').focus();
    await page.keyboard.press('ControlOrMeta+v');
    await undoBar().getByText('Pasted 6 cells.').waitFor({ state: 'visible' });
    await expect.poll(() => cellText(10, 'code')).toBe('0901');
    expect(await cellText(10, 'size')).toBe('1234');
    expect(await cellText(11, 'size')).toBe('-5');
    const row = await storedDoc('item-010');
    expect(row).toMatchObject({ code: '0901', name: 'two\nlines', size: 1234 });
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(() => cellText(10, 'code')).toBe('010');
    expect(await cellText(11, 'size')).toBe('11');
  });

  test('shows a preview before it creates documents from pasted rows', async () => {
    await open();
    await cell(0, 'code').focus();
    await page.keyboard.press('End');
    await cell(399, 'code').waitFor({ state: 'visible' });
    await setClipboard('x1\tEnd\ny1\tNew\nz1\tNewer');
    await cell(399, 'code').focus();
    await page.keyboard.press('ControlOrMeta+v');
    const dialog = page.getByRole('dialog', { name: 'Paste cells' });
    await dialog
      .getByText('2 cells in 1 document will change, and 2 documents will be created.')
      .waitFor({ state: 'visible' });
    await dialog.getByRole('button', { name: 'Paste' }).press('Enter');
    await page.getByText('402 documents', { exact: true }).waitFor({ state: 'visible' });
    await undoBar().getByText('Pasted 2 cells, created 2 documents.').waitFor({ state: 'visible' });
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('400 documents', { exact: true }).waitFor({ state: 'visible' });
  });

  test('selects, copies and fills down a block by keyboard', async () => {
    await open();
    await cell(20, 'code').focus();
    for (const key of ['Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowRight'])
      await page.keyboard.press(key);
    const bar = page.getByRole('region', { name: 'Selected cells' });
    await bar.getByText('3 rows × 2 columns').waitFor({ state: 'visible' });
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press('ControlOrMeta+c');
    await expect.poll(clipboard).toBe('020\tItem 20\n021\tItem 21\n022\tItem 22');
    await bar.getByRole('button', { name: 'Copy' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Copy as Markdown' }).press('Enter');
    await expect.poll(clipboard).toMatch(/^\| code \| name \|\n\| --- \| --- \|\n\| 020 \| Item 20 \|/);
    await cell(22, 'name').focus();
    await page.keyboard.press('ControlOrMeta+d');
    await undoBar().getByText('Filled 4 cells.').waitFor({ state: 'visible' });
    await expect.poll(() => cellText(22, 'code')).toBe('020');
    expect(await storedDoc('item-022')).toMatchObject({ code: '020', name: 'Item 20', size: 22 });
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(() => cellText(22, 'code')).toBe('022');
  });
});

/** Returns a document as JSON, from the selection bar. */
async function storedDoc(id: string): Promise<unknown> {
  const row = page.getByLabel(`Select ${id}`);
  await row.check();
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Copy' }).click();
  await setClipboard('');
  await page.getByRole('menuitem', { name: 'Copy as JSON' }).click();
  await expect.poll(clipboard).toContain(id);
  await row.uncheck();
  return JSON.parse(await clipboard());
}

describe('coming back to the table', () => {
  const topPx = () => page.getByRole('grid').evaluate(({ scrollTop }) => scrollTop);

  test('restores scroll position, focus, selection, filter and order after Back, Cancel and a reload', async () => {
    await open('?sort=-size');
    await cell(0, 'code').focus();
    for (let press = 0; press < 6; press += 1) await page.keyboard.press('PageDown');
    await expect.poll(topPx).toBeGreaterThan(1000);
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor({ state: 'visible' });
    // The bar of the selection covers the focused row, so the table scrolls with the next key.
    await page.keyboard.press('ArrowLeft');
    const before = await topPx();
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest('[data-row]')?.getAttribute('data-row'));
    const row = await focused();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\//);
    for (const back of [
      () => page.goBack(),
      () => page.reload(),
      async () => {
        await page.goForward();
        await page.getByRole('button', { name: 'Cancel' }).click();
      },
    ]) {
      await back();
      await page.getByText('1 selected').waitFor({ state: 'visible' });
      await expect.poll(topPx).toBe(before);
      expect(new URL(page.url()).search).toBe('?sort=-size');
      await expect.poll(focused).toBe(row);
    }
  });

  test('takes changes of order as steps of the browser’s history', async () => {
    await open();
    await page.getByRole('button', { name: 'size', exact: true }).click();
    await page.waitForURL(/\?sort=size$/);
    await page.getByRole('button', { name: 'size', exact: true }).click();
    await page.waitForURL(/\?sort=-size$/);
    await page.goBack();
    await page.waitForURL(/\?sort=size$/);
    await page.goBack();
    await page.waitForURL(/\/items$/);
  });

  test('opens the next and previous document in the order of the table', async () => {
    await open('?sort=-size');
    await page.getByRole('link', { name: 'item-399' }).press('Enter');
    await page.waitForURL(/item-399$/);
    await page.getByText('1 of 400').waitFor({ state: 'visible' });
    await page.keyboard.press('j');
    await page.waitForURL(/item-398$/);
    await page.getByText('2 of 400').waitFor({ state: 'visible' });
    await page.keyboard.press('k');
    await page.waitForURL(/item-399$/);
  });
});

describe('the page of a document', () => {
  test('edits one draft as form, tree and JSON, and keeps the order of the fields', async () => {
    await makeDatabase(page, url, 'views', [
      { _id: 'arb', name: 'Arabic', reviewed: '2026-11-20', at: { lat: 24.7 }, scripts: ['Arab'] },
    ]);
    await page.goto(`${url}/fp/databases/views/docs/arb`);
    await page.getByText('Saved in this browser.').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Form' }).press('Enter');
    const form = page.getByRole('region', { name: 'Document as form' });
    await form.getByLabel('reviewed', { exact: true }).fill('2026-11-23');
    await form.getByRole('button', { name: 'Add a field', exact: true }).press('Enter');
    await page.keyboard.type('zebra');
    await page.keyboard.press('Enter');
    await form.getByLabel('zebra', { exact: true }).fill('last');
    await page.getByRole('button', { name: 'Tree' }).press('Enter');
    const tree = page.getByRole('treegrid', { name: 'Fields' });
    await tree.getByRole('row', { name: /24\.7/ }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('3.50');
    await page.keyboard.press('Enter');
    await expect.poll(() => tree.getByRole('row', { name: /3\.50/ }).count()).toBe(1);
    await page.getByRole('button', { name: 'JSON', exact: true }).press('Enter');
    const text = page.getByRole('textbox', { name: 'Document as JSON' });
    await expect.poll(() => text.innerText()).toMatch(/"lat": 3\.50[\s\S]*"zebra": "last"\s*\n}/);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await undoBar().getByText('Saved document arb.').waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(() => text.innerText()).toContain('2026-11-20');
  });

  test('follows links between documents, and opens a link to a field', async () => {
    await makeDatabase(page, url, 'links', [
      { _id: 'sem', name: 'Semitic' },
      { _id: 'arb', name: 'Arabic', family: 'sem' },
    ]);
    await page.goto(`${url}/fp/databases/links/docs/arb?field=family`);
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    await page.getByRole('region', { name: 'Links to documents' }).getByRole('link').press('Enter');
    await page.waitForURL(/\/docs\/sem$/);
    await page.getByRole('button', { name: 'Form' }).click();
    await page.goto(`${url}/fp/databases/links/docs/arb?field=family`);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('family');
    await page.getByRole('link', { name: 'Open document sem' }).press('Enter');
    await page.waitForURL(/\/docs\/sem$/);
  });

  test('shows Save of a changed document in a narrow window', async () => {
    await wear(page, { width: 375, height: 740, theme: 'dark' });
    await page.goto(`${url}/fp/databases/items/docs/item-003`);
    await page.getByRole('button', { name: 'Form' }).click();
    const form = page.getByRole('region', { name: 'Document as form' });
    await form.getByLabel('name', { exact: true }).fill('Changed');
    await page.getByRole('button', { name: 'Review changes' }).waitFor();
    const box = await page.getByRole('button', { name: 'Save', exact: true }).boundingBox();
    expect(box && [box.x >= 0, box.x + box.width <= 375]).toEqual([true, true]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved in this browser.').waitFor();
    await wear(page, { width: 1280, height: 800, theme: 'light' });
  });

  test.each(LOOKS)('has no accessibility faults as tree and form: %j', async (look) => {
    await wear(page, look);
    await page.goto(`${url}/fp/databases/views/docs/arb`);
    for (const view of ['Form', 'Tree']) {
      await page.getByRole('button', { name: view }).click();
      await page.getByRole('region', { name: `Document as ${view.toLowerCase()}` }).waitFor();
      await page.screenshot({
        path: `artefacts/document-${view.toLowerCase()}-${look.width}-${look.theme}.png`,
      });
      expect(await faultsOf(page)).toEqual([]);
    }
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    await wear(page, { width: 1280, height: 800, theme: 'light' });
  });
});
