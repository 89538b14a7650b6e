/**
 * Replays the first hour of two users who use only the keyboard. The focused element must always be
 * visible.
 */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { focused, Keys, keepFocusInPage } from './keyboard.fixture.ts';
import { makeDatabase } from './local.fixture.ts';
import { PASSWORD } from './people.fixture.ts';
import { type Product, visitor, withProduct } from './product.fixture.ts';

let product: Product;
let browser: Browser;

withProduct((opened) => {
  ({ product, browser } = opened);
});

const shows = (page: Page, text: string | RegExp) =>
  page
    .getByText(text, { exact: typeof text === 'string' })
    .first()
    .waitFor({ state: 'visible' });
const at = (page: Page, path: RegExp) => page.waitForURL((now) => path.test(now.pathname));

test('[U13] works with local databases using only the keyboard, with visible focus', async () => {
  const { page, problems, context } = await visitor(browser);
  await keepFocusInPage(page);
  page.on('dialog', (dialog) => void dialog.accept());
  const keys = new Keys(page);
  await page.goto(product.url);
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await keys.choose('work with local databases');
  await page.getByLabel('Name of your first database').waitFor();
  await keys.write('Name of your first database', 'groceries');
  await keys.press('Enter');
  await at(page, /\/groceries$/);

  await shows(page, /^No documents found/);
  await keys.choose('New Document');
  await page.getByRole('textbox', { name: /document/i }).waitFor();
  await keys.edit('{"_id": "milk", "item": "milk", "count": 2}');
  await keys.choose('Save');
  await shows(page, 'Saved in this browser.');
  await keys.choose('Cancel');
  await page.getByRole('link', { name: 'milk', exact: true }).waitFor();

  await keys.to('milk');
  await keys.press('ArrowRight');
  await keys.press('ArrowRight');
  await keys.press('F2');
  await page.getByRole('textbox', { name: /of milk$/ }).waitFor();
  await keys.press('ControlOrMeta+a');
  await keys.type('oat milk');
  await keys.press('Enter');
  await shows(page, 'Changed item of milk.');
  await page.reload();
  await shows(page, 'oat milk');
  await keys.to('milk');
  await keys.press('Delete');
  await shows(page, 'Deleted document milk.');
  // Hovering keeps the message open. Without it, the message may close first on a busy machine.
  await page.getByRole('button', { name: 'Undo' }).hover();
  await keys.choose('Undo');
  await page.getByRole('link', { name: 'milk', exact: true }).waitFor();

  await keys.choose('Filter');
  await page.getByRole('dialog', { name: 'Filter' }).waitFor();
  await keys.write('Value', 'nothing like it');
  await keys.press('Enter');
  await shows(page, /^No documents match/);
  await keys.choose('Show all documents');
  await shows(page, '1 document');

  await keys.choose('Database actions');
  await page.getByRole('menuitem', { name: 'Lock' }).waitFor();
  await keys.press('ArrowDown');
  await keys.press('Enter');
  await page.getByRole('dialog', { name: 'Storage' }).waitFor();
  await keys.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(async () => (await focused(page)).name).toBe('Database actions');

  await keys.choose('Query');
  await page.getByRole('textbox', { name: 'Map function' }).waitFor();
  await keys.edit('(doc) => doc.count');
  await keys.choose('Query');
  await shows(page, /^1 row in/);
  await keys.write('Query name', ' by count');
  await keys.press('Enter');
  await shows(page, /^Saved /);

  await keys.choose('History');
  await at(page, /\/history$/);
  await shows(page, /changes since/);
  await keys.to('Changes');
  for (const [key, view, shown] of [
    ['ArrowRight', 'By document', /documents?, newest first/],
    ['End', 'Compare', /no other local database/],
    ['ArrowLeft', 'Check', /^Not verified yet/],
    ['Home', 'Changes', /changes since/],
  ] as const) {
    await keys.press(key);
    await shows(page, shown);
    await expect.poll(async () => (await focused(page)).name).toBe(view);
  }
  // All tabs of the views together are one tab stop.
  await keys.press('Tab');
  expect((await focused(page)).name).not.toBe('By document');
  expect([keys.unseen, problems]).toEqual([[], []]);
  await context.close();
});

