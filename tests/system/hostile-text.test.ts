/**
 * Documents and names that contain markup, scripts and script addresses. Every screen must show
 * them as text and run no script.
 */
import type { AdminClient } from '@fixpoint/protocol/admin';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { shownId } from '../../packages/console/src/values/shown-id.ts';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { HOSTILE, HOSTILE_IDS, packed } from './hostile-text.fixture.ts';
import { makeDatabase, openImport, typeText } from './local.fixture.ts';
import { must, signUpAt, writeDocument } from './people.fixture.ts';
import { type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

const ALL = 'everything';
const everything = Object.fromEntries(HOSTILE.map((text) => [text, text]));
/** Texts that are tested on a separate page each. Larger budgets test all texts this way. */
const SOME = HOSTILE_IDS.filter((_text, at) => at % budget({ commit: 29, night: 1, release: 1 }) === 0);
/** Texts that are used in the addresses of several pages. */
const ADDRESSED = SOME.filter((_text, at) => at % budget({ commit: 3, night: 1, release: 1 }) === 0);
const NAMES = packed(HOSTILE_IDS, 190);

let product: Product;
let browser: Browser;
let ada: Visitor;
let page: Page;
let admin: AdminClient;
/**
 * Scripts that ran, and scripts that the content policy blocked. In both cases, a page used text as
 * markup.
 */
const ran: string[] = [];

withProduct(async (opened) => {
  ({ product, browser } = opened);
  ada = await visitor(browser);
  page = ada.page;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.context().exposeFunction('tellRun', (text: string) => ran.push(text));
  await page.context().addInitScript(() => {
    const shown = window as unknown as { tellRun(text: string): void; hacked(): void };
    shown.hacked = () => shown.tellRun(`ran at ${location.href}`);
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      shown.tellRun(`${violatedDirective} at ${location.href}: ${blockedURI} ${sample}`),
    );
  });
  admin = await signUpAt(page, product.url, 'ada@example.com', NAMES[0] ?? '');
  const docs = HOSTILE_IDS.map((text) => ({ _id: text, [text]: text, inside: { [text]: [text] } }));
  await makeDatabase(page, product.url, 'library', [...docs, { _id: ALL, ...everything }]);
});

const go = (path: string) => page.goto(product.url + path);

/** Lists elements, handler attributes and script addresses that the page created from the texts. */
async function madeOf(): Promise<string[]> {
  return page.evaluate(() => {
    const made: string[] = [];
    const look = (root: Document | ShadowRoot) => {
      for (const one of root.querySelectorAll('*')) {
        const runs = [...one.attributes].filter(({ name }) => /^on|^(srcdoc|formaction)$/.test(name));
        const address = ['href', 'src', 'action', 'data', 'xlink:href'].map(
          (name) => one.getAttribute(name) ?? '',
        );
        // The console shows attached SVG files this way: a picture never runs its scripts.
        const isPicture = one.localName === 'img';
        const isForeign = /^(iframe|object|embed|base|marquee|math|template|audio|video)$/.test(
          one.localName,
        );
        if (
          isForeign ||
          runs.length > 0 ||
          address.some(
            (text) =>
              /^\s*(java\s*script|vbscript|data):/i.test(text) &&
              !(isPicture && text.startsWith('data:image/svg+xml;base64,')),
          )
        )
          made.push(one.outerHTML.slice(0, 120));
        if (one.shadowRoot !== null) look(one.shadowRoot);
      }
    };
    look(document);
    return made;
  });
}

/**
 * Expects that the open page shows the texts only as text. First waits for two frames, in which a
 * script would run.
 */
async function isText(): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  });
  expect([...(await madeOf()), ...ran]).toEqual([]);
}

const shows = (text: string) =>
  page.getByText(text, { exact: true }).filter({ visible: true }).first().waitFor();
const pathOf = (id: string) => `/fp/databases/library/docs/${encodeURIComponent(id)}`;

