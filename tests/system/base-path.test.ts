/** A server below a path, without a proxy, as users and applications see it in a real browser. */
import { createAdminClient } from '@fixpoint/protocol/admin';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppPage } from './app-page.fixture.ts';
import { makeDatabase } from './local.fixture.ts';
import { makeLedger, must, PASSWORD, provingLink, signUp, writeDocument } from './people.fixture.ts';
import { type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';
import { type ServedPage, servedPage } from './served-page.fixture.ts';

const BASE = '/fixpoint';

let product: Product;
let browser: Browser;
let ada: Visitor;
let page: Page;
let app: ServedPage;
/** The addresses that all pages of the tenant and of the ledger start with. */
let tenant = '';
let ledger = '';
/** Paths of the server that pages requested. */
const paths: string[] = [];

beforeAll(async () => {
  app = await servedPage('./app-page.fixture.ts');
});
afterAll(() => app.close());

withProduct(
  async (opened) => {
    ({ product, browser } = opened);
    ada = await visitor(browser, { serviceWorkers: 'allow' });
    page = ada.page;
    ada.context.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin === new URL(product.url).origin) paths.push(pathname);
    });
  },
  { BASE_PATH: BASE },
);

const shown = (on: Page, text: string | RegExp) =>
  on.getByRole('main').getByText(text).first().waitFor({ state: 'visible' });

describe('a console below a path', () => {
  test('signs up, creates a tenant and a ledger, and syncs a document', async () => {
    expect(product.url).toMatch(/:\d+\/fixpoint$/);
    await signUp(product, ada, 'ada@example.com', 'Ada');
    ({ tenant, ledger } = await makeLedger(product, page));
    expect(new URL(tenant).pathname).toMatch(/^\/fixpoint\/fp\/cloud\/tenants\//);
    await page.getByRole('main').getByText('In sync').waitFor({ state: 'visible' });
    await writeDocument(page, `${ledger}/documents/new`, { _id: 'milk', title: 'Buy milk' });
    await page.getByRole('main').getByText('In sync').waitFor({ state: 'visible' });
    const cookies = await ada.context.cookies();
    expect(cookies.length).toBeGreaterThan(0);
    expect(new Set(cookies.map(({ path }) => path))).toEqual(new Set([BASE]));
  });

  test('reloads on a deep link, also without a network', async () => {
    await page.goto(`${ledger}/documents/milk`);
    await page.reload();
    await expect
      .poll(() => page.getByRole('textbox', { name: /document/i }).innerText())
      .toContain('Buy milk');
    const scope = await page.evaluate(async () => (await navigator.serviceWorker.ready).scope);
    expect(new URL(scope).pathname).toBe(`${BASE}/`);
    await makeDatabase(page, product.url, 'groceries', [{ _id: 'bread' }]);
    await ada.context.setOffline(true);
    await page.goto(`${product.url}/fp/databases/groceries/docs/bread`);
    await page.getByRole('textbox', { name: /document/i }).waitFor({ state: 'visible' });
    await ada.context.setOffline(false);
  });

  test('leads to the console from the root of the path, from addresses without it, and from mails', async () => {
    const { origin } = new URL(product.url);
    for (const address of [product.url, `${product.url}/`, `${origin}/fp/cloud`]) {
      await page.goto(address);
      await page.waitForURL(`${tenant}/overview`);
    }
    await page.goto(await provingLink(product, 'ada@example.com'));
    await page.waitForURL(`${tenant}/overview`);
    const opening = ada.context.waitForEvent('page');
    await page.getByRole('banner').getByRole('link', { name: 'Documentation', exact: true }).click();
    const docs = await opening;
    await docs.waitForURL(`${product.url}/docs/index.html`);
    await docs.getByRole('searchbox').or(docs.getByRole('combobox')).first().waitFor();
    await docs.close();
    await page.goto(`${product.url}/docs`);
    await page.waitForURL(`${product.url}/docs/index.html`);
  });

  test('returns to the page after signing out and in', async () => {
    await page.goto(`${tenant}/members`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await ada.context.clearCookies();
    await page.goto(`${ledger}/documents`);
    await page.waitForURL(/\/fixpoint\/login\?redirect_url=%2Ffp%2Fcloud/);
    await page.getByLabel('Email', { exact: true }).fill('ada@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`${ledger}/documents`);
    await shown(page, 'milk');
  });

  test('connects a local database with the cloud', async () => {
    await page.goto(`${product.url}/fp/databases/groceries`);
    const button = page.getByRole('main').getByRole('button', { name: 'Connect', exact: true });
    await button.click();
    await page.getByLabel('Name in the cloud').waitFor();
    await button.click();
    await shown(page, 'groceries is in sync with the cloud');
  });
});

test('signs in the users of an application of another origin, and syncs their databases', async () => {
  const tenantId = tenant.split('/').at(-1) ?? '';
  await page.goto(`${tenant}/overview`);
  const token = await page.evaluate(
    async (url) => ((await (await fetch(url)).json()) as { token: string }).token,
    `${product.url}/auth/token`,
  );
  const admin = createAdminClient({
    url: `${product.url}/api`,
    fetch,
    auth: async () => ({ type: 'fixpoint', token }),
  });
  const settings = { name: 'Notes', origins: [app.url], redirectUrls: [`${app.url}/`] };
  const { applicationId } = must(await admin.createApplication({ tenantId, ...settings }));
  const known = String(new URLSearchParams({ base: product.url, app: applicationId }));
  await ada.context.addInitScript(
    ({ origin, text }) => location.origin === origin && localStorage.setItem('settings', text),
    { origin: app.url, text: known },
  );
  await page.goto(`${app.url}/`);
  await page.waitForFunction(() => 'page' in window);
  await page.evaluate(() => {
    void (window as unknown as Window & { page: AppPage }).page.session.signIn();
  });
  await page.waitForURL(/\/fixpoint\/fp\/cloud\/authorize/);
  await page.getByRole('button', { name: 'Allow access' }).click();
  await page.waitForURL((url) => url.href === `${app.url}/`);
  await page.waitForFunction(() => 'page' in window);
  const write = () =>
    page.evaluate(async () => {
      const { session, write: add } = (window as unknown as Window & { page: AppPage }).page;
      await session.ready();
      return add('of an app');
    });
  expect(await write()).toContain('of an app');
});

test('requests nothing outside of the path', () => {
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => path !== BASE && !path.startsWith(`${BASE}/`))).toEqual(['/fp/cloud']);
  expect(ada.problems.filter((problem) => !problem.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
});
