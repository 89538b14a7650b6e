/** Every screen at both widths and in both themes: no accessibility fault that axe can find, nothing wider than the window, no script error. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  freePort,
  launchChromium,
  type Product,
  removeFolder,
  startProduct,
  temporaryFolder,
  type Visitor,
  visitor,
} from './product.fixture.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [
  { width: 1280, height: 800 },
  { width: 375, height: 740 },
];
const THEMES = ['light', 'dark'] as const;

const data = temporaryFolder();
let product: Product;
let browser: Browser;
/** Cookies and stored things of somebody signed in, who has a tenant with a ledger and a local database. */
let ada: Visitor;
let tenant = '';
let ledger = '';

beforeAll(async () => {
  product = await startProduct(data, await freePort());
  browser = await launchChromium();
  ada = await visitor(browser);
  await fillProduct(ada.page);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await product?.end('SIGTERM');
  removeFolder(data);
});

async function fillProduct(page: Page): Promise<void> {
  await page.goto(`${product.url}/signup`);
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByLabel('Email', { exact: true }).fill('ada@example.com');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.waitForURL(/\/fp\/cloud/);
  await page.goto(`${product.url}/fp/cloud/tenants/new`);
  await page.getByLabel('Name').fill('Society of Analytical Engines');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/overview/);
  tenant = page.url().replace(/\/overview.*/, '');
  await page.goto(`${tenant}/ledgers/new`);
  await page.getByLabel('New Database Name:').fill('notes of the society');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/ledgers\/(?!new)[^/]+/);
  ledger = /^.*\/ledgers\/[^/]+/.exec(page.url())?.[0] ?? '';
  await writeDocument(page, `${ledger}/documents/new`, { _id: 'note-1', title: 'On the engine', pages: 66 });
  await page.goto(`${tenant}/members`);
  await page.getByLabel('Email', { exact: true }).fill('grace@example.com');
  await page.getByRole('button', { name: 'Invite by email' }).click();
  await page.getByText('pending').waitFor({ state: 'visible' });
  await page.goto(`${product.url}/fp/databases/new`);
  await page.getByLabel(/name/i).fill('groceries');
  await page.getByRole('button', { name: /create/i }).click();
  await page.waitForURL(/\/fp\/databases\/groceries$/);
  const local = `${product.url}/fp/databases/groceries/docs/new`;
  await writeDocument(page, local, {
    _id: 'milk',
    item: 'milk',
    count: 2,
    tags: ['cold', 'white'],
    price: { eur: 1.2 },
  });
  await writeDocument(page, local, { _id: 'bread', item: 'A long loaf of bread '.repeat(8), count: 1 });
}

async function writeDocument(page: Page, url: string, doc: object): Promise<void> {
  await page.goto(url);
  const editor = page.getByRole('textbox', { name: /document/i });
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(JSON.stringify(doc));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL((now) => !now.pathname.endsWith('/new'));
}

interface Screen {
  readonly name: string;
  readonly url: () => string;
  /** A text that shows that the screen is there. */
  readonly shows: string | RegExp;
  readonly signedOut?: boolean;
}

const at = (path: string) => () => `${product.url}${path}`;
const SCREENS: readonly Screen[] = [
  { name: 'login', url: at('/login'), shows: 'Sign in', signedOut: true },
  { name: 'signup', url: at('/signup'), shows: /informative emails/, signedOut: true },
  { name: 'tenant-new', url: at('/fp/cloud/tenants/new'), shows: 'Name' },
  { name: 'overview', url: () => `${tenant}/overview`, shows: /toCloud/ },
  { name: 'members', url: () => `${tenant}/members`, shows: 'pending' },
  { name: 'admin', url: () => `${tenant}/admin`, shows: 'Danger Zone' },
  { name: 'tenant-delete', url: () => `${tenant}/delete`, shows: /Delete Society/ },
  { name: 'ledgers', url: () => `${tenant}/ledgers`, shows: /Select a database/ },
  { name: 'ledger-new', url: () => `${tenant}/ledgers/new`, shows: 'New Database Name:' },
  { name: 'ledger-documents', url: () => `${ledger}/documents`, shows: 'On the engine' },
  { name: 'ledger-document-new', url: () => `${ledger}/documents/new`, shows: 'Save' },
  { name: 'ledger-document', url: () => `${ledger}/documents/note-1`, shows: 'On the engine' },
  { name: 'sharing', url: () => `${ledger}/sharing`, shows: 'Control who has access to your database.' },
  { name: 'databases', url: at('/fp/databases'), shows: 'groceries' },
  { name: 'database-new', url: at('/fp/databases/new'), shows: /name/i },
  { name: 'connect', url: at('/fp/databases/connect'), shows: /Local name/i },
  { name: 'database', url: at('/fp/databases/groceries'), shows: 'milk' },
  { name: 'history', url: at('/fp/databases/groceries/history'), shows: 'milk' },
  { name: 'query', url: at('/fp/databases/groceries/query'), shows: 'emit' },
  { name: 'document-new', url: at('/fp/databases/groceries/docs/new'), shows: 'Save' },
  { name: 'document', url: at('/fp/databases/groceries/docs/milk'), shows: 'Delete' },
  { name: 'not-found', url: at('/no/such/page'), shows: 'Not found' },
];

async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    });
    const wide = document.documentElement.scrollWidth - window.innerWidth;
    return [
      ...violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
      ),
      ...(wide > 0 ? [`${wide} px wider than the window`] : []),
    ];
  });
}

describe.each(WIDTHS)('at $width px', (viewport) => {
  test.each(THEMES)('every screen is well in the %s theme', { timeout: 180_000 }, async (theme) => {
    const stranger = await visitor(browser, viewport);
    const faults: string[] = [];
    // Her own context: what is stored there cannot be copied, for its key never leaves the browser.
    const page = await ada.context.newPage();
    await page.setViewportSize(viewport);
    for (const each of [page, stranger.page])
      await each.addInitScript(`localStorage.setItem('darkMode', '${theme === 'dark'}')`);
    page.on('pageerror', (error) => faults.push(`page error: ${error.message}`));
    for (const screen of SCREENS) {
      const on = screen.signedOut === true ? stranger.page : page;
      await on.goto(screen.url());
      await on.getByText(screen.shows).filter({ visible: true }).first().waitFor({ state: 'visible' });
      await expect.poll(() => on.getByText('Loading...').filter({ visible: true }).count()).toBe(0);
      expect(await on.evaluate(() => document.documentElement.classList.contains('dark'))).toBe(
        theme === 'dark',
      );
      await on.screenshot({ path: `artefacts/${screen.name}-${viewport.width}-${theme}.png` });
      faults.push(...(await faultsOf(on)).map((fault) => `${screen.name}: ${fault}`));
    }
    await page.close();
    await stranger.context.close();
    expect([...faults, ...stranger.problems]).toEqual([]);
  });
});
