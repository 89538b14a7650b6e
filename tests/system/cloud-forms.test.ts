/** Forms of the cloud pages, and what stands beside those of signing in. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { removeFolder, temporaryFolder, visitor } from './product.fixture.ts';
import { browser, LONG_LEDGER, page, product, withShell } from './shell.fixture.ts';

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

/** A snippet without its token: each is another one. */
const partsOf = (snippet: string) => snippet.replace(/token: '[^']+'/, 'token');

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
    expect(text).toContain("ledger: '<ledger id>'");
  });

  test('the snippet attaches an application as it is copied, there and in a database without documents', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: product.url });
    const copied = async () => {
      await page.getByRole('button', { name: 'Copy', exact: true }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor({ state: 'visible' });
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const documents = tenantPath(`/ledgers/${ids.ledger}/documents`);
    await go(documents);
    await page.getByText('No documents found.').waitFor({ state: 'visible' });
    const there = await copied();
    await go(tenantPath('/overview'));
    await page.getByLabel('Database of the snippet').selectOption(LONG_LEDGER);
    expect(partsOf(await copied())).toEqual(partsOf(there));
    await go(documents);
    await page.getByText('No documents found.').waitFor({ state: 'visible' });
    const folder = temporaryFolder();
    // It goes on until it is ended: the application is attached.
    const application = spawn(process.execPath, ['--input-type=module', '-e', there], {
      env: { ...process.env, FIXPOINT_DIR: folder },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(application, 'exit');
    try {
      await page.getByRole('gridcell', { name: 'world' }).waitFor({ state: 'visible' });
    } finally {
      application.kill('SIGKILL');
      await ended;
      removeFolder(folder);
    }
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
