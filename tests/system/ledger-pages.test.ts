/**
 * Pages of a ledger, which work like those of a local database: history, past versions, queries and
 * live sync status.
 */
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openTables } from '../../packages/cloud/src/tables/open-tables.ts';
import { faultsOf, importDocuments, LOOKS, typeText, wear } from './local.fixture.ts';
import { makeLedger, signIn, signUp } from './people.fixture.ts';
import { chooseIn, type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

let product: Product;
let browser: Browser;
let ada: Visitor;
let page: Page;
let ledger = '';

withProduct(async (opened) => {
  ({ product, browser } = opened);
  // Ada opens pages without a network.
  ada = await visitor(browser, { serviceWorkers: 'allow' });
  page = ada.page;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await signUp(product, ada, 'ada@example.com', 'Ada');
  ({ ledger } = await makeLedger(product, page));
  await page.getByRole('main').getByText('In sync').waitFor({ state: 'visible' });
  await importDocuments(page, [
    { _id: 'engine', title: 'first title', year: 1837 },
    { _id: 'note', title: 'a note', year: 1843 },
  ]);
});

const tab = (name: string) =>
  page.getByRole('navigation', { name: 'Database pages' }).getByRole('link', { name, exact: true }).click();

/** Returns the text of the ledger's entry in the sidebar, with its state if there is one. */
const entry = () =>
  page
    .getByRole('navigation', { name: 'Tenant' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: 'notes', exact: true }) })
    .innerText();

async function edit(on: Page, id: string, text: string): Promise<void> {
  await on.goto(`${ledger}/documents/${id}`);
  await typeText(on, /document/i, text);
  await on.getByRole('button', { name: 'Save', exact: true }).click();
  await on.getByText('Saved in this browser.').waitFor({ state: 'visible' });
}

/** Inserts an entry without checks, as an older server did. */
async function injectEntry(
  { data }: Product,
  { tenantId, ledgerId }: { readonly tenantId: string; readonly ledgerId: string },
): Promise<void> {
  const { db } = await openTables(undefined, data, () => undefined);
  const entry = { cid: 'damaged1', parents: [], data: 'M!!' };
  await db.transaction().execute(async (tx) => {
    const { userId } = await tx
      .selectFrom('TenantUsers')
      .select('userId')
      .where('tenantId', '=', tenantId)
      .executeTakeFirstOrThrow();
    const { metaSeq } = await tx
      .updateTable('Ledgers')
      .set((eb) => ({ metaSeq: eb('metaSeq', '+', 1) }))
      .where('ledgerId', '=', ledgerId)
      .returning('metaSeq')
      .executeTakeFirstOrThrow();
    const row = {
      ...{ tenantId, ledgerId, seq: metaSeq, cid: entry.cid, entry: JSON.stringify(entry) },
      ...{ writer: JSON.stringify([userId, 'q', 'r']), createdAt: new Date().toISOString() },
    };
    await tx.insertInto('Metas').values(row).execute();
  });
  await db.destroy();
}

