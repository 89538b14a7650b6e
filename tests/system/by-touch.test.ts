/**
 * Uses every command of the table on a phone: by touch alone, without a pointer that hovers and
 * without the keys of a keyboard.
 */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { faultsOf, makeDatabase, withConsole } from './local.fixture.ts';
import { allowClipboard, inFirefox, launchChromium, savedText } from './product.fixture.ts';
import { hiddenControls } from './small-screen.fixture.ts';

/** Whether the run has time for columns and blocks, which other tests use by mouse and keyboard. */
const NIGHTLY = budget({ commit: 0, night: 1, release: 1 }) === 1;
const atNight = test.skipIf(!NIGHTLY);

let url: string;
let page: Page;

const DOCS = Array.from({ length: 12 }, (_, n) => ({
  _id: `item-${String(n).padStart(2, '0')}`,
  name: `Item ${n}`,
  size: 12 - n,
  ...(n < 6 && { note: `note ${n}` }),
}));

withConsole(async (opened) => {
  url = opened.url;
  const context = await opened.browser.newContext({
    viewport: { width: 375, height: 740 },
    hasTouch: true,
    isMobile: true,
    acceptDownloads: true,
  });
  await allowClipboard(context, url);
  page = await context.newPage();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  page.on('dialog', (dialog) => void dialog.accept());
  await makeDatabase(page, url, 'items', DOCS);
});

const tap = (name: string | RegExp, within: Page | Locator = page) =>
  within
    .getByRole('button', { name, exact: typeof name === 'string' })
    .filter({ visible: true })
    .first()
    .tap();
const row = (at: number) => page.locator(`[data-row="${at}"]`);
const cell = (at: number, column: string) => row(at).locator(`[data-column="${column}"]`);
const titles = () => page.locator('[data-row] a').allInnerTexts();
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
const bar = (name: string) => page.getByRole('region', { name });
const headings = () =>
  page.getByRole('columnheader').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));

async function choose(button: string | RegExp, item: string | RegExp, role: 'menuitem' | 'menuitemcheckbox') {
  await tap(button);
  await page.getByRole(role, { name: item, exact: typeof item === 'string' }).tap();
}

