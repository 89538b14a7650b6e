/** Forms of the cloud pages and of the sign-in pages. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { openTables } from '../../packages/cloud/src/tables/open-tables.ts';
import { allowClipboard, removeFolder, temporaryFolder, visitor } from './product.fixture.ts';
import { browser, LONG_LEDGER, page, product, withShell } from './shell.fixture.ts';

const { at, go, ids, sidebar, tenantPath } = withShell();

/** Records all further calls of one type that the page makes. */
function callsOf(type: string): readonly string[] {
  const calls: string[] = [];
  page.on('request', (request) => {
    const body = request.postData() ?? '';
    if (body.includes(`"${type}"`)) calls.push(type);
  });
  return calls;
}

/** Replaces the token of a snippet with a placeholder, because each snippet has a new token. */
const partsOf = (snippet: string) => snippet.replace(/token: '[^']+'/, 'token');

describe('forms of the cloud', () => {
  test('requires a name for a tenant, with a message on the page, and returns to the previous page on Cancel', async () => {
    const calls = callsOf('reqCreateTenant');
    await go(tenantPath('/members'));
    await sidebar().getByRole('combobox', { name: 'Tenant' }).selectOption('New Tenant');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Name is required').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await at(/\/members$/);
    expect(calls).toEqual([]);
  });

  test('requires three characters in the name of a database, with a message on the page', async () => {
    const calls = callsOf('reqCreateLedger');
    await go(tenantPath('/ledgers/new'));
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Name is required').waitFor({ state: 'visible' });
    await page.getByLabel('New Database Name:').fill('ab');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Name must be at least 3 characters').waitFor({ state: 'visible' });
    expect(calls).toEqual([]);
  });

  test('enforces the limits that the server reports for this user and tenant', async () => {
    const { db } = await openTables(undefined, product.data, () => undefined);
    const most = { maxAdminUsers: 12, maxMemberUsers: 30, maxInvites: 77, maxLedgers: 3 };
    await db.updateTable('Tenants').set(most).where('tenantId', '=', ids.tenant).execute();
    await db.updateTable('Users').set({ maxTenants: 2 }).execute();
    await db.destroy();
    const says = (text: string) => page.getByRole('main').getByText(text).waitFor({ state: 'visible' });
    await go(tenantPath('/overview'));
    const tiles = async () =>
      (await page.locator('dd').allInnerTexts()).map((text) => text.replace('\n', ' '));
    await expect.poll(async () => (await tiles()).slice(0, 2)).toEqual(['1 of 3', '1 of 42']);
    await go(tenantPath('/members'));
    await says('1 of 12 admins, 0 of 30 members');
    await says('0 of 77 pending');
    await go(tenantPath('/ledgers/new'));
    await says('The tenant has 1 database, and can have up to 3.');
    await go('/fp/cloud/tenants/new');
    await says('You own 2 tenants, and can own up to 2. Delete one before you create another.');
  });

  test('fills the snippet of the overview with the tenant, its only ledger, and a token', async () => {
    await go(tenantPath('/overview'));
    const snippet = page.locator('pre');
    await expect.poll(() => snippet.innerText()).toContain(ids.tenant);
    const text = await snippet.innerText();
    expect(text).toContain('toCloud');
    expect(text).toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/);
    expect(text).toContain(`ledger: '${ids.ledger}'`);
  });

  test('attaches an application with the copied snippet, from the overview and from an empty database', async () => {
    await allowClipboard(page.context(), product.url);
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
    // The application stays attached, so it runs until it is killed.
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

  test('renames a tenant, and deletes a tenant with a link that contains its id and the user’s name', async () => {
    await go(`/fp/cloud/tenants/${ids.other}/admin`);
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await page.getByRole('button', { name: 'Update Name' }).click();
    await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor({ state: 'visible' });
    await page.getByRole('link', { name: 'Delete Tenant' }).click();
    const link = page.getByRole('main').getByRole('link', { name: /Renamed/ });
    await expect.poll(() => link.innerText()).toContain(ids.other);
    await expect.poll(() => link.innerText()).toContain('Ada King');
    await link.click();
    await at(new RegExp(`/${ids.tenant}/overview$`));
    await expect.poll(() => sidebar().getByRole('option', { name: 'Renamed' }).count()).toBe(0);
  });
});

describe('the sign-in pages', () => {
  test('shows two quotes next to the forms, and leaves the email checkbox unchecked', async () => {
    const stranger = await visitor(browser);
    for (const path of ['/login', '/signup']) {
      await stranger.page.goto(product.url + path);
      await expect.poll(() => stranger.page.locator('blockquote').count()).toBe(2);
    }
    const box = stranger.page.getByRole('checkbox', { name: /occasional informative emails/ });
    expect(await box.isChecked()).toBe(false);
    await stranger.context.close();
  });

  test('shows each error below its field, and focuses the first invalid field', async () => {
    const stranger = await visitor(browser);
    const form = stranger.page.getByRole('main').locator('form');
    const press = (name: string) => form.getByRole('button', { name, exact: true }).click();
    /** Reads the label, the error state, the description and the focus of each field. */
    const fields = () =>
      form.locator('label[for]').evaluateAll((labels) =>
        (labels as HTMLLabelElement[]).map(({ textContent, control }) => {
          const ids = control?.getAttribute('aria-describedby')?.split(' ') ?? [];
          const said = ids.map((id) => document.getElementById(id)?.textContent).join(' ');
          const isWrong = control?.ariaInvalid === 'true';
          return [textContent, isWrong, said, document.activeElement === control];
        }),
      );
    const sent: string[] = [];
    stranger.page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    const HINT = 'At least 8 characters.';
    await stranger.page.goto(`${product.url}/signup`);
    await form.getByLabel('Name').waitFor({ state: 'visible' });
    await press('Sign up');
    await expect.poll(fields).toEqual([
      ['Name', true, 'Name is required', true],
      ['Email', true, 'Email is required', false],
      ['Password', true, `Password is required ${HINT}`, false],
    ]);
    await form.getByLabel('Name').fill('Eve');
    await form.getByLabel('Email', { exact: true }).fill('eve');
    await form.getByLabel('Password').pressSequentially('short');
    await press('Sign up');
    await expect.poll(fields).toEqual([
      ['Name', false, '', false],
      ['Email', true, 'Enter a complete email address, such as name@example.com.', true],
      ['Password', true, `Password must be at least 8 characters ${HINT}`, false],
    ]);
    await form.getByLabel('Email', { exact: true }).fill('eve@example.com');
    await press('Sign up');
    await expect
      .poll(async () => (await fields()).map(([, isWrong, , hasFocus]) => [isWrong, hasFocus]))
      .toEqual([
        [false, false],
        [false, false],
        [true, true],
      ]);
    await stranger.page.goto(`${product.url}/login`);
    await form.getByLabel('Password').fill('something');
    await press('Sign in');
    await expect.poll(fields).toEqual([
      ['Email', true, 'Email is required', true],
      ['Password', false, '', false],
    ]);
    await form.getByLabel('Password').focus();
    await press('Forgot your password?');
    await form.getByText('Enter your email address first.').waitFor({ state: 'visible' });
    await expect
      .poll(async () => (await fields())[0])
      .toEqual(['Email', true, expect.stringContaining('first.'), true]);
    const managed = () =>
      form
        .locator('input')
        .evaluateAll((all) =>
          (all as HTMLInputElement[]).map(({ name, autocomplete }) => [name, autocomplete]),
        );
    expect(await managed()).toEqual([
      ['email', 'username webauthn'],
      ['password', 'current-password'],
    ]);
    expect([sent, stranger.problems]).toEqual([[], []]);
    await stranger.context.close();
  });
});