describe('a ledger', () => {
  test('shows writes of another browser in the history, and restores a past version', async () => {
    await page.goto(`${ledger}/documents`);
    await tab('History');
    await page.getByRole('tab', { name: 'By document' }).click();
    await page.getByText('2 documents, newest first').waitFor({ state: 'visible' });
    const other = await visitor(browser);
    await signIn(product, other, 'ada@example.com');
    await edit(other.page, 'engine', '{"title": "second title", "year": 1837}');
    await page.getByText('second title').first().waitFor({ state: 'visible' });
    await expect
      .poll(() => page.getByRole('grid').getByRole('link').first().innerText())
      .toBe('second title');

    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.getByRole('button', { name: /first title, a note/ }).click();
    await page.getByRole('link', { name: /^Browse this version/ }).click();
    await page.getByText('2 documents in this version').waitFor({ state: 'visible' });
    await page.getByRole('link', { name: 'engine', exact: true }).click();
    await page.getByRole('button', { name: 'Restore this version' }).click();
    await page.getByText('Document restored.').waitFor({ state: 'visible' });
    await expect
      .poll(() => other.page.getByRole('textbox', { name: /document/i }).innerText())
      .toContain('first title');
    await page.getByRole('link', { name: 'Back to now' }).click();
    await page.waitForURL(/\/documents\/engine$/);
    expect(other.problems).toEqual([]);
    await other.context.close();
  });

  test("marks a document that isn't uploaded yet, and opens a link to its version in another browser after the upload", async () => {
    const other = await visitor(browser);
    await signIn(product, other, 'ada@example.com');
    await other.page.goto(`${ledger}/documents`);
    await other.page.getByRole('main').getByText('In sync').waitFor({ state: 'visible' });
    const on = other.page;

    await page.goto(`${ledger}/documents/note`);
    await page.getByText('Saved in this browser. Sent to the cloud.').waitFor({ state: 'visible' });
    await ada.context.setOffline(true);
    await typeText(page, /document/i, '{"title": "written offline", "year": 1843}');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Not sent yet: it exists only on this device.').waitFor({ state: 'visible' });
    await expect.poll(entry).toMatch(/^notes\s+(1 to send|Offline: 1 to send)/);
    await page.getByRole('button', { name: 'Show versions' }).click();
    const versions = page.getByRole('region', { name: 'History' }).getByRole('listitem');
    await versions.first().getByText('Not sent').waitFor({ state: 'visible' });
    expect(await versions.nth(1).getByText('Not sent').count()).toBe(0);
    await ada.shot('document-not-sent');
    await chooseIn(page, 'Database actions', 'Sync and storage');
    await page.getByRole('button', { name: 'Compare now' }).click();
    await page.getByText(/^Couldn’t compare with the server/).waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Close' }).click();
    await tab('History');
    await page.getByText('Not sent', { exact: true }).waitFor({ state: 'visible' });
    await page.getByRole('link', { name: 'Browse past versions' }).click();
    await page.getByText(/documents in this version$/).waitFor({ state: 'visible' });
    const state = page.url();

    await on.goto(state);
    await on.getByRole('heading', { name: 'You don’t have this version yet' }).waitFor({ state: 'visible' });
    await other.shot('ledger-not-yet');
    await ada.context.setOffline(false);
    await on.getByText(/documents in this version$/).waitFor({ state: 'visible' });
    await on.getByText('written offline').waitFor({ state: 'visible' });
    await page.goto(`${ledger}/documents/note`);
    await page.getByText('Saved in this browser. Sent to the cloud.').waitFor({ state: 'visible' });
    // The entry keeps its state on other pages, and has none before this page opens the ledger.
    await expect.poll(entry).toMatch(/^notes\s+In sync/);
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.waitForURL(/\/overview$/);
    expect(await entry()).toMatch(/^notes\s+In sync/);
    await page.reload();
    await expect.poll(entry).toMatch(/^notes$/);
    expect(other.problems).toEqual([]);
    await other.context.close();
    // Ignores the browser's own messages about the lost network.
    ada.problems.splice(0);
  });

  test('compares the data on this device with the data that the server reports', async () => {
    await page.goto(`${ledger}/documents`);
    await page.getByRole('main').getByText('In sync').waitFor({ state: 'visible' });
    await chooseIn(page, 'Database actions', 'Sync and storage');
    const part = page.getByRole('region', { name: 'Compare with the server' });
    await part.getByRole('button', { name: 'Compare now' }).click();
    await part.getByText('The server and this device have the same data.').waitFor();
    const head = part.getByRole('listitem').first();
    await expect.poll(() => head.innerText()).toMatch(/^…[a-z0-9]{8}/);
    // If the page was left while it uploaded an archive, this device doesn't know the size of that
    // archive.
    await part.getByText(/B( in total|, and 1 of unknown size)$/).waitFor();
    await part.getByText(/First seen by this device/).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    // The server rejects archives from here on, so that it keeps the previous state.
    await ada.context.route('**/*', (route) =>
      route.request().method() === 'PUT' && !/\/(api|fp)$/.test(new URL(route.request().url()).pathname)
        ? route.fulfill({ status: 500 })
        : route.fallback(),
    );
    await edit(page, 'note', '{"title": "kept back", "year": 1843}');
    await page.getByText('Not sent yet: it exists only on this device.').waitFor({ state: 'visible' });
    await chooseIn(page, 'Database actions', 'Sync and storage');
    await part.getByRole('button', { name: 'Compare now' }).click();
    await part
      .getByText('This device has everything that the server has, and 1 change that the server doesn’t have.')
      .waitFor({ state: 'visible' });
    await ada.shot('held-less');
    await ada.context.unroute('**/*');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Saved in this browser. Sent to the cloud.').waitFor();
    ada.problems.splice(0);
  });

  test('verifies all stored data of the ledger', async () => {
    await page.goto(`${ledger}/history?view=check`);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Intact').waitFor({ state: 'visible' });
  });

  test('runs a query over the documents of the ledger, saves the query, and opens the query from its link', async () => {
    await page.goto(`${ledger}/documents`);
    await tab('Query');
    await typeText(page, 'Map function', '(doc, emit) => emit(doc.year)');
    await page.getByRole('button', { name: 'Query', exact: true }).click();
    await page.getByText(/^2 rows in [\d,]+ ms/).waitFor({ state: 'visible' });
    await page.getByLabel('Query name').fill('By year');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL(/\/query\/[^/]+$/);
    const saved = page.url();
    await page.goto(`${ledger}/query`);
    await page
      .getByRole('navigation', { name: 'Saved queries' })
      .getByRole('link', { name: 'By year' })
      .click();
    await page.waitForURL(saved);
    await expect.poll(() => page.getByLabel('Query name').inputValue()).toBe('By year');
    await page.getByRole('button', { name: 'Query', exact: true }).click();
    await page.getByRole('link', { name: 'engine', exact: true }).click();
    await page.waitForURL(/\/documents\/engine$/);
  });

  test.each(LOOKS)('fits at $width px in the $theme theme', async (worn) => {
    await wear(page, worn);
    const faults: string[] = [];
    const look = async (name: string) => {
      await ada.shot(`ledger-${name}-${worn.width}-${worn.theme}`);
      faults.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`));
    };
    await page.goto(`${ledger}/history`);
    await page.getByRole('button', { name: /first title, a note/ }).waitFor({ state: 'visible' });
    await look('history');
    await page.goto(`${ledger}/query`);
    await page.getByRole('navigation', { name: 'Saved queries' }).waitFor({ state: 'visible' });
    await page.getByRole('textbox', { name: 'Map function' }).waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Query', exact: true }).click();
    await page.getByText(/^2 rows/).waitFor({ state: 'visible' });
    await look('query');
    await chooseIn(page, 'Database actions', 'Sync and storage');
    await page.getByRole('region', { name: 'Keys' }).waitFor({ state: 'visible' });
    await look('sync');
    await page.getByRole('button', { name: 'Compare now' }).click();
    await page.getByText('Identical', { exact: true }).waitFor({ state: 'visible' });
    await page.getByRole('region', { name: 'Compare with the server' }).scrollIntoViewIfNeeded();
    await look('held');
    expect(faults).toEqual([]);
  });

  test('[R20] shows a damaged entry with its author, and lets an admin remove this entry', async () => {
    const [, tenantId = '', ledgerId = ''] = /tenants\/([^/]+)\/ledgers\/([^/]+)/.exec(ledger) ?? [];
    await injectEntry(product, { tenantId, ledgerId });
    const part = page.getByRole('region', { name: 'Entries that don’t sync' });
    for (const worn of LOOKS) {
      await wear(page, worn);
      await page.goto(`${ledger}/documents`);
      await page.getByRole('main').getByText('In sync').waitFor({ state: 'visible' });
      await chooseIn(page, 'Database actions', 'Sync and storage');
      await part.getByText(/Author: ada@example\.com, received/).waitFor();
      await part.scrollIntoViewIfNeeded();
      expect(await faultsOf(page)).toEqual([]);
      await ada.shot(`withheld-${worn.width}-${worn.theme}`);
    }
    await part.getByRole('button', { name: 'Remove entry …damaged1' }).click();
    await ada.shot('withheld-question');
    await page.getByRole('button', { name: 'Remove entry', exact: true }).click();
    await page.getByText('Entry removed.').waitFor({ state: 'visible' });
    await part.waitFor({ state: 'detached' });
    expect(await page.getByText('Unreadable entries').count()).toBe(0);
    // The device reported each damaged entry once.
    expect(ada.problems.splice(0).join()).toContain('damaged1');
  });

  test('reports no hidden problems', () => {
    expect(ada.problems).toEqual([]);
  });
});
