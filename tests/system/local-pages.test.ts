/** Opens, connects and deletes databases of this browser. */
import type { Browser, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { faultsOf, importDocuments, makeDatabase, typeText, withConsole } from './local.fixture.ts';
import { chooseIn, type Visitor } from './product.fixture.ts';

let url: string;
let browser: Browser;
let ada: Visitor;
let page: Page;
/** Dialogs that the page opened. Tests accept dialogs while `isAgreed` is true. */
const dialogs: string[] = [];
let isAgreed = true;

withConsole(async (opened) => {
  ({ url, ada, browser } = opened);
  page = ada.page;
  page.on('dialog', (dialog) => {
    dialogs.push(`${dialog.type()}: ${dialog.message()}`);
    void (isAgreed ? dialog.accept() : dialog.dismiss());
  });
  await makeDatabase(page, url, 'pantry', [{ _id: 'milk', item: 'milk' }, { _id: 'rice' }]);
});

beforeEach(() => {
  dialogs.length = 0;
  isAgreed = true;
});

const at = (path: RegExp) => page.waitForURL((now) => path.test(now.pathname));
const sidebar = () => page.locator('#sidebar');
const rowLink = (id: string) => page.getByRole('grid').getByRole('link', { name: id, exact: true });

test('starts no transition for users who want reduced motion', async () => {
  const running = await page.evaluate(() => {
    document.body.style.paddingTop = '1px';
    const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition);
    document.body.style.paddingTop = '';
    return transitions.length;
  });
  expect(running).toBe(0);
});

test('shows an empty list in a browser that cannot list its databases', async () => {
  const mute = await ada.context.newPage();
  await mute.addInitScript(() => {
    indexedDB.databases = () => Promise.reject(new Error('not supported'));
  });
  await mute.goto(`${url}/fp/databases`);
  await mute.getByText('No databases in this browser yet.').waitFor({ state: 'visible' });
  await mute.getByLabel('Name of your first database').waitFor({ state: 'visible' });
  await mute.close();
});

test('shows loading in the sidebar until the browser has listed its databases', async () => {
  const slow = await ada.context.newPage();
  await slow.addInitScript(() => {
    const told = indexedDB.databases.bind(indexedDB);
    const asked = new Promise<void>((resolve) => Object.assign(window, { tellDatabases: resolve }));
    indexedDB.databases = () => asked.then(told);
  });
  await slow.goto(`${url}/fp/databases/new`);
  const list = slow.locator('#sidebar');
  await list.getByRole('status').getByText('Loading...').waitFor({ state: 'visible' });
  await slow.evaluate(() => (window as unknown as { tellDatabases(): void }).tellDatabases());
  await list.getByText('pantry', { exact: true }).waitFor({ state: 'visible' });
  await slow.close();
});

test('shows loading in a table and a document until the engine is ready', async () => {
  const context = await browser.newContext({ serviceWorkers: 'block' });
  const slow = await context.newPage();
  await makeDatabase(slow, url, 'pantry', [{ _id: 'milk', item: 'milk' }]);
  const main = slow.getByRole('main');
  for (const path of ['/fp/databases/pantry', '/fp/databases/pantry/docs/milk']) {
    const gate: { open?: () => void } = {};
    const held = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    await slow.route(/engine-worker/, async (route) => {
      await held;
      return route.fallback();
    });
    // The requested page must wait for the engine, not a page that redirects to it.
    const wasAsked = slow.waitForRequest(/engine-worker/);
    await slow.goto(url + path);
    await wasAsked;
    await main.getByRole('status').getByText('Loading...').first().waitFor({ state: 'visible' });
    // A placeholder reserves the space of the content.
    await main.locator('.animate-pulse').waitFor({ state: 'attached' });
    gate.open?.();
    await main.getByText('milk').first().waitFor({ state: 'visible' });
    await slow.unroute(/engine-worker/);
  }
  await context.close();
});