async function open(search = ''): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${url}/fp/databases/items${search}`);
  await row(0).getByRole('link').waitFor();
}

/** Undoes the last change with the bar that says what it was. */
async function undo(said: string | RegExp): Promise<void> {
  await bar('Undo').getByText(said).waitFor();
  await tap('Undo', bar('Undo'));
  await bar('Undo')
    .getByText(/^Undid/)
    .waitFor();
}

describe('the list of a phone', () => {
  test('opens a document, its neighbours, and the table again', async () => {
    await open();
    await row(1).getByText('note 1').tap();
    await page.waitForURL(/\/docs\/item-01$/);
    await page.getByRole('link', { name: /^Next document/ }).tap();
    await page.waitForURL(/\/docs\/item-02$/);
    await page.getByRole('link', { name: /^Previous document/ }).tap();
    await page.waitForURL(/\/docs\/item-01$/);
    await tap('Cancel');
    await row(1).getByRole('link').waitFor();
  });

  test('sorts by each field in both orders', async () => {
    await open();
    await choose(/^Sort/, 'size', 'menuitem');
    await expect.poll(async () => (await titles())[0]).toBe('Item 11');
    await tap(/^Sort/);
    await page.getByRole('menuitem', { name: /^size.*ascending/ }).tap();
    await expect.poll(async () => (await titles())[0]).toBe('Item 0');
  });

  test('finds, filters and shows all documents again', async () => {
    await open();
    await page.getByRole('searchbox').tap();
    await page.getByRole('searchbox').fill('note 3');
    await page.getByText('1 document found').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByText('12 documents').waitFor();
    await tap('Filter');
    await dialog('Filter').getByRole('combobox').first().selectOption('name');
    await dialog('Filter').getByLabel('Value').fill('Item 1');
    await tap('Add condition', dialog('Filter'));
    await page.getByText('3 documents found').waitFor();
    await tap(/^Remove/);
    await page.getByText('12 documents').waitFor();
  });

  test('selects, edits, copies, exports and deletes documents', async () => {
    await open();
    await page.getByLabel('Select item-00', { exact: true }).tap();
    const selection = bar('Selection');
    await tap('Select all', selection);
    await selection.getByText('12 selected').waitFor();
    await tap('Clear', selection);
    await selection.waitFor({ state: 'detached' });
    await page.getByLabel('Select item-00', { exact: true }).tap();
    await page.getByLabel('Select item-02', { exact: true }).tap();
    await tap('Copy', selection);
    await page.getByRole('menuitem', { name: 'Copy as JSON' }).tap();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toMatch(/"item-00"[\s\S]*"item-02"/);
    await tap('Export', selection);
    const exported = await savedText(page, () => page.getByRole('menuitem', { name: /^NDJSON/ }).tap());
    expect(exported.trim().split('\n')).toHaveLength(2);
    await tap('Edit', selection);
    const edit = dialog('Edit 2 documents');
    await edit.getByLabel('Field', { exact: true }).fill('shelf');
    await edit.getByRole('textbox', { name: 'new value' }).fill('upper');
    await tap('Preview', edit);
    await tap('Change 2 documents', edit);
    await undo('Changed shelf in 2 documents.');
    await tap('Delete', selection);
    await undo('Deleted 2 documents.');
    await tap('Delete item-05');
    await undo('Deleted document item-05.');
    await expect.poll(titles).toHaveLength(12);
  });
});

describe('the table of a phone', () => {
  test('edits a cell and adds a field to a document that lacks it', async () => {
    await open();
    await tap('Edit cells');
    await cell(8, 'note').tap();
    const edit = dialog('Edit note');
    await edit.getByRole('textbox').fill('written by touch');
    await tap('Save', edit);
    await expect.poll(() => cell(8, 'note').innerText()).toBe('written by touch');
    await undo('Changed note of item-08.');
  });

  atNight('sorts, moves, pins, widens and hides a column from its heading', async () => {
    await open();
    await tap('Edit cells');
    await cell(0, 'size').waitFor();
    const before = (await page.getByRole('columnheader', { name: 'size' }).boundingBox())?.width ?? 0;
    await choose('Column size', 'Sort ascending', 'menuitem');
    await expect.poll(() => cell(0, 'size').innerText()).toBe('1');
    await choose('Column size', 'Make wide', 'menuitem');
    await expect
      .poll(async () => (await page.getByRole('columnheader', { name: 'size' }).boundingBox())?.width)
      .toBeGreaterThan(before);
    await choose('Column size', 'Reset width', 'menuitem');
    await expect
      .poll(async () => (await page.getByRole('columnheader', { name: 'size' }).boundingBox())?.width)
      .toBe(before);
    const first = await headings();
    await choose(
      'Column size',
      first.indexOf('size') < first.indexOf('name') ? 'Move right' : 'Move left',
      'menuitem',
    );
    await expect.poll(headings).not.toEqual(first);
    await choose('Column size', 'Pin to the left', 'menuitem');
    await choose('Column size', 'Unpin', 'menuitem');
    await choose('Column size', 'Hide', 'menuitem');
    await expect.poll(headings).not.toContain('size');
    await choose('More table actions', 'Columns', 'menuitem');
    await dialog('Columns').getByLabel(/^size/).tap();
    await tap('Move size left', dialog('Columns'));
    await tap('Reset', dialog('Columns'));
    await tap('Done', dialog('Columns'));
    await expect.poll(headings).toEqual(first);
  });

  atNight('changes the width of a column with a finger', async () => {
    await open();
    await tap('Edit cells');
    const heading = page.getByRole('columnheader', { name: 'name' });
    const handle = heading.locator('[data-resizer]');
    await handle.waitFor({ state: 'attached' });
    await handle.scrollIntoViewIfNeeded();
    const at = await handle.boundingBox();
    const { width } = (await heading.boundingBox()) ?? { width: 0 };
    if (at === null) throw new Error('no handle');
    const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
    const devtools = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', to = x) =>
      devtools.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x: to, y }],
      });
    await touch('touchStart');
    for (const moved of [10, 20, 30]) await touch('touchMove', x + moved);
    await touch('touchEnd');
    await expect.poll(async () => (await heading.boundingBox())?.width).toBe(width + 30);
    await choose('Column name', 'Reset width', 'menuitem');
  });

  atNight('selects a block of cells, and copies, pastes, fills and clears it', async () => {
    await open();
    await choose('More table actions', 'Select cells by tapping', 'menuitemcheckbox');
    await page.getByText(/^Tap two cells/).waitFor();
    await page.getByRole('menu').waitFor({ state: 'detached' });
    const cells = bar('Selected cells');
    await cell(0, 'name').tap();
    await cell(2, 'name').tap();
    await cells.getByText('3 rows × 1 column').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tap('Copy', cells);
    await page.getByRole('menuitem').first().tap();
    await tap('Fill down', cells);
    await expect.poll(() => cell(2, 'name').innerText()).toBe('Item 0');
    await undo(/^Filled 2 cells/);
    await tap('Clear', cells);
    await cell(3, 'name').tap();
    await tap('Paste', cells);
    await expect.poll(() => cell(5, 'name').innerText()).toBe('Item 2');
    await undo(/^Pasted 3 cells/);
  });

  test('creates and imports documents, and exports all', async () => {
    await open();
    await tap('More table actions');
    const all = await savedText(page, () => page.getByRole('menuitem', { name: 'JSON', exact: true }).tap());
    expect(JSON.parse(all)).toHaveLength(12);
    await page.getByRole('link', { name: 'New Document' }).tap();
    await page.waitForURL(/\/docs\/new$/);
    await tap('Form');
    await tap('Add a field');
    await page.getByLabel('Name of the new field').fill('name');
    await page.getByLabel('Name of the new field').press('Enter');
    await page.getByRole('textbox', { name: 'name', exact: true }).fill('created by touch');
    await tap('Save');
    await page.waitForURL(/\/docs\/(?!new)[^/]+$/);
    await undo(/^Created document/);
  });
});

test.skipIf(inFirefox || !NIGHTLY)('[U13] fits on a phone with text of twice the size', async () => {
  const larger = await launchChromium('--blink-settings=defaultFontSize=32');
  const context = await larger.newContext({ viewport: { width: 375, height: 800 }, hasTouch: true });
  const small = await context.newPage();
  await small.emulateMedia({ reducedMotion: 'reduce' });
  const deep = Array.from({ length: 12 }).reduce<object>((inner) => ({ inner }), { end: 'here' });
  await makeDatabase(small, url, 'large', [{ _id: 'milk', at: '2026-11-30T12:00:00.000Z', count: 2, deep }]);
  const faults: string[] = [];
  const check = async (state: string) =>
    faults.push(
      ...[...(await faultsOf(small)), ...(await hiddenControls(small))].map((one) => `${state}: ${one}`),
    );
  await small.goto(`${url}/fp/databases/large`);
  // The parts above the rows leave room for them.
  await small.locator('[data-row="0"]').scrollIntoViewIfNeeded();
  expect((await small.getByRole('grid').boundingBox())?.height).toBeGreaterThan(150);
  await check('table');
  await tap('More table actions', small);
  await small.getByRole('menuitem').first().waitFor();
  await check('menu');
  await small.goto(`${url}/fp/databases/large/docs/milk`);
  for (const view of ['Tree', 'Form']) {
    await tap(view, small);
    await small.getByRole('button', { name: view, pressed: true }).waitFor();
    await small.getByRole('button', { name: /^More for count/ }).waitFor();
    await check(view);
  }
  await larger.close();
  expect(faults).toEqual([]);
});
