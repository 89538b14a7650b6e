/**
 * Changes documents in the table: single cells, many documents at once, from a file, and from
 * another page.
 */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { libraryDocs, makeLibrary, openLibrary } from './library.fixture.ts';
import { faultsOf, importDocuments, makeDatabase, openImport, withConsole } from './local.fixture.ts';
import type { Visitor } from './product.fixture.ts';

let url: string;
let ada: Visitor;
let page: Page;

withConsole(async (opened) => {
  ({ url, ada } = opened);
  page = ada.page;
  await makeLibrary(page, url);
});

const open = (search = '') => openLibrary(page, url, search);

describe('changes to documents in the table', () => {
  test('deletes many selected documents at once, and restores these documents', async () => {
    await open('?find=Title%2011');
    await page.getByText('111 documents found').waitFor({ state: 'visible' });
    await page.getByLabel('Select all rows').check();
    await page.getByLabel('Select doc-0011').uncheck();
    await page.getByText('110 selected').waitFor({ state: 'visible' });
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted 110 documents.').waitFor({ state: 'visible' });
    // A message stays open while the pointer is over it.
    await page.getByRole('button', { name: 'Undo' }).hover();
    await page.getByText('1 document found').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('111 documents found').waitFor({ state: 'visible' });
  });

  test('deselects documents that were deleted or are filtered out', async () => {
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
    await selection.waitFor({ state: 'detached' });
  });

  test('edits a cell after a tap on a touch screen, once editing is enabled', async () => {
    const context = await ada.context.browser()?.newContext({
      viewport: { width: 375, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    const phone = await context?.newPage();
    if (context === undefined || phone === undefined) throw new Error('no browser');
    await makeDatabase(phone, url, 'pocket', [{ _id: 'a-rather-long-id-of-a-document', title: 'first' }]);
    // A small screen shows a list, and a table only while its cells can be edited.
    const row = phone.locator('[data-row="0"]');
    await expect.poll(() => row.getByRole('link').innerText()).toBe('first');
    const cell = row.locator('[data-column="title"]');
    expect(await cell.count()).toBe(0);
    await phone.getByRole('button', { name: 'Edit cells' }).tap();
    await expect.poll(() => cell.innerText()).toBe('first');
    const box = await cell.boundingBox();
    expect(box?.x ?? 375).toBeLessThan(300);
    await cell.tap();
    // The editor is a dialog in front of the page, so it doesn't cover other cells.
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
    await dialog.getByRole('combobox', { name: /^Type of title/ }).selectOption('number');
    await title.fill('no number');
    await dialog.getByText('This isn’t a number.').waitFor({ state: 'visible' });
    await expect.poll(() => dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByRole('combobox', { name: /^Type of title/ }).selectOption('text');
    await title.fill('by a finger');
    await dialog.getByText('a-rather-long-id-of-a-document').tap();
    await dialog.getByRole('button', { name: 'Save' }).tap();
    await expect.poll(() => cell.innerText()).toBe('by a finger');
    await phone.getByText(/^Changed title of /).waitFor({ state: 'visible' });
    expect(new URL(phone.url()).pathname).toMatch(/\/pocket$/);
    await phone.getByRole('button', { name: 'Edit cells' }).tap();
    await row.getByText('by a finger').tap();
    await phone.waitForURL(/\/docs\/a-rather-long-id-of-a-document$/);
    await context.close();
  });

  test('edits a cell in place with pointer or keyboard, cancels an edit with Escape, and reverts an edit with Undo', async () => {
    await open();
    const cell = (row: number, column: string) =>
      page.locator(`[data-row="${row}"] [data-column="${column}"]`);
    await cell(1, 'title').hover();
    await page.getByRole('button', { name: 'Edit title' }).click();
    const title = page.getByRole('textbox', { name: 'title of doc-0001' });
    await expect.poll(() => title.inputValue()).toBe('Title 1');
    await title.fill('Another title');
    await page.keyboard.press('Escape');
    await title.waitFor({ state: 'detached' });
    await expect.poll(() => cell(1, 'title').innerText()).toBe('Title 1');
    // After the edit, the cell has the focus again.
    await page.locator('[data-row="1"] [data-column="title"]:focus').waitFor();
    await page.keyboard.press('F2');
    await title.fill('Another title');
    await page.keyboard.press('Enter');
    await expect.poll(() => cell(1, 'title').innerText()).toBe('Another title');
    await page.getByText('Changed title of doc-0001.').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => cell(1, 'title').innerText()).toBe('Title 1');

    await cell(1, 'title').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const year = page.getByRole('textbox', { name: 'year of doc-0001' });
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Type of year of doc-0001' }).inputValue())
      .toBe('number');
    await year.fill('no number');
    await page.keyboard.press('Enter');
    await expect.poll(() => year.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('combobox', { name: 'Type of year of doc-0001' }).selectOption('json');
    await year.fill('{"from": 1801}');
    await year.press('Enter');
    await page.getByText('Changed year of doc-0001.').waitFor({ state: 'visible' });
    await open();
    await expect.poll(() => cell(1, 'year').innerText()).toBe('from: 1801');
    // The edit adds a field that the document didn't have, and Undo removes the field again.
    await cell(1, 'place').hover();
    await page.getByRole('button', { name: 'Edit place' }).click();
    await page.getByRole('combobox', { name: 'Type of place of doc-0001' }).selectOption('boolean');
    await page.getByRole('combobox', { name: 'place of doc-0001', exact: true }).selectOption('true');
    await page.keyboard.press('Enter');
    await expect.poll(() => cell(1, 'place').innerText()).toBe('true');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => cell(1, 'place').innerText()).toBe('');
    await cell(1, 'year').hover();
    await page.getByRole('button', { name: 'Edit year' }).click();
    await page.getByRole('combobox', { name: 'Type of year of doc-0001' }).selectOption('number');
    await year.fill('1801');
    await year.press('Enter');
    await expect.poll(() => cell(1, 'year').innerText()).toBe('1801');
    // The cell shows a value before the value is stored, so the test waits for the message.
    await page.getByText('Changed year of doc-0001.').waitFor({ state: 'visible' });
  });

  test('sets or removes one field of many documents after a preview, and restores the old values', async () => {
    await open('?find=Title%2011');
    await page.getByText('111 documents found').waitFor({ state: 'visible' });
    await page.getByLabel('Select all rows').check();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit 111 documents' });
    await dialog.getByLabel('Field', { exact: true }).fill('tags');
    await dialog.getByRole('combobox', { name: 'Type of new value' }).selectOption('none');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog
      .getByText(/^Of 111 documents: 55 will lose the field, 56 won’t change/)
      .waitFor({ state: 'visible' });
    expect(await faultsOf(page)).toEqual([]);
    await ada.shot('documents-bulk-edit');
    await dialog.getByRole('combobox', { name: 'Type of new value' }).selectOption('json');
    await dialog.getByRole('textbox', { name: 'new value' }).fill('["edited"]');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog
      .getByText('Of 111 documents: 55 will get a new value, 56 will get the field.')
      .waitFor({ state: 'visible' });
    await dialog.getByRole('button', { name: 'Change 111 documents' }).click();
    await page.getByText('Changed tags in 111 documents.').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Undo' }).hover();
    await page.getByRole('gridcell', { name: 'edited', exact: true }).first().waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('gridcell', { name: 'edited', exact: true }).first().waitFor({ state: 'hidden' });
  });

  test('exports all documents', async () => {
    await open();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'More table actions' }).click();
    await page.getByRole('menuitem', { name: /NDJSON/ }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    const lines = text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(libraryDocs);
    await page.getByText('Exported 1,200 documents.').waitFor({ state: 'visible' });
  });

  test('shows which documents an import would replace, and replaces these documents on request', async () => {
    await open();
    await openImport(page);
    await page.getByLabel('Choose files to import').setInputFiles({
      name: 'more.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('_id,title\r\ndoc-0000,"Once, again"\r\nnew-one,7\r\n'),
    });
    await page.getByRole('button', { name: 'Import 1 document' }).waitFor({ state: 'visible' });
    await page.getByLabel('Replace', { exact: true }).check();
    await page.getByRole('button', { name: 'Import 2 documents' }).click();
    await page.getByText('Imported 2 documents.').waitFor({ state: 'visible' });
    await page.getByText('Once, again').waitFor({ state: 'visible' });
    await page.getByText('1,201 documents', { exact: true }).waitFor({ state: 'visible' });
    await importDocuments(page, [{ _id: 'another' }]);
    await page.getByText('1,202 documents', { exact: true }).waitFor({ state: 'visible' });
  });

  test('explains why a file has no documents, and accepts another file', async () => {
    await open();
    await openImport(page);
    const dialog = page.getByRole('dialog', { name: 'Import documents' });
    const choose = (text: string) =>
      dialog.getByLabel('Choose files to import').setInputFiles({
        name: 'more.json',
        mimeType: 'application/json',
        buffer: Buffer.from(text),
      });
    await choose('[1]');
    await dialog.getByText('Not a document').waitFor({ state: 'visible' });
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Remove more.json' }).click();
    await choose('[{"_id":"not-yet"}]');
    await dialog.getByRole('button', { name: 'Import 1 document' }).waitFor({ state: 'visible' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('1,202 documents', { exact: true }).waitFor({ state: 'visible' });
  });

  test('shows changes that another page makes, without moving the visible rows', async () => {
    await open();
    const grid = page.getByRole('grid');
    await grid.evaluate((element) => element.scrollTo({ top: 16_000 }));
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

  test('reports no hidden problems', () => {
    expect(ada.problems).toEqual([]);
  });
});
