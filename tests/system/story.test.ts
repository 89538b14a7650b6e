import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptInvite, provingLink, signIn, signUp } from './people.fixture.ts';
import {
  freePort,
  launchBrowser,
  type Product,
  removeFolder,
  startProduct,
  temporaryFolder,
  visitor,
} from './product.fixture.ts';

const data = temporaryFolder();
let product: Product;
let browser: Browser;
let port: number;

beforeAll(async () => {
  port = await freePort();
  product = await startProduct(data, port);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await product?.end('SIGTERM');
  removeFolder(data);
});

/** Types a document in the JSON editor of the open page, and saves the document. */
async function writeDocument(page: Page, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: /document/i });
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
}

describe('from sign-up to sync', () => {
  let ledgerUrl = '';

  test('shows a document of a new user, tenant and database live in a second browser', async () => {
    const ada = await visitor(browser);
    await signUp(product, ada, 'ada@example.com', 'Ada');
    await expect.poll(() => ada.page.getByText('Here is the cloud').isVisible()).toBe(true);
    await ada.shot('cloud-index');

    await ada.page.goto(`${product.url}/fp/cloud/tenants/new`);
    await ada.page.getByLabel('Name').fill('Analytical Engines');
    await ada.page.getByRole('button', { name: 'Create' }).click();
    await ada.page.waitForURL(/\/tenants\/[^/]+\/overview/);
    await ada.shot('tenant-overview');

    const tenantUrl = ada.page.url().replace(/\/overview.*/, '');
    await ada.page.goto(`${tenantUrl}/ledgers/new`);
    await ada.page.getByLabel('New Database Name:').fill('notes');
    await ada.page.getByRole('button', { name: 'Create' }).click();
    await ada.page.waitForURL(/\/ledgers\/(?!new)[^/]+/);
    ledgerUrl = /^.*\/ledgers\/[^/]+/.exec(ada.page.url())?.[0] ?? '';

    const second = await visitor(browser);
    await signIn(product, second, 'ada@example.com');
    await second.page.goto(`${ledgerUrl}/documents`);
    await second.page
      .getByText('No documents found. Create a new document to get started.')
      .waitFor({ state: 'visible' });

    await ada.page.goto(`${ledgerUrl}/documents/new`);
    await writeDocument(ada.page, '{"title": "Hello from the first browser", "rank": 1}');
    await ada.page.waitForURL(/\/documents\/(?!new)[^/]+/);
    await ada.shot('document-saved');

    await second.page.getByText('Hello from the first browser').waitFor({ state: 'visible' });
    await second.shot('document-arrived');

    await second.page.getByText('Hello from the first browser').click();
    await second.page.waitForURL(/\/documents\/(?!new)[^/]+/);
    await writeDocument(second.page, '{"title": "Answer from the second browser", "rank": 2}');
    await ada.page.goto(`${ledgerUrl}/documents`);
    await ada.page.getByText('Answer from the second browser').waitFor({ state: 'visible' });
    expect([...ada.problems, ...second.problems]).toEqual([]);
  });

  test('shows two users each other’s writes after an invitation by email', async () => {
    const ada = await visitor(browser);
    await signIn(product, ada, 'ada@example.com');
    await ada.page.goto(`${ledgerUrl.replace(/\/ledgers\/.*/, '')}/members`);
    await ada.page.getByLabel('Email', { exact: true }).fill('grace@example.com');
    await ada.page.getByRole('button', { name: 'Invite by email' }).click();
    await ada.page.getByText('pending').waitFor({ state: 'visible' });
    await ada.shot('members-invited');

    const grace = await visitor(browser);
    await signUp(product, grace, 'grace@example.com', 'Grace');
    await grace.page.getByText('Were you invited by email?').waitFor({ state: 'visible' });
    await grace.shot('cloud-index-invited');
    await grace.page.goto(await provingLink(product, 'grace@example.com'));
    await acceptInvite(grace);
    await grace.page.getByRole('link', { name: 'notes' }).first().click();
    await grace.page.getByText('Answer from the second browser').waitFor({ state: 'visible' });

    await ada.page.goto(`${ledgerUrl}/documents`);
    await ada.page.getByText('Answer from the second browser').waitFor({ state: 'visible' });
    await grace.page.goto(`${ledgerUrl}/documents/new`);
    await writeDocument(grace.page, '{"title": "Written by the colleague"}');
    await grace.page.waitForURL(/\/documents\/(?!new)[^/]+/);
    await ada.page.getByText('Written by the colleague').waitFor({ state: 'visible' });
    await ada.shot('document-of-colleague');
    expect([...ada.problems, ...grace.problems]).toEqual([]);
  });

  test('[R14] shows all documents in a new browser after the server is killed and restarted', async () => {
    await product.end('SIGKILL');
    product = await startProduct(data, port);
    const later = await visitor(browser);
    await signIn(product, later, 'ada@example.com');
    await later.page.waitForURL(/\/overview/);
    await later.page.getByRole('link', { name: 'notes' }).first().click();
    await later.page.getByText('Answer from the second browser').waitFor({ state: 'visible' });
    await later.page.getByText('Written by the colleague').waitFor({ state: 'visible' });
    expect(later.problems).toEqual([]);
  });

  test('works locally while signed out and without a server', async () => {
    const visitorOffline = await visitor(browser, {
      viewport: { width: 375, height: 720 },
      serviceWorkers: 'allow',
    });
    const { page } = visitorOffline;
    await page.goto(`${product.url}/fp/databases/new`);
    await page.getByRole('textbox', { name: /name/i }).fill('groceries');
    await page.getByRole('button', { name: /create/i }).click();
    await page.waitForURL(/\/fp\/databases\/groceries$/);
    await visitorOffline.shot('local-empty-375');
    await page.getByRole('link', { name: 'New Document' }).first().click();
    await page.waitForURL(/\/docs\/new/);
    await page.getByRole('textbox', { name: /document/i }).waitFor({ state: 'visible' });
    await visitorOffline.context.setOffline(true);
    await writeDocument(page, '{"item": "milk", "count": 2}');
    await page.waitForURL(/\/docs\/(?!new)[^/]+/);
    await visitorOffline.context.setOffline(false);
    await page.goto(`${product.url}/fp/databases/groceries`);
    await page.getByText('milk').waitFor({ state: 'visible' });
    await visitorOffline.shot('local-documents-375');

    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await visitorOffline.context.setOffline(true);
    await page.reload();
    await page.getByText('milk').waitFor({ state: 'visible' });
    await page.getByRole('link', { name: 'New Document' }).first().click();
    await writeDocument(page, '{"item": "bread", "count": 1}');
    await page.waitForURL(/\/docs\/(?!new)[^/]+/);
    await page.goto(`${product.url}/fp/databases/groceries`);
    await page.getByText('bread').waitFor({ state: 'visible' });
  });

  test('redirects signed-out visitors of cloud pages to the login page', async () => {
    const stranger = await visitor(browser);
    await stranger.page.goto(`${product.url}/fp/cloud/tenants/new`);
    await stranger.page.waitForURL(/\/login\?redirect_url=/);
    await stranger.shot('login');
    expect(stranger.problems).toEqual([]);
  });
});