describe('a local database', () => {
  test('finds a connected database by its remote name, and lists this database with its local name', async () => {
    const asked = new URLSearchParams({
      localName: 'pantry',
      remoteName: '@acme/our pantry',
      endpoint: 'fpcloud://acme.example',
    });
    await page.goto(`${url}/fp/databases/connect?${asked}`);
    await at(/^\/fp\/databases\/acme_our_pantry$/);
    await page.getByRole('heading', { level: 1, name: '@acme/our pantry' }).waitFor({ state: 'visible' });
    await page.getByText('pantry → @acme/our pantry at fpcloud://acme.example').waitFor({ state: 'visible' });
    await rowLink('milk').click();
    await at(/^\/fp\/databases\/acme_our_pantry\/docs\/milk$/);
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
    await expect
      .poll(() => crumbs.getByRole('listitem').allInnerTexts())
      .toEqual(['Local databases', 'pantry', '@acme/our pantry', 'milk']);
    await crumbs.getByRole('link', { name: 'pantry', exact: true }).click();
    await at(/^\/fp\/databases\/pantry$/);
    await rowLink('milk').waitFor({ state: 'visible' });
    // Internal databases of the console don't appear in lists.
    expect(await sidebar().getByText('fp_sync').count()).toBe(0);
    await expect
      .poll(() => sidebar().getByRole('listitem').first().getByRole('link').first().innerText())
      .toBe('pantry');
  });

  test('fits a name of any length into a narrow window', async () => {
    const name = 'a-name-that-goes-on-'.repeat(5).slice(0, -1);
    const phone = await browser.newPage({ viewport: { width: 375, height: 740 } });
    await makeDatabase(phone, url, name, [{ _id: name, [name]: name }]);
    const below = ['', '/history', '/query', '/sharing', '/settings', `/docs/${name}`];
    for (const path of ['', ...below.map((page) => `/${name}${page}`), '/no-such']) {
      await phone.goto(`${url}/fp/databases${path}`);
      await phone
        .getByRole('main')
        .getByText(name.slice(0, 20))
        .or(phone.getByText('Not found'))
        .first()
        .waitFor();
      expect([path, await faultsOf(phone)]).toEqual([path, []]);
    }
    await phone.close();
  });

  test('collapses the pages of a database in the sidebar', async () => {
    await page.goto(`${url}/fp/databases/pantry`);
    const pages = sidebar().getByRole('link', { name: 'All Documents' });
    await pages.waitFor({ state: 'visible' });
    const toggle = sidebar().getByRole('button', { name: 'Pages of pantry' });
    await toggle.click();
    await pages.waitFor({ state: 'hidden' });
    await toggle.click();
    await pages.click();
    await at(/\/pantry$/);
  });

  test('deletes a document from the table after a confirmation, and restores the document with Undo', async () => {
    await page.goto(`${url}/fp/databases/pantry`);
    isAgreed = false;
    await page.getByRole('button', { name: 'Delete milk' }).click();
    isAgreed = true;
    await page.getByRole('button', { name: 'Delete rice' }).click();
    await page.getByText('Deleted document rice.').waitFor({ state: 'visible' });
    // A message stays open while the pointer is over it.
    await page.getByRole('button', { name: 'Undo' }).hover();
    const question = 'confirm: Are you sure you want to delete this document?';
    await expect.poll(() => dialogs).toEqual([question, question]);
    await rowLink('rice').waitFor({ state: 'hidden' });
    await page.getByText('1 document', { exact: true }).waitFor({ state: 'visible' });
    await rowLink('milk').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await rowLink('rice').waitFor({ state: 'visible' });
  });

  test('undoes deletions with Ctrl+Z, newest first, but not while the user types', async () => {
    const undo = page.getByRole('button', { name: 'Undo' });
    for (const id of ['milk', 'rice']) {
      await page.getByRole('button', { name: `Delete ${id}` }).click();
      await page.getByText(`Deleted document ${id}.`).waitFor({ state: 'visible' });
    }
    await undo.focus();
    await page.keyboard.press('ControlOrMeta+z');
    await rowLink('rice').waitFor({ state: 'visible' });
    expect(await rowLink('milk').count()).toBe(0);
    await page.getByRole('searchbox').focus();
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('Undid “Deleted document rice”.').waitFor({ state: 'visible' });
    expect(await rowLink('milk').count()).toBe(0);
    await page.keyboard.press('Tab');
    await page.keyboard.press('ControlOrMeta+z');
    await rowLink('milk').waitFor({ state: 'visible' });
    await expect.poll(() => undo.isDisabled()).toBe(true);
  });

  test('shows a visible link for a document with an invisible id', async () => {
    await importDocuments(page, [
      { _id: '  ', what: 'spaces' },
      { _id: 'a ', what: 'a space behind' },
    ]);
    await page.goto(`${url}/fp/databases/pantry`);
    const link = rowLink('"\\u0020\\u0020"');
    await link.waitFor({ state: 'visible' });
    await rowLink('"a\\u0020"').waitFor({ state: 'visible' });
    await link.click();
    await page.getByRole('textbox', { name: /document/i }).waitFor({ state: 'visible' });
    await expect.poll(() => page.locator('dd code').innerText()).toBe('"\\u0020\\u0020"');
    await page.goBack();
    for (const id of ['"\\u0020\\u0020"', '"a\\u0020"']) {
      await page.getByRole('button', { name: `Delete ${id}`, exact: true }).click();
      await page.getByText(`Deleted document ${id}.`).waitFor({ state: 'visible' });
    }
  });

  test('reports a failed Delete on the page of the document', async () => {
    await page.goto(`${url}/fp/databases/pantry/docs/milk`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect
      .poll(() => dialogs)
      .toEqual([expect.stringMatching(/^alert: Are you sure you want to delete this document\?/)]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await rowLink('milk').waitFor({ state: 'visible' });
  });

  test('offers no way to write in any tab while the database is locked', async () => {
    await page.goto(`${url}/fp/databases/pantry`);
    await rowLink('milk').waitFor({ state: 'visible' });
    const other = await ada.context.newPage();
    await other.goto(`${url}/fp/databases/pantry`);
    await chooseIn(page, 'Database actions', 'Lock');
    for (const one of [page, other]) {
      // Firefox focuses nothing in a tab that isn't in front.
      await one.bringToFront();
      await one.getByRole('button', { name: 'Locked', pressed: true }).waitFor({ state: 'visible' });
      await one.getByRole('button', { name: 'Delete milk', exact: true }).waitFor({ state: 'detached' });
      for (const menu of ['Database actions', 'More table actions']) {
        await one.getByRole('button', { name: menu }).click();
        await one.getByRole('menuitem').first().waitFor({ state: 'visible' });
        // A menu handles keys only after its effects ran, which also focus it.
        await one.locator('[role="menu"]:focus, [role="menu"] :focus').waitFor({ state: 'visible' });
        for (const name of ['Lock', 'Delete Database', 'Import'])
          await one.getByRole('menuitem', { name, exact: true }).waitFor({ state: 'detached' });
        await one.keyboard.press('Escape');
        await one.getByRole('menuitem').first().waitFor({ state: 'detached' });
      }
      await one.getByRole('link', { name: 'New Document' }).waitFor({ state: 'detached' });
    }
    await other.close();
    expect(await faultsOf(page)).toEqual([]);
    await ada.shot('locked');
    await rowLink('milk').click();
    await page.getByText('This database is locked in this browser.').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
    await expect
      .poll(() => page.getByRole('textbox', { name: /document/i }).getAttribute('contenteditable'))
      .toBe('false');
    await page.getByRole('button', { name: 'Locked' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'visible' });
  });

  test('deletes a database with its saved queries and its connection after a confirmation, and opens /', async () => {
    await page.goto(`${url}/fp/databases/pantry/query`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await at(/\/query\/[^/]+$/);
    const stored = () =>
      page.evaluate(async () =>
        (await indexedDB.databases()).map(({ name }) => name).filter((name) => name?.includes('pantry')),
      );
    // Ignores the reserve that each database keeps in case the disk is full.
    const databases = async () => (await stored()).filter((name) => name?.startsWith('fp.'));
    await expect.poll(databases).toHaveLength(2);
    await page.goto(`${url}/fp/databases/pantry/docs/new`);
    await typeText(page, /document/i, '{"draft":"never saved"}');
    await page.goto(`${url}/fp/databases/pantry`);
    const noted = () =>
      page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes('pantry')));
    await expect.poll(noted).toContain('fixpoint:draft:["pantry",null]');
    dialogs.length = 0;
    isAgreed = false;
    await chooseIn(page, 'Database actions', 'Delete Database');
    await rowLink('milk').waitFor({ state: 'visible' });
    expect(await databases()).toHaveLength(2);
    isAgreed = true;
    await chooseIn(page, 'Database actions', 'Delete Database');
    // `/` redirects signed-out visitors to the login page.
    await page.waitForURL(`${url}/login?redirect_url=%2Ffp%2Fcloud`);
    await expect.poll(() => dialogs).toHaveLength(2);
    expect(dialogs[1]).toMatch(/^confirm: Are you sure you want to delete the database "pantry"\?/);
    await expect.poll(async () => [await stored(), await noted()]).toEqual([[], []]);
    await page.goto(`${url}/fp/databases/acme_our_pantry`);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor({ state: 'visible' });
  });

  test('reports no hidden problems', () => {
    expect(ada.problems).toEqual([]);
  });
});
