/** What tests of the console's frame begin with: a user with two tenants, a ledger and a local database, all with names that are cut. */
import type { Browser, Page } from 'playwright-core';
import { beforeEach } from 'vitest';
import { makeDatabase } from './local.fixture.ts';
import { must, signUpAt } from './people.fixture.ts';
import { type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

export const LONG_TENANT = 'Society of Analytical Engines';
export const LONG_LEDGER = 'notes of the whole society';
export const LONG_LOCAL = 'groceries-of-the-whole-week';

export interface Shell {
  readonly product: Product;
  readonly browser: Browser;
  readonly ada: Visitor;
  readonly page: Page;
}

/** @param take is given what was opened, before the first test */
export function withShell(take: (shell: Shell) => void) {
  let page: Page;
  let url = '';
  const ids = { tenant: '', other: '', ledger: '' };

  withProduct(async ({ product, browser }) => {
    const ada = await visitor(browser);
    ({ page } = ada);
    ({ url } = product);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const admin = await signUpAt(page, url, 'ada@example.com', 'Ada King, Countess of Lovelace');
    const tenant = must(await admin.createTenant(LONG_TENANT));
    const other = must(await admin.createTenant('Other'));
    const ledger = must(await admin.createLedger({ tenantId: tenant.tenantId, name: LONG_LEDGER }));
    Object.assign(ids, { tenant: tenant.tenantId, other: other.tenantId, ledger: ledger.ledgerId });
    await makeDatabase(page, url, LONG_LOCAL, [{ _id: 'milk', item: 'milk' }]);
    take({ product, browser, ada, page });
  });

  beforeEach(async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  const combobox = () => page.getByRole('combobox', { name: 'Search and commands' });
  return {
    ids,
    combobox,
    go: (path: string) => page.goto(url + path),
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