test('[U13] opens sharing and settings of a local database, creates an index and deletes it by keyboard', async () => {
  const { page, problems, context } = await visitor(browser);
  await keepFocusInPage(page);
  page.on('dialog', (dialog) => void dialog.accept());
  await makeDatabase(page, product.url, 'groceries', [{ _id: 'milk', count: 2 }]);
  const keys = new Keys(page);
  await keys.choose('Sharing');
  await shows(page, 'Only in this browser');
  await keys.choose('Settings');
  await shows(page, /^No indexes yet/);
  await keys.choose('Create index');
  await page.getByRole('dialog', { name: 'Create an index' }).waitFor();
  await keys.write('Fields', 'count');
  await keys.press('Enter');
  await shows(page, 'Created an index on count.');
  await page.getByRole('cell', { name: 'count' }).waitFor();
  await keys.choose('Delete Database');
  await page.waitForURL(/\/login/);
  expect([keys.unseen, problems]).toEqual([[], []]);
  await context.close();
});

test('[U13] works with the cloud using only the keyboard, with visible focus', async () => {
  const { page, problems, context } = await visitor(browser);
  await keepFocusInPage(page);
  const keys = new Keys(page);
  await page.goto(`${product.url}/signup`);
  await page.getByLabel('Name').waitFor();
  await keys.write('Name', 'Ada');
  await keys.write('Email', 'ada@example.com');
  await keys.write('Password', PASSWORD);
  await keys.press('Enter');
  await shows(page, 'Here is the cloud');
  // The navigation removed the focused element. The focus must not move to the skip link, which
  // would cover the title.
  const skip = page.getByRole('link', { name: 'Skip to content' });
  expect(await skip.evaluate((link) => link === document.activeElement)).toBe(false);
  await keys.choose('Create a tenant');
  await at(page, /\/tenants\/new$/);
  await page.getByLabel('Name').waitFor();
  await keys.write('Name', 'Analytical Engines');
  await keys.press('Enter');
  await at(page, /\/overview$/);
  await shows(page, 'Create a database first');
  await keys.choose('Create a database');
  await at(page, /\/ledgers\/new$/);
  await page.getByLabel('New Database Name:').waitFor();
  await keys.write('New Database Name:', 'notes');
  await keys.to('Create');
  await keys.press('Enter');
  await at(page, /\/documents$/);

  await shows(page, /^No documents found/);
  await keys.choose('New Document');
  await page.getByRole('textbox', { name: /document/i }).waitFor();
  await keys.edit('{"_id": "one"}');
  await keys.choose('Save');
  await at(page, /\/documents\/one$/);
  await keys.choose('Sharing');
  await shows(page, 'Control who has access to your database.');
  await keys.write('Email', 'grace@example.com');
  await keys.choose('Share');
  await shows(page, 'Invitation sent to grace@example.com.');

  await keys.choose('Home');
  await at(page, /\/overview$/);
  await keys.choose('Members');
  await shows(page, 'for a database');
  await keys.choose(/^Remove/);
  await shows(page, 'revoked');
  // The button of the row was removed, so the row itself has the focus.
  await expect.poll(async () => (await focused(page)).name).toMatch(/^grace@example\.com.*revoked$/s);
  await keys.choose('Settings');
  await shows(page, 'Update Tenant Name');
  await keys.to('Name');
  await keys.press('ControlOrMeta+a');
  await keys.type('Difference Engines');
  await keys.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Difference Engines' }).waitFor();
  await keys.choose(/Account of/);
  await page.getByRole('menuitem', { name: 'Your account' }).waitFor();
  await keys.press('ArrowDown');
  await keys.press('Enter');
  await page.waitForURL(/\/fp\/cloud\/account$|\/login/);
  expect([keys.unseen, problems]).toEqual([[], []]);
  await context.close();
});
