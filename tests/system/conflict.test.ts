/**
 * Two browsers of one user write the same document while the server is down. After a restart of the
 * server, both browsers show both versions, the table can't overwrite one of them, and a choice in
 * one browser resolves the conflict in both.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newLedger } from './ledger.fixture.ts';
import { faultsOf, typeText } from './local.fixture.ts';
import {
  chooseIn,
  freePort,
  launchBrowser,
  type Product,
  removeFolder,
  startProduct,
  temporaryFolder,
  type Visitor,
  visitor,
} from './product.fixture.ts';

const data = temporaryFolder();
let port = 0;
let product: Product;
let browser: Browser;

beforeAll(async () => {
  port = await freePort();
  product = await startProduct(data, port);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await product?.end('SIGTERM');
  removeFolder(data);
});

async function signedIn(): Promise<Visitor> {
  // High enough that the bar with Undo covers no button of the page.
  const one = await visitor(browser, { viewport: { width: 1280, height: 960 } });
  await one.page.emulateMedia({ reducedMotion: 'reduce' });
  await one.page.goto(`${product.url}/login`);
  await one.page.getByLabel('Email').fill('ada@example.com');
  await one.page.getByLabel('Password').fill('correct horse battery');
  await one.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await one.page.waitForURL(/\/fp\/cloud/);
  return one;
}

const save = async ({ page }: Visitor, text: string, isSent: boolean) => {
  await typeText(page, /document/i, text);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page
    .getByText(
      isSent ? 'Saved in this browser. Sent to the cloud.' : 'Not sent yet: it exists only on this device.',
    )
    .waitFor({ state: 'visible' });
};

/** Opens the title in the table, which names the conflict of the document and changes nothing. */
async function openTitle({ page }: Visitor, documents: string): Promise<void> {
  await page.goto(documents);
  const cell = page.locator('[data-row="0"] [data-column="title"]');
  await cell.hover();
  const before = await cell.innerText();
  await page.getByRole('button', { name: 'Edit title' }).click();
  const dialog = page.getByRole('dialog', { name: 'This document has a conflict' });
  await dialog.getByRole('link', { name: 'Merge...' }).waitFor({ state: 'visible' });
  expect(await faultsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  expect(await cell.innerText()).toBe(before);
}

test('shows both versions of a document in conflict until one is chosen', async () => {
  const { tenant, ledger } = await newLedger(product.url);
  const documents = `${product.url}/fp/cloud/tenants/${tenant}/ledgers/${ledger}/documents`;
  const [left, right] = [await signedIn(), await signedIn()];
  await left.page.goto(`${documents}/new`);
  await save(left, '{"_id": "note", "title": "first"}', true);
  await right.page.goto(`${documents}/note`);
  await right.page.getByText('"first"').waitFor({ state: 'visible' });

  await product.end('SIGTERM');
  await save(left, '{"title": "of the left"}', false);
  await save(right, '{"title": "of the right"}', false);
  product = await startProduct(data, port);

  for (const { page } of [left, right])
    await page.getByRole('region', { name: 'Conflict' }).waitFor({ state: 'visible' });
  await left.shot('conflict');
  expect(await faultsOf(left.page)).toEqual([]);
  await chooseIn(left.page, 'Database actions', 'Sync and storage');
  await left.page
    .getByText(/^(The server can read this database|End-to-end encrypted):/)
    .waitFor({ state: 'visible' });
  await left.page.getByRole('button', { name: 'Sync now' }).click();
  await left.page.getByText('Everything is in sync.').waitFor({ state: 'visible' });
  await left.shot('sync-and-storage');
  expect(await faultsOf(left.page)).toEqual([]);
  await left.page.keyboard.press('Escape');
  const conflict = left.page.getByRole('region', { name: 'Conflict' });
  await openTitle(left, documents);
  await left.page.goto(`${documents}/note`);
  await conflict.waitFor({ state: 'visible' });
  const other = await conflict.locator('ins', { hasText: 'title' }).innerText();
  await conflict.getByRole('button', { name: 'Use this version' }).click();
  for (const { page } of [left, right]) {
    await page.getByRole('region', { name: 'Conflict' }).waitFor({ state: 'hidden' });
    await expect.poll(() => page.locator('.cm-line').allInnerTexts()).toContain(`  ${other.trim()}`);
  }
});
