/** The command palette of the console, and the keyboard shortcuts. */
import { describe, expect, test } from 'vitest';
import { unexpected } from './factors.fixture.ts';
import { holdCalls } from './held-calls.fixture.ts';
import { faultsOf, LOOKS, makeDatabase, slowWay, typeText, wear } from './local.fixture.ts';
import { must, signUpAt } from './people.fixture.ts';
import { visitor } from './product.fixture.ts';
import {
  ada,
  browser,
  LONG_LEDGER,
  LONG_LOCAL,
  LONG_TENANT,
  page,
  product,
  withShell,
} from './shell.fixture.ts';

const { at, combobox, go, ids, openPalette, tenantPath } = withShell();

/** Returns the text of the option that Enter would select. */
const chosen = async () => {
  const id = await combobox().getAttribute('aria-activedescendant');
  return id === null ? '' : page.locator(`[id="${id}"]`).innerText();
};

describe('the palette', () => {
  test('finds a database, a tenant and a ledger by parts of their names, and opens each with the keyboard', async () => {
    await go('/fp/databases');
    for (const [typed, found, leads] of [
      ['groc', LONG_LOCAL, new RegExp(`/databases/${LONG_LOCAL}$`)],
      ['engines analytical', LONG_TENANT, new RegExp(`/${ids.tenant}/overview$`)],
      ['notes', LONG_LEDGER, new RegExp(`/ledgers/${ids.ledger}/documents$`)],
      ['local databases', 'Local databases', /\/fp\/databases$/],
    ] as const) {
      await openPalette();
      await combobox().pressSequentially(typed);
      await expect.poll(chosen).toContain(found);
      await page.keyboard.press('Enter');
      await at(leads);
      await combobox().waitFor({ state: 'hidden' });
    }
    await openPalette();
    await combobox().fill('no such thing');
    await page.getByText('No matches.').waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await combobox().waitFor({ state: 'hidden' });
  });

  test('searches a database for a text, and opens a document by its id', async () => {
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

  test('selects options with the arrow keys, announces the selection, and restores the focus', async () => {
    await go(`/fp/databases/${LONG_LOCAL}`);
    const opener = page.getByRole('button', { name: 'Search and commands' }).first();
    await opener.focus();
    await page.keyboard.press('Enter');
    await combobox().waitFor({ state: 'visible' });
    await expect.poll(chosen).toContain('New document');
    await page.keyboard.press('ArrowDown');
    await expect.poll(chosen).toContain('All documents');
    await page.keyboard.press('Escape');
    await combobox().waitFor({ state: 'hidden' });
    await expect.poll(() => opener.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  test('runs actions: the theme, and a new document of the open database', async () => {
    await go(`/fp/databases/${LONG_LOCAL}`);
    const isDark = () => page.evaluate(() => document.documentElement.classList.contains('dark'));
    const before = await isDark();
    await openPalette();
    await page.getByRole('option', { name: /Switch between light and dark/ }).click();
    await expect.poll(isDark).toBe(!before);
    await openPalette();
    await combobox().fill('new doc');
    await expect.poll(chosen).toContain('New document');
    await page.keyboard.press('Enter');
    await at(/\/docs\/new$/);
  });

  test('signs out to the login page, and keeps no data of the session', async () => {
    const grace = await visitor(browser);
    const admin = await signUpAt(grace.page, product.url, 'grace@example.com', 'Grace');
    await grace.page.goto(`${product.url}/fp/cloud/tenants/new`);
    await grace.page.getByLabel('Name').fill('Compilers');
    await grace.page.getByRole('button', { name: 'Create' }).click();
    await grace.page.waitForURL(/\/overview/);
    const kept = () =>
      grace.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    await expect.poll(kept).toContain('Compilers');
    // Opens a ledger, because closing a ledger takes a moment, and the sign-out must handle that.
    const tenantId = /tenants\/([^/]+)/.exec(grace.page.url())?.[1] ?? '';
    const { ledgerId } = must(await admin.createLedger({ tenantId, name: 'notes' }));
    await grace.page.goto(`${product.url}/fp/cloud/tenants/${tenantId}/ledgers/${ledgerId}/documents`);
    await grace.page.getByText(/^No documents found/).waitFor({ state: 'visible' });
    // Types without waiting, because the palette must also receive keys pressed before it has the
    // focus.
    await grace.page.keyboard.press('ControlOrMeta+k');
    await grace.page.keyboard.type('sign out');
    await grace.page.getByRole('option', { name: 'Sign out', exact: true }).waitFor({ state: 'visible' });
    expect(await grace.page.getByRole('combobox', { name: 'Search and commands' }).inputValue()).toBe(
      'sign out',
    );
    await grace.page.keyboard.press('Enter');
    await grace.page.waitForURL(`${product.url}/login`);
    await expect.poll(kept).not.toMatch(/Compilers|grace/i);
    await expect.poll(async () => (await grace.context.cookies()).map(({ name }) => name)).toEqual([]);
    await grace.page.goto(`${product.url}/fp/cloud`);
    await grace.page.waitForURL(/\/login\?redirect_url=/);
    // Ignores the errors of requests that were pending when the session ended.
    expect(unexpected(grace.problems)).toEqual([]);
    await grace.context.close();
  });

  test('opens no document of the previous user for the next user, even if closing the ledger takes long', async () => {
    const katherine = await visitor(browser);
    const calls = await holdCalls(katherine.page);
    const admin = await signUpAt(katherine.page, product.url, 'katherine@example.com', 'Katherine');
    const { tenantId } = must(await admin.createTenant('Orbits'));
    const { ledgerId } = must(await admin.createLedger({ tenantId, name: 'notes' }));
    await katherine.page.goto(
      `${product.url}/fp/cloud/tenants/${tenantId}/ledgers/${ledgerId}/documents/new`,
    );
    // Waits until the editor has the focus.
    await katherine.page.locator('[data-editor]:focus').waitFor({ state: 'visible' });
    await calls.hold('close');
    await katherine.page.keyboard.press('ControlOrMeta+k');
    await katherine.page.getByRole('combobox', { name: 'Search and commands' }).fill('sign out');
    await katherine.page.getByRole('option', { name: 'Sign out', exact: true }).click();
    await calls.waits();
    // The page must open the login page at once. Its next request, seconds later, would report that
    // the session ended.
    await katherine.page.waitForURL((now) => now.pathname === '/login');
    expect(new URL(katherine.page.url()).search).toBe('');
    await calls.hold();
    await katherine.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor({ state: 'visible' });
    expect(new URL(katherine.page.url()).search).toBe('');
    expect(unexpected(katherine.problems)).toEqual([]);
    await katherine.context.close();
  });

  test('opens no page of the previous user for the next user, even if the login page loads late', async () => {
    const { page: slow, stopTime, arrive } = await slowWay(browser, /\/login-[^/]*\.js$/);
    await signUpAt(slow, product.url, 'hedy@example.com', 'Hedy');
    await slow.goto(`${product.url}/fp/cloud/account`);
    await slow.getByRole('button', { name: /^Account of/ }).click();
    const leave = slow.getByRole('menuitem', { name: 'Sign out' });
    await leave.waitFor({ state: 'visible' });
    await stopTime();
    await leave.click();
    await arrive();
    await slow.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor({ state: 'visible' });
    expect(new URL(slow.url()).search).toBe('');
    await slow.context().close();
  });
});

describe('keys', () => {
  test('types keys into the palette that are pressed while it loads, without any effect on the page', async () => {
    const { page: slow, come } = await slowWay(browser, /\/command-center-[^/]*\.js$/);
    await makeDatabase(slow, product.url, 'herbs', [{ _id: 'mint' }]);
    await slow.goto(`${product.url}/fp/databases/herbs`);
    await slow.getByRole('link', { name: 'mint', exact: true }).waitFor({ state: 'visible' });
    await slow.keyboard.press('ControlOrMeta+k');
    await slow.keyboard.type('ghx');
    await slow.keyboard.press('Backspace');
    await slow.keyboard.press('Escape');
    await slow.keyboard.press('ControlOrMeta+k');
    await slow.keyboard.type('ghosts');
    come();
    const field = slow.getByRole('combobox', { name: 'Search and commands' });
    await field.waitFor({ state: 'visible' });
    expect(await field.inputValue()).toBe('ghosts');
    expect(slow.url()).toBe(`${product.url}/fp/databases/herbs`);
    await slow.context().close();
  });

  test('types keys into the palette that are pressed before it has the focus', async () => {
    const { page: slow, stopTime, come } = await slowWay(browser, /\/command-center-[^/]*\.js$/);
    await makeDatabase(slow, product.url, 'herbs', [{ _id: 'mint' }]);
    await slow.goto(`${product.url}/fp/databases/herbs`);
    await slow.getByRole('link', { name: 'mint', exact: true }).waitFor({ state: 'visible' });
    const isDark = () => slow.evaluate(() => document.documentElement.classList.contains('dark'));
    const before = await isDark();
    // The palette gets the focus in the next frame. While time is stopped, no frame is drawn.
    await stopTime();
    await slow.keyboard.press('ControlOrMeta+k');
    await slow.keyboard.type('gh');
    come();
    const field = slow.getByRole('combobox', { name: 'Search and commands' });
    await field.waitFor({ state: 'visible' });
    await slow.keyboard.type('ostt');
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(false);
    await slow.keyboard.press('Backspace');
    await slow.clock.resume();
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    await slow.keyboard.type('s');
    expect(await field.inputValue()).toBe('ghosts');
    expect(slow.url()).toBe(`${product.url}/fp/databases/herbs`);
    expect(await isDark()).toBe(before);
    await slow.context().close();
  });

  test('opens the pages of the open database', async () => {
    await go(`/fp/databases/${LONG_LOCAL}`);
    await page.getByText('1 document', { exact: true }).waitFor({ state: 'visible' });
    for (const [keys, leads, shown] of [
      ['gh', /\/history$/, page.getByRole('tab', { name: 'Changes' })],
      ['gq', /\/query$/, page.getByRole('textbox', { name: 'Map function' })],
      ['gd', new RegExp(`/${LONG_LOCAL}$`), page.getByText('1 document', { exact: true })],
      // `n` opens the editor of a new document, and the editor gets the focus.
      ['n', /\/docs\/new$/, page.getByRole('textbox', { name: /document/i })],
      ['gl', /\/fp\/databases$/, page.getByRole('heading', { level: 1, name: 'Local databases' })],
      ['gc', /\/overview$/, page.getByRole('heading', { level: 1, name: LONG_TENANT })],
    ] as const) {
      // Presses all keys without waiting, because the second key must follow within a time limit.
      await Promise.all([...keys].map((key) => page.keyboard.press(key)));
      await at(leads);
      await shown.waitFor({ state: 'visible' });
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    }
  });

  test('treats shortcuts as letters while the user types, in the editor too', async () => {
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

  test('leaves the editor with the keyboard', async () => {
    await go(`/fp/databases/${LONG_LOCAL}/docs/new`);
    const editor = page.getByRole('textbox', { name: /document/i });
    expect(await editor.getAttribute('aria-description')).toBe(
      'To leave the editor, press Escape, then Tab.',
    );
    await editor.click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.hasAttribute('data-editor')))
      .toBe(false);
  });

  test('lists the shortcuts when ? is pressed, and can disable all shortcuts that work without Ctrl', async () => {
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
    await expect.poll(chosen).toContain('Keyboard shortcuts');
    await page.keyboard.press('Enter');
    await sheet.getByRole('checkbox').check();
    await sheet.getByRole('button', { name: 'Done' }).click();
    await sheet.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe('/fp/databases');
  });

  test.each(LOOKS)('shows the palette and the shortcuts at $width px in the $theme theme', async (worn) => {
    await wear(page, worn);
    await go(tenantPath('/overview'));
    await page.getByRole('heading', { level: 1 }).waitFor();
    const faults: string[] = [];
    await openPalette();
    await page.getByRole('option', { name: LONG_LEDGER }).waitFor();
    await ada.shot(`palette-${worn.width}-${worn.theme}`);
    faults.push(...(await faultsOf(page)));
    await combobox().fill('keyboard');
    await expect.poll(chosen).toContain('Keyboard shortcuts');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'visible' });
    await ada.shot(`shortcuts-${worn.width}-${worn.theme}`);
    faults.push(...(await faultsOf(page)));
    expect(faults).toEqual([]);
  });
});
