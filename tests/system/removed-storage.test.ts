/**
 * The browser removes the storage of a database while a page shows its documents. The page reports
 * the removal, and can fetch the documents from the cloud again.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { faultsOf, LOOKS, makeDatabase, wear } from './local.fixture.ts';
import { must, signUpAt, writeDocument } from './people.fixture.ts';
import { type Visitor, visitor, withProduct } from './product.fixture.ts';

let url: string;
let ada: Visitor;
let page: Page;
let documents: string;
let ledgerId: string;

withProduct(async ({ product, browser }) => {
  url = product.url;
  ada = await visitor(browser);
  page = ada.page;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const admin = await signUpAt(page, url, 'ada@example.com', 'Ada');
  const { tenantId } = must(await admin.createTenant('Acme'));
  ({ ledgerId } = must(await admin.createLedger({ tenantId, name: 'notes', kind: 'open-key' })));
  documents = `${url}/fp/cloud/tenants/${tenantId}/ledgers/${ledgerId}/documents`;
});

const REMOVED = 'The documents were removed from this browser';
const isTold = () => page.getByText(REMOVED).waitFor({ state: 'visible' });

/** Removes the databases of the origin, as a browser does when the disk is full. */
async function evict(): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'indexeddb' });
  await session.detach();
}

/** Deletes databases from a second tab. */
async function removeElsewhere(part: string): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(`${url}/favicon.svg`);
  await other.evaluate(async (wanted) => {
    const databases = await indexedDB.databases();
    await Promise.all(
      databases
        .filter(({ name }) => name?.includes(wanted))
        .map(
          ({ name = '' }) =>
            new Promise<void>((resolve, reject) => {
              const request = indexedDB.deleteDatabase(name);
              request.onsuccess = () => resolve();
              request.onerror = () => reject(request.error);
            }),
        ),
    );
  }, part);
  await other.close();
}

test('[R4] reports that the documents of a local database were removed, also after a reload, and starts an empty database', async () => {
  await makeDatabase(page, url, 'library', [{ _id: 'a' }]);
  await evict();
  await isTold();
  expect(await page.getByRole('grid').count()).toBe(0);
  await page.reload();
  await isTold();
  expect(await page.getByText('There is no database called').count()).toBe(0);
  for (const each of LOOKS) {
    await wear(page, each);
    await page.reload();
    await isTold();
    expect(await faultsOf(page)).toEqual([]);
    await ada.shot(`removed-local-${each.width}-${each.theme}`);
  }
  await page.getByRole('button', { name: 'Start with an empty database' }).click();
  await page.getByText('No documents found. Create a new document to get started.').waitFor();
  await writeDocument(page, `${url}/fp/databases/library/docs/new`, { _id: 'b' });
  await page.goto(`${url}/fp/databases/library`);
  await page.getByRole('link', { name: 'b', exact: true }).waitFor({ state: 'visible' });
});

test('[R4] reports a local database that another tab removed', async () => {
  await page.goto(`${url}/fp/databases/library`);
  await page.getByRole('link', { name: 'b', exact: true }).waitFor({ state: 'visible' });
  await removeElsewhere('library');
  await isTold();
});

test('[R4] fetches the documents from the cloud again with one button, with or without a reload', async () => {
  await writeDocument(page, documents.replace(/documents$/, 'documents/new'), { _id: 'sent' });
  await page.getByRole('main').getByText('In sync').waitFor({ state: 'visible' });
  for (const reloads of [false, true]) {
    await page.goto(documents);
    await page.getByRole('link', { name: 'sent', exact: true }).waitFor({ state: 'visible' });
    if (reloads) await removeElsewhere(ledgerId);
    else await evict();
    await isTold();
    if (reloads) {
      await page.reload();
      await isTold();
    }
    await ada.shot(`removed-ledger-${reloads ? 'reloaded' : 'open'}`);
    await page.getByRole('button', { name: 'Restore from the server' }).click();
    await page.getByRole('link', { name: 'sent', exact: true }).waitFor({ state: 'visible' });
    await page.getByRole('main').getByText('In sync').waitFor({ state: 'visible' });
    expect(await page.getByText(REMOVED).count()).toBe(0);
  }
});

test('[S16] stops sync when the server reports a different kind of ledger than this browser stored', async () => {
  await page.evaluate((id) => localStorage.setItem(`fixpoint:kind:${id}`, 'sealed'), ledgerId);
  await removeElsewhere(ledgerId);
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage))
      if (key.startsWith('fixpoint.written:')) localStorage.removeItem(key);
  });
  await page.goto(documents);
  await page
    .getByText('Sync stopped: the server reports a different kind of database')
    .waitFor({ state: 'visible' });
  expect(await page.getByRole('link', { name: 'sent', exact: true }).count()).toBe(0);
  for (const each of LOOKS) {
    await wear(page, each);
    await page.reload();
    await page
      .getByText('Sync stopped: the server reports a different kind of database')
      .waitFor({ state: 'visible' });
    expect(await faultsOf(page)).toEqual([]);
    await ada.shot(`other-kind-${each.width}-${each.theme}`);
  }
});
