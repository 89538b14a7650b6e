/** The frame of the console as a user meets it: sidebar, header, theme, palette, keys, what is said while waiting, and the first steps. */
import type { Browser, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { faultsOf, LOOKS, makeDatabase, typeText, wear } from './local.fixture.ts';
import { must, signUpAt } from './people.fixture.ts';
import { type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

const LONG_TENANT = 'Society of Analytical Engines';
const LONG_LEDGER = 'notes of the whole society';
const LONG_LOCAL = 'groceries-of-the-whole-week';

let product: Product;
let browser: Browser;
let ada: Visitor;
let page: Page;
const ids = { tenant: '', other: '', ledger: '' };

withProduct(async (opened) => {
  ({ product, browser } = opened);
  ada = await visitor(browser);
  page = ada.page;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const admin = await signUpAt(page, product.url, 'ada@example.com', 'Ada King, Countess of Lovelace');
  const tenant = must(await admin.createTenant(LONG_TENANT));
  const other = must(await admin.createTenant('Other'));
  const ledger = must(await admin.createLedger({ tenantId: tenant.tenantId, name: LONG_LEDGER }));
  Object.assign(ids, { tenant: tenant.tenantId, other: other.tenantId, ledger: ledger.ledgerId });
  await makeDatabase(page, product.url, LONG_LOCAL, [{ _id: 'milk', item: 'milk' }]);
});

beforeEach(async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
});

const go = (path: string) => page.goto(product.url + path);
const tenantPath = (below: string) => `/fp/cloud/tenants/${ids.tenant}${below}`;
const at = (path: RegExp) => page.waitForURL((url) => path.test(url.pathname));
const sidebar = () => page.locator('#sidebar');
const combobox = () => page.getByRole('combobox', { name: 'Search and commands' });
const openPalette = async () => {
  await page.getByRole('banner').waitFor({ state: 'visible' });
  await page.keyboard.press('ControlOrMeta+k');
  await combobox().waitFor({ state: 'visible' });
};

describe('the sidebar of the cloud', () => {
  test('its dropdown has each tenant and New Tenant, and leads there', async () => {
    await go(tenantPath('/overview'));
    const dropdown = sidebar().getByRole('combobox', { name: 'Tenant' });
    await expect
      .poll(() => dropdown.locator('option').allInnerTexts())
      .toEqual(['Society of Analytica…', 'Other', 'New Tenant']);
    await dropdown.selectOption('Other');
    await at(new RegExp(`/${ids.other}/overview$`));
    await dropdown.selectOption('New Tenant');
    await at(/\/tenants\/new$/);
  });

  test('Home is active on the tabs of the tenant, and nowhere else', async () => {
    const home = sidebar().getByRole('link', { name: 'Home' });
    for (const tab of ['/overview', '/members', '/admin', '']) {
      await go(tenantPath(tab));
      await expect.poll(() => home.getAttribute('aria-current'), { message: tab }).toBe('page');
    }
    await go(tenantPath('/ledgers'));
    await home.waitFor();
    expect(await home.getAttribute('aria-current')).toBeNull();
    const databases = sidebar().getByRole('link', { name: 'Databases', exact: true });
    expect(await databases.getAttribute('aria-current')).toBe('page');
  });

  test('it lists the databases, cut at 20 characters, and has a plus for a new one', async () => {
    await go(tenantPath('/overview'));
    const link = sidebar().getByRole('link', { name: LONG_LEDGER });
    expect(await link.innerText()).toBe('notes of the whole s…');
    await link.click();
    await at(new RegExp(`/ledgers/${ids.ledger}/documents$`));
    await sidebar().getByRole('link', { name: 'New database' }).click();
    await at(/\/ledgers\/new$/);
  });

  test('it says that it loads, and what was not found', async () => {
    const gate: { open?: () => void } = {};
    const held = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    let isRefused = false;
    await page.route('**/api', async (route) => {
      if (!(route.request().postData() ?? '').includes('reqListLedgersByUser')) return route.fallback();
      if (isRefused)
        return route.fulfill({ status: 403, body: '{"type":"error","code":"FORBIDDEN","message":"no"}' });
      await held;
      return route.fallback();
    });
    await go(tenantPath('/ledgers'));
    await sidebar().getByText('Loading...').waitFor({ state: 'visible' });
    gate.open?.();
    await sidebar().getByRole('link', { name: LONG_LEDGER }).waitFor({ state: 'visible' });
    isRefused = true;
    await go(tenantPath('/ledgers'));
    await sidebar().getByText('Not found').waitFor({ state: 'visible' });
    await page.unroute('**/api');
    ada.problems.splice(0);
  });
});

describe('the header', () => {
  test('names are cut at 12 characters, and said whole', async () => {
    await go(tenantPath('/overview'));
    const header = page.getByRole('banner');
    await header.getByText('Society of A…', { exact: true }).waitFor({ state: 'visible' });
    await header.getByText('Ada King, Co…', { exact: true }).waitFor({ state: 'visible' });
    await header.getByRole('button', { name: 'Account of Ada King, Countess of Lovelace' }).waitFor();
    for (const link of ['Documentation', 'Blog', 'Community'])
      await header.getByRole('link', { name: link }).waitFor({ state: 'visible' });
  });

  test('dark mode is a class of the page, kept under darkMode, and there before the page is drawn', async () => {
    await go('/fp/databases');
    await page.evaluate(() => localStorage.setItem('darkMode', 'false'));
    await page.reload();
    await page.getByRole('button', { name: 'Switch to dark mode' }).click();
    const look = () =>
      page.evaluate(() => [document.documentElement.className, localStorage.getItem('darkMode')]);
    expect(await look()).toEqual(['dark', 'true']);
    await page.reload({ waitUntil: 'commit' });
    await page.waitForFunction(() => document.body !== null);
    expect((await look())[0]).toBe('dark');
    await page.getByRole('button', { name: 'Switch to light mode' }).click();
    expect(await look()).toEqual(['', 'false']);
  });

  test('on a small screen the sidebar is a drawer, which Escape and a link close', async () => {
    await page.setViewportSize({ width: 375, height: 740 });
    await go(tenantPath('/overview'));
    const link = sidebar().getByRole('link', { name: LONG_LEDGER });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await link.waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Open menu');
    await page.getByRole('button', { name: 'Open menu' }).click();
    await link.click();
    await link.waitFor({ state: 'hidden' });
  });

  test('local names are cut at 20 characters, each with its pages', async () => {
    await go(`/fp/databases/${LONG_LOCAL}`);
    await sidebar().getByText('groceries-of-the-who…', { exact: true }).waitFor({ state: 'visible' });
    for (const name of ['All Documents', 'History', 'Query'])
      await sidebar().getByRole('link', { name, exact: true }).waitFor({ state: 'visible' });
    await sidebar().getByText('Saved Queries').waitFor({ state: 'visible' });
  });
});

describe('the palette', () => {
  test('it finds a database, a tenant and a ledger by parts of their names, and goes there by the keyboard alone', async () => {
    await go('/fp/databases');
    for (const [typed, leads] of [
      ['groc', new RegExp(`/databases/${LONG_LOCAL}$`)],
      ['engines analytical', new RegExp(`/${ids.tenant}/overview$`)],
      ['notes', new RegExp(`/ledgers/${ids.ledger}/documents$`)],
      ['local databases', /\/fp\/databases$/],
    ] as const) {
      await openPalette();
      await combobox().pressSequentially(typed);
      await expect.poll(() => page.getByRole('option').count()).toBeGreaterThan(0);
      await page.keyboard.press('Enter');
      await at(leads);
      await combobox().waitFor({ state: 'hidden' });
    }
    await openPalette();
    await combobox().fill('no such thing');
    await page.getByText('Nothing is called so.').waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await combobox().waitFor({ state: 'hidden' });
  });

  test('in a database it finds a text, and opens a document by its id', async () => {
    await go(`/fp/databases/${LONG_LOCAL}`);
    await openPalette();
    await combobox().fill('milk');
    await page.getByRole('option', { name: 'Find "milk" in all documents' }).click();
    await page.getByText('1 document found').waitFor({ state: 'visible' });
    await openPalette();
    await combobox().fill('milk');
    await page.getByRole('option', { name: 'Open the document with the id "milk"' }).click();
    await at(/\/docs\/milk$/);
  });

  test('arrow keys choose, a screen reader hears what, and the focus comes back', async () => {
    await go(`/fp/databases/${LONG_LOCAL}`);
    const opener = page.getByRole('button', { name: 'Search and commands' }).first();
    await opener.focus();
    await page.keyboard.press('Enter');
    await combobox().waitFor({ state: 'visible' });
    const chosen = async () => {
      const id = await combobox().getAttribute('aria-activedescendant');
      return id === null ? '' : page.locator(`[id="${id}"]`).innerText();
    };
    await expect.poll(chosen).toContain('New document');
    await page.keyboard.press('ArrowDown');
    await expect.poll(chosen).toContain('All documents');
    await page.keyboard.press('Escape');
    await combobox().waitFor({ state: 'hidden' });
    await expect.poll(() => opener.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  test('it runs actions: the theme, and a new document of the open database', async () => {
    await go(`/fp/databases/${LONG_LOCAL}`);
    const isDark = () => page.evaluate(() => document.documentElement.classList.contains('dark'));
    const before = await isDark();
    await openPalette();
    await page.getByRole('option', { name: /Switch between light and dark/ }).click();
    expect(await isDark()).toBe(!before);
    await openPalette();
    await combobox().fill('new doc');
    await page.keyboard.press('Enter');
    await at(/\/docs\/new$/);
  });

  test('signing out by it leads to the login page, and nothing of the session is left', async () => {
    const grace = await visitor(browser);
    await signUpAt(grace.page, product.url, 'grace@example.com', 'Grace');
    await grace.page.goto(`${product.url}/fp/cloud`);
    await grace.page.getByText('Here is the cloud').waitFor({ state: 'visible' });
    await grace.page.keyboard.press('ControlOrMeta+k');
    await grace.page.getByRole('combobox', { name: 'Search and commands' }).fill('sign out');
    await grace.page.keyboard.press('Enter');
    await grace.page.waitForURL(/\/login/);
    await grace.page.goto(`${product.url}/fp/cloud`);
    await grace.page.waitForURL(/\/login\?redirect_url=/);
    expect(grace.problems).toEqual([]);
    await grace.context.close();
  });
});

describe('keys', () => {
  test('they lead to the pages of the open database', async () => {
    await go(`/fp/databases/${LONG_LOCAL}`);
    await page.getByText('1 document', { exact: true }).waitFor({ state: 'visible' });
    for (const [keys, leads] of [
      ['gh', /\/history$/],
      ['gq', /\/query$/],
      ['gd', new RegExp(`/${LONG_LOCAL}$`)],
      ['n', /\/docs\/new$/],
      ['gl', /\/fp\/databases$/],
      ['gc', /\/overview$/],
    ] as const) {
      await page.locator('body').press(keys[0] ?? '');
      if (keys.length > 1) await page.keyboard.press(keys[1] ?? '');
      await at(leads);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    }
  });

  test('while a text is typed they are letters, also in the editor', async () => {
    await go(`/fp/databases/${LONG_LOCAL}`);
    const search = page.getByRole('searchbox');
    await search.waitFor({ state: 'visible' });
    await page.keyboard.press('/');
    await expect.poll(() => search.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.type('n?t');
    expect(await search.inputValue()).toBe('n?t');
    await go(`/fp/databases/${LONG_LOCAL}/docs/milk`);
    await typeText(page, /document/i, '');
    await page.keyboard.type('gl?');
    await expect.poll(() => page.locator('.cm-line').first().innerText()).toContain('gl?');
    expect(new URL(page.url()).pathname).toMatch(/\/docs\/milk$/);
    expect(await page.getByRole('dialog').count()).toBe(0);
    page.once('dialog', (dialog) => void dialog.accept());
  });

  test('the editor can be left by the keyboard', async () => {
    await go(`/fp/databases/${LONG_LOCAL}/docs/new`);
    await page.getByRole('textbox', { name: /document/i }).click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.hasAttribute('data-editor')))
      .toBe(false);
  });

  test('? lists them, and turns those without Ctrl off', async () => {
    await go('/fp/databases');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Search and commands').waitFor({ state: 'visible' });
    await sheet.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await openPalette();
    expect(await sheet.count()).toBe(0);
    await combobox().fill('keyboard');
    await page.keyboard.press('Enter');
    await sheet.getByRole('checkbox').check();
    await sheet.getByRole('button', { name: 'Done' }).click();
    await sheet.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe('/fp/databases');
  });

  test.each(LOOKS)('palette and sheet are well at $width px in the $theme theme', async (worn) => {
    await wear(page, worn);
    await go(tenantPath('/overview'));
    await page.getByRole('heading', { level: 1 }).waitFor();
    const faults: string[] = [];
    await openPalette();
    await page.getByRole('option', { name: LONG_LEDGER }).waitFor();
    await ada.shot(`palette-${worn.width}-${worn.theme}`);
    faults.push(...(await faultsOf(page)));
    await combobox().fill('keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'visible' });
    await ada.shot(`shortcuts-${worn.width}-${worn.theme}`);
    faults.push(...(await faultsOf(page)));
    expect(faults).toEqual([]);
  });
});

describe('forms of the cloud', () => {
  test('a tenant needs a name, and Cancel goes back', async () => {
    await go(tenantPath('/members'));
    await sidebar().getByRole('combobox', { name: 'Tenant' }).selectOption('New Tenant');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Name is required').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await at(/\/members$/);
  });

  test('a database needs a name of three characters', async () => {
    await go(tenantPath('/ledgers/new'));
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Name is required').waitFor({ state: 'visible' });
    await page.getByLabel('New Database Name:').fill('ab');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Name must be at least 3 characters').waitFor({ state: 'visible' });
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

describe('for a new user', () => {
  test('from the first page to a saved document are at most four clicks', async () => {
    const stranger = await visitor(browser);
    const { page: first } = stranger;
    let clicks = 0;
    const click = async (name: string) => {
      clicks += 1;
      await first
        .getByRole('main')
        .getByRole('link', { name })
        .or(first.getByRole('main').getByRole('button', { name, exact: true }))
        .first()
        .click();
    };
    await first.goto(product.url);
    await click('work with local databases');
    await first.getByLabel('Name of your first database').fill('groceries');
    await click('Create');
    await click('New Document');
    await first.getByRole('textbox', { name: /document/i }).waitFor({ state: 'visible' });
    await first.evaluate(() => document.querySelector<HTMLElement>('[data-editor]')?.focus());
    await first.keyboard.press('ControlOrMeta+a');
    await first.keyboard.insertText('{"item": "milk"}');
    await click('Save');
    await first.waitForURL(/\/docs\/(?!new)[^/]+$/);
    await first.getByText('Saved in this browser.').waitFor({ state: 'visible' });
    expect(clicks).toBeLessThanOrEqual(4);
    expect(stranger.problems).toEqual([]);
    await stranger.context.close();
  });

  test('the console can be installed, and opens without a network', async () => {
    await go('/fp/databases');
    const devtools = await page.context().newCDPSession(page);
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    // A window without a profile installs nothing, whatever the page is.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual(
      [],
    );
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor({ state: 'visible' });
    await go(`/fp/databases/${LONG_LOCAL}`);
    await page.getByText('milk').first().waitFor({ state: 'visible' });
    await openPalette();
    await page.keyboard.press('Escape');
    await page.context().setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'hidden' });
    ada.problems.splice(0);
  });

  test('without a network cloud pages show what is known, and go on when it is back', async () => {
    const documents = tenantPath(`/ledgers/${ids.ledger}/documents`);
    await go(`${documents}/new`);
    await typeText(page, /document/i, '{"_id": "known", "title": "Known before"}');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await at(/\/documents\/known$/);
    await page.context().setOffline(true);
    await go(documents);
    await page
      .getByText('The server cannot be reached. This is what it last said.')
      .waitFor({ state: 'visible' });
    await page.getByText('Known before').waitFor({ state: 'visible' });
    await sidebar().getByRole('link', { name: LONG_LEDGER }).waitFor({ state: 'visible' });
    await page.getByText(/^Offline/).waitFor({ state: 'visible' });
    await page.context().setOffline(false);
    await page.getByText('In sync').waitFor({ state: 'visible', timeout: 60_000 });
    await page
      .getByText('The server cannot be reached. This is what it last said.')
      .waitFor({ state: 'hidden' });
    ada.problems.splice(0);
  });

  test('on paper is the page alone, and it is light', async () => {
    await go(`/fp/databases/${LONG_LOCAL}`);
    await page.evaluate(() => document.documentElement.classList.add('dark'));
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('banner').waitFor({ state: 'hidden' });
    await sidebar().waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(248, 249, 250)',
    );
    await page.emulateMedia({ media: 'screen', reducedMotion: 'reduce' });
  });

  test('nothing of this went wrong unseen', () => {
    expect(ada.problems).toEqual([]);
  });
});
