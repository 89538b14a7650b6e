/**
 * Compares the accessibility trees of the console's main parts with trees that somebody read and
 * judged: names, roles, states, counts and live regions. After a change, read the new tree
 * before you accept it (`npx vitest run tests/system/accessibility-tree.test.ts -u`).
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { accessibilityTree } from './accessibility-tree.fixture.ts';
import { makeDatabase, openImport, typeText, withConsole } from './local.fixture.ts';

const atNight = test.skipIf(budget({ commit: 0, night: 1, release: 1 }) === 0);

let url: string;
let page: Page;

const DOCS = [
  { _id: 'a', name: 'Ghotuo', speakers: 9000, tags: ['x', { of: 2 }], spoken: true },
  { _id: 'b', name: 'Alumu', speakers: 7000 },
];

withConsole(async (opened) => {
  url = opened.url;
  page = opened.ada.page;
  page.on('dialog', (dialog) => void dialog.accept());
  await makeDatabase(page, url, 'languages', DOCS);
});

/** A slow machine may take minutes from a write to its description. */
const inTime = (tree: string): string => tree.replace(/\d+ minutes? ago/g, 'just now');

const isAs = async (name: string, selector: string) =>
  expect(inTime(await accessibilityTree(page, selector))).toMatchFileSnapshot(
    `accessibility-tree/${name}.txt`,
  );
const button = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true });
const DIALOG = '[role=dialog]';

async function isDialogAs(name: string, open: () => Promise<void>): Promise<void> {
  await open();
  await page.locator(DIALOG).waitFor({ state: 'visible' });
  await isAs(name, DIALOG);
  await page.keyboard.press('Escape');
  await page.locator(DIALOG).waitFor({ state: 'detached' });
}

const goToTable = async () => {
  await page.goto(`${url}/fp/databases/languages`);
  await page.getByText('2 documents', { exact: true }).waitFor({ state: 'visible' });
};

atNight('describes the table, and the menu of a column', async () => {
  await goToTable();
  await page.getByLabel('Select a', { exact: true }).check();
  await page.getByRole('button', { name: 'Sort', exact: true }).waitFor();
  await isAs('table', 'main');
  await button('Column name').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Hide' }).waitFor({ state: 'visible' });
  await isAs('column-menu', '[role=menu]');
});

atNight('describes the dialogs of the table', async () => {
  await goToTable();
  await isDialogAs('filter', () => button('Filter').click());
  await isDialogAs('columns', () => button('Columns').click());
  await isDialogAs('save-view', async () => {
    await button('Views').click();
    await page.getByRole('menuitem', { name: 'Save as a new view' }).click();
  });
  await isDialogAs('palette', () => page.keyboard.press('ControlOrMeta+k'));
  await isDialogAs('import', async () => {
    await openImport(page);
    await page.getByLabel('Choose files to import').setInputFiles({
      name: 'languages.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('_id,name,speakers\na,One,1\nd,Two,9007199254740993\n'),
    });
    await page.getByRole('region', { name: 'Problems' }).waitFor({ state: 'visible' });
  });
});

atNight.each([
  ['schema', '?show=schema', 'speakers'],
  ['sharing', '/sharing', 'Only in this browser'],
  ['settings', '/settings', 'Export 2 documents'],
])('describes the page %s of a local database', async (name, path, shown) => {
  await page.goto(`${url}/fp/databases/languages${path}`);
  await page.getByRole('main').getByText(shown, { exact: true }).first().waitFor({ state: 'visible' });
  await isAs(name, 'main');
});

atNight('describes the three views of a document, and a merge', async () => {
  await page.goto(`${url}/fp/databases/languages/docs/a`);
  await page.getByRole('textbox', { name: 'Document as JSON' }).waitFor({ state: 'visible' });
  await page.getByRole('region', { name: 'Latest versions' }).waitFor({ state: 'visible' });
  await isAs('document', 'main');
  await button('Tree').click();
  await page.getByRole('treegrid').waitFor({ state: 'visible' });
  await isAs('tree', 'section[aria-label="Document as tree"]');
  await button('Form').click();
  await page.getByRole('region', { name: 'Document as form' }).waitFor({ state: 'visible' });
  await isAs('form', 'section[aria-label="Document as form"]');

  await button('JSON').click();
  await typeText(page, /document/i, '{"name": "mine"}');
  const other = await page.context().newPage();
  await other.goto(page.url());
  await typeText(other, /document/i, '{"name": "theirs", "speakers": 1}');
  await other.keyboard.press('ControlOrMeta+s');
  await other.getByText('Saved in this browser.').waitFor({ state: 'visible' });
  await other.close();
  await button('Merge...').waitFor({ state: 'visible' });
  await isAs('changed-elsewhere', 'main [role=alert]');
  await button('Merge...').click();
  await page.getByRole('region', { name: 'Merged document' }).waitFor({ state: 'visible' });
  await isAs('merge', 'section[aria-label=Merge]');
});

atNight('describes a query, its chart, and the table with the same numbers', async () => {
  await page.goto(`${url}/fp/databases/languages/query`);
  await typeText(page, 'Map function', '(doc, emit) => { emit(doc._id, doc._id.length); }');
  await page.getByLabel('Reduce').selectOption('Sum');
  await button('Query').click();
  await page.getByText(/^2 groups from 2 rows/).waitFor({ state: 'visible' });
  await button('Chart').click();
  await page.getByRole('img', { name: /^Bar chart/ }).focus();
  await page.keyboard.press('ArrowRight');
  await page.locator('[aria-live] p').first().waitFor({ state: 'visible' });
  await isAs('query', 'main');
});
