/**
 * Uses the tools of the console with the keyboard alone: import, the table's menus, the three views
 * of a document, merging, queries with charts, and the dialogs for connecting and for keys. After
 * each step the focus must be visible, and where users expect it.
 */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { focused, Keys, keepFocusInPage } from './keyboard.fixture.ts';
import { makeDatabase } from './local.fixture.ts';
import { makeLedger, signUp } from './people.fixture.ts';
import { type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

const atNight = test.skipIf(budget({ commit: 0, night: 1, release: 1 }) === 0);

let product: Product;
let browser: Browser;

withProduct((opened) => {
  ({ product, browser } = opened);
});

const shows = (page: Page, text: string | RegExp) =>
  page.getByText(text, { exact: true }).first().waitFor({ state: 'visible' });
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

const FILE = `{"_id":"a","name":"Ghotuo","speakers":9000,"tags":["x"]}
{"_id":"b","name":"Alumu","speakers":7000,"tags":[]}
{"_id":"c","name":"Ari","speakers":9007199254740993,"tags":["y"]}
`;

interface Seat extends Visitor {
  readonly keys: Keys;
}

/** Opens a page for somebody who uses no mouse. Questions of the browser are confirmed. */
async function sit(): Promise<Seat> {
  const one = await visitor(browser);
  await one.page.emulateMedia({ reducedMotion: 'reduce' });
  await keepFocusInPage(one.page);
  one.page.on('dialog', (dialog) => void dialog.accept());
  return { ...one, keys: new Keys(one.page) };
}

async function leave({ keys, problems, context }: Seat): Promise<void> {
  expect([keys.unseen, problems]).toEqual([[], []]);
  await context.close();
}

const columns = async (page: Page) =>
  (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim()).filter(Boolean);

atNight('[U13] imports a file and repairs it, then uses the menus of the table', async () => {
  const ada = await sit();
  const { page, keys } = ada;
  await makeDatabase(page, product.url, 'languages', [{ _id: 'z', name: 'Zapotec', speakers: 4 }]);

  await keys.chooseIn('More table actions', 'Import');
  await keys.isAt('dialog');
  const chooser = page.waitForEvent('filechooser');
  await keys.choose('Choose files to import');
  const buffer = Buffer.from(FILE);
  await (await chooser).setFiles({ name: 'languages.ndjson', mimeType: 'text/plain', buffer });
  await shows(page, '1 problem in 1 row');
  await keys.isAt('dialog');
  await keys.press('n');
  await keys.isAt('9007199254740993');
  await keys.to('Keep as text');
  await keys.press('ArrowRight');
  await keys.isAt('Skip');
  await keys.choose('Import 2 documents');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await keys.isAt('More table actions');
  await shows(page, 'Imported 2 documents.');

  // Headings are one tab stop. The arrow keys move between them and the buttons of their menus.
  await keys.to('document id');
  for (let step = 0; step < 3; step += 1) await keys.press('ArrowRight');
  await keys.isAt('Column name');
  await keys.chooseHere('Sort descending');
  await keys.isAt('Column name');
  const names = () => page.locator('[data-row] [data-column=name]').allInnerTexts();
  await expect.poll(names).toEqual(['Zapotec', 'Ghotuo', 'Alumu']);
  const width = () =>
    page.getByRole('columnheader', { name: 'name' }).evaluate((one) => one.getBoundingClientRect().width);
  const before = await width();
  await keys.chooseHere('Make wide');
  await keys.isAt('Column name');
  expect(await width()).toBeGreaterThan(before);
  await keys.chooseHere('Reset width');
  await expect.poll(width).toBe(before);
  await keys.isAt('Column name');
  await keys.chooseHere('Move right');
  await expect.poll(() => columns(page)).toEqual(['document id', 'speakers', 'name', 'tags', 'Actions']);
  await keys.isAt('Column name');
  await keys.press('ArrowRight');
  await keys.press('ArrowRight');
  await keys.chooseHere('Show only documents with this field');
  await shows(page, '2 documents found');
  await keys.chooseHere('Hide');
  await expect.poll(() => columns(page)).toEqual(['document id', 'speakers', 'name', 'Actions']);
  // The next heading, or the last one, takes the place of a hidden one.
  await expect.poll(async () => (await focused(page)).name).not.toBe('');

  await keys.chooseIn('Views', 'Save as a new view');
  await keys.isAt('Name of the view');
  await keys.type('With tags');
  await keys.press('Enter');
  await shows(page, 'Saved the view "With tags".');
  await keys.isAt('With tags');
  await keys.chooseHere('Show all documents');
  await shows(page, '3 documents');
  await keys.isAt('Views');

  // The button says that a column is hidden.
  for (const [button, dialog] of [
    [/^Columns\s*3 of 4$/, 'Columns'],
    [/^Filter$/, 'Filter'],
  ] as const) {
    await keys.choose(button);
    await page.getByRole('dialog', { name: dialog }).waitFor();
    await keys.press('Escape');
    await keys.isAt(button);
  }
  await keys.press('ControlOrMeta+k');
  // The palette has only one field, whose caret shows the focus.
  await expect.poll(async () => (await focused(page)).name).toBe('Search and commands');
  await keys.press('Escape');
  await keys.isAt('Filter');
  await keys.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await keys.press('Escape');
  await keys.isAt('Filter');
  await keys.press('ControlOrMeta+z');
  await shows(page, '1 document');
  await keys.isAt('Filter');
  await keys.press('ControlOrMeta+Shift+z');
  await shows(page, '3 documents');
  await leave(ada);
});

atNight('[U13] edits a document as a tree and as a form, and merges a change of another tab', async () => {
  const ada = await sit();
  const { page, keys, context } = ada;
  const stored = { _id: 'a', name: 'Ghotuo', place: { lat: 1.5 }, reviewed: '2026-11-23' };
  await makeDatabase(page, product.url, 'languages', [stored, { _id: 'b' }]);
  await keys.choose('a');
  await page.getByRole('textbox', { name: /document/i }).waitFor();
  // The page has the focus, so Tab starts at its top.
  await keys.isAt('');
  await keys.press('j');
  await page.waitForURL(/\/docs\/b$/);
  await page.getByRole('link', { name: /^Previous document/ }).waitFor();
  await keys.press('k');
  await page.waitForURL(/\/docs\/a$/);

  await keys.choose('Tree');
  await keys.isAt('Tree');
  await keys.to('name: Ghotuo');
  await keys.press('ArrowDown');
  await keys.isAt('place: 1 field');
  await keys.press('ArrowLeft');
  await expect.poll(() => page.getByRole('row', { name: 'lat: 1.5' }).count()).toBe(0);
  await keys.press('ArrowRight');
  await keys.press('ArrowRight');
  await keys.isAt('lat: 1.5');
  await keys.press('Enter');
  await keys.isAt('place › lat');
  await keys.press('ControlOrMeta+a');
  await keys.type('2.5');
  await keys.press('Enter');
  await keys.isAt('lat: 2.5');

  await keys.choose('Form');
  await keys.to('name');
  await keys.press('ControlOrMeta+a');
  await keys.type('of mine');
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByRole('button', { name: 'JSON', exact: true }).click();
  await other.getByRole('textbox', { name: /document/i }).click();
  await other.keyboard.press('ControlOrMeta+a');
  await other.keyboard.insertText(JSON.stringify({ ...stored, name: 'of another', _id: undefined }));
  await other.keyboard.press('ControlOrMeta+s');
  await shows(other, 'Saved in this browser.');
  await other.close();
  await page.getByRole('button', { name: /merge/i }).first().waitFor();
  await keys.isAt('name');
  await keys.choose(/merge/i);
  await region(page, 'Merge').waitFor();
  await keys.to(/^My version\s+of mine/);
  await keys.press('ArrowDown');
  await keys.isAt(/^The other version/);
  await keys.choose('Use the merged document');
  await region(page, 'Merge').waitFor({ state: 'detached' });
  await expect.poll(async () => (await focused(page)).name).not.toBe('');
  await keys.press('ControlOrMeta+s');
  await shows(page, 'Saved in this browser.');
  await expect.poll(() => page.getByRole('textbox', { name: 'name' }).inputValue()).toBe('of another');
  await expect.poll(() => page.getByRole('textbox', { name: 'place › lat' }).inputValue()).toBe('2.5');
  await leave(ada);
});

atNight('[U13] runs a query with groups, and reads its chart and the table below', async () => {
  const ada = await sit();
  const { page, keys } = ada;
  const docs = ['x', 'y', 'y'].map((kind, at) => ({ _id: `d${at}`, kind, count: at + 1 }));
  await makeDatabase(page, product.url, 'counts', docs);
  await keys.choose('Query');
  await page.getByRole('textbox', { name: 'Map function' }).waitFor();
  await keys.edit('(doc, emit) => { emit(doc.kind, doc.count); }');
  await keys.to('Reduce');
  await keys.type('Sum');
  await keys.press('ControlOrMeta+Enter');
  await shows(page, /^2 groups from 3 rows/);
  await keys.isAt('Reduce');
  await keys.choose('Chart');
  await page.getByRole('img', { name: /^Bar chart/ }).waitFor();
  await keys.to(/^Bar chart/);
  for (const bar of ['x', 'y']) {
    await keys.press('ArrowRight');
    await page.locator('[aria-live]', { hasText: bar }).getByText(bar, { exact: true }).waitFor();
  }
  // The same numbers follow as a table.
  const rows = () => page.getByRole('grid', { name: 'Results' }).getByRole('row').allInnerTexts();
  await expect
    .poll(async () => (await rows()).map((row) => row.split(/\s+/)))
    .toEqual([
      ['key', 'value'],
      ['x', '1'],
      ['y', '5'],
    ]);
  await leave(ada);
});

atNight('[U13] connects a local database, and creates keys and a recovery code', async () => {
  const ada = await sit();
  const { page, keys } = ada;
  await makeDatabase(page, product.url, 'letters', [{ _id: 'a' }]);
  await signUp(product, ada, 'ada@example.com', 'Ada');
  await makeLedger(product, page, 'End-to-end encrypted');

  await region(page, 'No recovery code yet').waitFor();
  await keys.choose('Create recovery code');
  await region(page, 'Your recovery code').waitFor();
  await keys.choose('I’ve saved it');
  await region(page, 'Your recovery code').waitFor({ state: 'detached' });
  await keys.chooseIn('Database actions', 'Sync and storage');
  const dialog = page.getByRole('dialog', { name: /Sync/ });
  await dialog.getByText('This device', { exact: false }).first().waitFor();
  await keys.press('Escape');
  await keys.isAt('Database actions');

  await page.goto(`${product.url}/fp/databases/letters`);
  await page.getByRole('link', { name: 'a', exact: true }).waitFor();
  // The sidebar has a link of the same name.
  await keys.to('New Document');
  await keys.choose('Connect');
  await page.getByLabel('Name in the cloud').waitFor();
  // The page has the focus, so Tab starts at its top.
  await keys.isAt('');
  await keys.to('Name in the cloud');
  await keys.choose('Connect');
  await shows(page, 'letters is in sync with the cloud');
  await expect.poll(async () => (await focused(page)).name).not.toBe('Skip to content');
  await leave(ada);
});