describe('documents', () => {
  test('[S9] shows ids, fields and values in the table unchanged', async () => {
    await go('/fp/databases/library');
    const grid = page.getByRole('grid');
    await grid.getByRole('link').first().waitFor({ state: 'visible' });
    const seen = new Set<string>();
    await expect
      .poll(async () => {
        await isText();
        // Waits until the rows have loaded, because scrolling further would skip them.
        await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
        for (const text of await grid.getByRole('link').allTextContents()) seen.add(text);
        await grid.evaluate((one) => one.scrollBy({ top: one.clientHeight / 2 }));
        return seen.size;
      })
      .toBe(HOSTILE_IDS.length + 1);
    expect([...seen].sort()).toEqual([...HOSTILE_IDS, ALL].map(shownId).sort());
    await grid.evaluate((one) => one.scrollTo({ top: 0, left: one.scrollWidth }));
    await isText();
  });

  test('[S9] shows conditions, columns and the search of the table as text', async () => {
    for (const text of SOME) {
      const where = encodeURIComponent(JSON.stringify([text, 'contains', text]));
      await go(
        `/fp/databases/library?where=${where}&sort=${encodeURIComponent(text)}&find=${encodeURIComponent(text)}`,
      );
      await shows(`${text} contains ${text}`);
      await isText();
    }
    for (const dialog of ['Columns', 'Filter']) {
      await page.getByRole('button', { name: dialog }).first().click();
      await page.getByRole('dialog').waitFor({ state: 'visible' });
      await expect.poll(() => page.getByRole('dialog').textContent()).toContain(SOME[0]);
      await isText();
      await page.keyboard.press('Escape');
    }
  });

  test('[S9] shows the editor, the history, changes, and a deleted document', async () => {
    for (const text of SOME) {
      await go(pathOf(text));
      await shows(text);
      await expect.poll(() => page.locator('.cm-content').textContent()).toContain(JSON.stringify(text));
      await isText();
    }
    await go(pathOf(ALL));
    const changed = Object.fromEntries(Object.keys(everything).map((field) => [field, `${field} ${field}`]));
    await typeText(page, /document/i, JSON.stringify(changed));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved in this browser.').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Show versions' }).click();
    await page.getByRole('button', { name: /Created/ }).waitFor({ state: 'visible' });
    for (const version of await page.getByRole('button', { name: /Created|Changed/ }).all())
      await version.click();
    await expect.poll(() => page.getByRole('main').textContent()).toContain(HOSTILE[1]);
    await isText();
    for (const view of ['', '?view=documents', '?view=check']) {
      await go(`/fp/databases/library/history${view}`);
      await page.getByRole('tablist', { name: 'History' }).waitFor();
      await expect.poll(() => page.getByText('Loading...').filter({ visible: true }).count()).toBe(0);
      await isText();
    }
    const [first = ''] = SOME;
    await go(`/fp/databases/library?find=${encodeURIComponent(first)}`);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: `Delete ${first}`, exact: true }).click();
    await page.getByText(/^Deleted document /).waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Undo' }).hover();
    await isText();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: `Delete ${first}`, exact: true }).waitFor({ state: 'visible' });
  });

  test('[S9] shows results, errors and names of queries as text', async () => {
    await go('/fp/databases/library/query');
    const run = page.getByRole('button', { name: 'Query', exact: true });
    await run.click();
    await page.getByText(/^\d+ rows in/).waitFor({ state: 'visible' });
    await isText();
    for (const text of SOME) {
      await typeText(page, 'Map function', `() => { throw new Error(${JSON.stringify(text)}) }`);
      await run.click();
      await page.getByRole('alert').filter({ hasText: text }).waitFor({ state: 'visible' });
      await isText();
    }
    for (const name of NAMES.slice(0, 3)) {
      await go('/fp/databases/library/query');
      await page.getByLabel('Query name').fill(name);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.waitForURL(/\/query\/[^/]+$/);
      await page.locator('#sidebar').getByTitle(name.trim(), { exact: true }).waitFor({ state: 'visible' });
      await isText();
    }
  });

  test('[S9] shows the names and the contents of files as text', async () => {
    const name = '"><img src=x onerror=hacked()>';
    await go(pathOf(ALL));
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="hacked()"><script>hacked()</script></svg>';
    await page.getByLabel('Files to add').setInputFiles([
      { name: `${name}.html`, mimeType: 'text/html', buffer: Buffer.from('<script>hacked()</script>') },
      { name: `${name}.svg`, mimeType: 'image/svg+xml', buffer: Buffer.from(svg) },
    ]);
    await page.getByRole('img', { name: `${name}.svg` }).waitFor({ state: 'visible' });
    await shows(`${name}.html`);
    await isText();
    await page.getByRole('button', { name: `Remove ${name}.html` }).click();
    await shows(`Removed ${name}.html.`);
    await isText();
    await go('/fp/databases/library');
    await openImport(page);
    await page.getByLabel('Choose files to import').setInputFiles({
      name: `${name}.json`,
      mimeType: 'application/json',
      buffer: Buffer.from('<img src=x onerror=hacked()>'),
    });
    await page
      .getByRole('dialog')
      .getByText(/onerror=hacked|no document/)
      .first()
      .waitFor({ state: 'visible' });
    await isText();
  });
});

