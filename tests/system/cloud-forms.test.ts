/** Forms of the cloud pages, and what stands beside those of signing in. */
import { describe, expect, test } from 'vitest';
import { visitor } from './product.fixture.ts';
import { browser, page, product, withShell } from './shell.fixture.ts';

const { at, go, ids, sidebar, tenantPath } = withShell();

/** Calls of this kind that the page made since. */
function callsOf(type: string): readonly string[] {
  const calls: string[] = [];
  page.on('request', (request) => {
    const body = request.postData() ?? '';
    if (body.includes(`"${type}"`)) calls.push(type);
  });
  return calls;
}

describe('forms of the cloud', () => {
  test('a tenant needs a name, which the page itself says, and Cancel goes back', async () => {
    const calls = callsOf('reqCreateTenant');
    await go(tenantPath('/members'));
    await sidebar().getByRole('combobox', { name: 'Tenant' }).selectOption('New Tenant');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Name is required').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await at(/\/members$/);
    expect(calls).toEqual([]);
  });

  test('a database needs a name of three characters, which the page itself says', async () => {
    const calls = callsOf('reqCreateLedger');
    await go(tenantPath('/ledgers/new'));
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Name is required').waitFor({ state: 'visible' });
    await page.getByLabel('New Database Name:').fill('ab');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Name must be at least 3 characters').waitFor({ state: 'visible' });
    expect(calls).toEqual([]);
  });

  test('the snippet of the overview has the tenant, a place for the ledger, and a token', async () => {
    await go(tenantPath('/overview'));
    const snippet = page.locator('pre');
    await expect.poll(() => snippet.innerText()).toContain(ids.tenant);
    const text = await snippet.innerText();
    expect(text).toContain('toCloud');
    expect(text).toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/);
  });

  test('a tenant is renamed, and deleted by one link that names it and the user', async () => {
    await go(`/fp/cloud/tenants/${ids.other}/admin`);
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await page.getByRole('button', { name: 'Update Name' }).click();
    await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor({ state: 'visible' });
    await page.getByRole('link', { name: 'Delete Tenant' }).click();
    const link = page.getByRole('main').getByRole('link', { name: /Renamed/ });
    await expect.poll(() => link.innerText()).toContain(ids.other);
    expect(await link.innerText()).toContain('Ada King');
    await link.click();
    await at(new RegExp(`/${ids.tenant}/overview$`));
    expect(await sidebar().getByRole('option', { name: 'Renamed' }).count()).toBe(0);
  });
});

describe('signing in', () => {
  test('beside the forms stand two quotes, and the checkbox of mails is off', async () => {
    const stranger = await visitor(browser);
    for (const path of ['/login', '/signup']) {
      await stranger.page.goto(product.url + path);
      await expect.poll(() => stranger.page.locator('blockquote').count()).toBe(2);
    }
    const box = stranger.page.getByRole('checkbox', { name: /occasional informative emails/ });
    expect(await box.isChecked()).toBe(false);
    await stranger.context.close();
  });
});
