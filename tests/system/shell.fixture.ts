/**
 * Fixture for tests of the console's frame: a user with two tenants, a ledger and a local database.
 * Their names are so long that the frame cuts them.
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeEach, expect } from 'vitest';
import { makeDatabase } from './local.fixture.ts';
import { must, signUpAt } from './people.fixture.ts';
import { type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

export const LONG_TENANT = 'Society of Analytical Engines';
export const LONG_LEDGER = 'notes of the whole society';
export const LONG_LOCAL = 'groceries-of-the-whole-week';

/** These variables are set before the first test of a file. */
export let product: Product;
export let browser: Browser;
export let ada: Visitor;
export let page: Page;

/**
 * Starts the product for all tests of a file. After the tests, expects that Ada's browser logged no
 * problems.
 * @param more options of Ada's browser profile
 */
export function withShell(more: BrowserContextOptions = {}) {
  const ids = { tenant: '', other: '', ledger: '' };

  // This hook is registered first, so it runs last. If it fails, no later hook is skipped.
  afterAll(() => expect(ada.problems).toEqual([]));
  withProduct(async (opened) => {
    ({ product, browser } = opened);
    ada = await visitor(browser, more);
    ({ page } = ada);
    const { url } = product;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const admin = await signUpAt(page, url, 'ada@example.com', 'Ada King, Countess of Lovelace');
    const tenant = must(await admin.createTenant(LONG_TENANT));
    const other = must(await admin.createTenant('Other'));
    const ledger = must(await admin.createLedger({ tenantId: tenant.tenantId, name: LONG_LEDGER }));
    Object.assign(ids, { tenant: tenant.tenantId, other: other.tenantId, ledger: ledger.ledgerId });
    await makeDatabase(page, url, LONG_LOCAL, [{ _id: 'milk', item: 'milk' }]);
  });

  beforeEach(async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  const combobox = () => page.getByRole('combobox', { name: 'Search and commands' });
  return {
    ids,
    combobox,
    go: (path: string) => page.goto(product.url + path),
    tenantPath: (below: string) => `/fp/cloud/tenants/${ids.tenant}${below}`,
    at: (path: RegExp) => page.waitForURL((now) => path.test(now.pathname)),
    sidebar: () => page.locator('#sidebar'),
    openPalette: async () => {
      await page.getByRole('banner').waitFor({ state: 'visible' });
      await page.keyboard.press('ControlOrMeta+k');
      await combobox().waitFor({ state: 'visible' });
    },
  };
}