describe('addresses', () => {
  const local = '/fp/databases';
  // One test for each address, because all texts in all addresses take longer than a test may.
  test.each([
    ['no page', 'Not found', (part: string) => `/fp/${part}`],
    ['a database', undefined, (part: string) => `${local}/${part}`],
    ['a new database', undefined, (part: string) => `${local}/new?name=${part}`],
    ['a document', undefined, (part: string) => `${local}/library/docs/${part}-`],
    ['a query', undefined, (part: string) => `${local}/library/query/${part}`],
    [
      'a connect link',
      undefined,
      (part: string) => `${local}/connect?localName=${part}&remoteName=${part}&endpoint=${part}`,
    ],
    [
      'a connect link without a local name',
      'Local name is required',
      (part: string) => `${local}/connect?remoteName=${part}&endpoint=${part}`,
    ],
  ])('[S9] shows parts of the address of %s as text', async (_page, shown, address) => {
    for (const text of ADDRESSED) {
      await go(address(encodeURIComponent(text)));
      if (shown === undefined) await page.getByRole('heading', { level: 1 }).first().waitFor();
      else await shows(shown);
      await isText();
    }
  });
});

describe('names', () => {
  test('[S9] shows names of a user, tenants and cloud databases as text', async () => {
    const tenants: string[] = [];
    for (let n = 0; n < 5; n++) tenants.push(must(await admin.createTenant(`tenant ${n}`)).tenantId);
    const [tenantId = ''] = tenants;
    const ledgers: string[] = [];
    for (let n = 0; n < 5; n++)
      ledgers.push(must(await admin.createLedger({ tenantId, name: `ledger ${n}` })).ledgerId);
    const base = `/fp/cloud/tenants/${tenantId}`;
    const sidebar = page.locator('#sidebar');
    const texts = NAMES.filter((_, at) => at % budget({ commit: 4, night: 1, release: 1 }) === 0);
    for (let from = 0; from < texts.length; from += 10) {
      const names = texts.slice(from, from + 10);
      for (const [n, name] of names.entries()) {
        const [tenant, ledgerId] = [tenants[n], ledgers[n - 5]];
        if (tenant !== undefined) must(await admin.updateTenant(tenant, name));
        else if (ledgerId !== undefined) must(await admin.updateLedger({ tenantId, ledgerId, name }));
      }
      await go(`${base}/ledgers/${ledgers[0]}/documents`);
      const [first = '', ...others] = names;
      await page.getByRole('banner').getByTitle(first, { exact: true }).waitFor({ state: 'visible' });
      for (const name of others.slice(4))
        await sidebar.getByTitle(name.trim(), { exact: true }).waitFor({ state: 'visible' });
      await isText();
      await page.keyboard.press('ControlOrMeta+k');
      await expect.poll(() => page.getByRole('listbox').textContent()).toContain(others[3] ?? first);
      await isText();
    }
    for (const below of [
      '/overview',
      '/members',
      '/admin',
      '/delete',
      '/ledgers',
      `/ledgers/${ledgers[0]}/sharing`,
    ]) {
      await go(base + below);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await expect.poll(() => page.getByText('Loading...').filter({ visible: true }).count()).toBe(0);
      await isText();
    }
    await page.getByRole('button', { name: /^Account of/ }).click();
    await shows(NAMES[0] ?? '');
    await isText();
    await writeDocument(page, `${product.url}${base}/ledgers/${ledgers[0]}/documents/new`, {
      _id: HOSTILE_IDS[1],
      ...everything,
    });
    await page.locator('.cm-content').waitFor();
    await isText();
  });

  test('[S9] runs nothing, and the content policy blocks no script of the console', () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(200);
    expect(ran).toEqual([]);
    expect(ada.problems).toEqual([]);
  });
});
