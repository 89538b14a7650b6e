/** An application of another origin signs in its own users, in a real browser. */
import type { AdminClient } from '@fixpoint/protocol/admin';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppPage } from './app-page.fixture.ts';
import { unexpected } from './factors.fixture.ts';
import { faultsOf, LOOKS, wear } from './local.fixture.ts';
import { must, PASSWORD, signUpAt } from './people.fixture.ts';
import { type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';
import { type ServedPage, servedPage } from './served-page.fixture.ts';

let product: Product;
let browser: Browser;
let app: ServedPage;
let stranger: ServedPage;
let admin: AdminClient;
let adminPage: Visitor;
const ids = { tenant: '', notes: '', app: '' };

beforeAll(async () => {
  app = await servedPage('./app-page.fixture.ts');
  stranger = await servedPage('./app-page.fixture.ts');
});
afterAll(() => {
  app.close();
  stranger.close();
});

withProduct(async (opened) => {
  ({ product, browser } = opened);
  adminPage = await visitor(browser);
  admin = await signUpAt(adminPage.page, product.url, 'ada@example.com', 'Ada');
  const { tenantId } = must(await admin.createTenant('Acme'));
  const { ledgerId } = must(await admin.createLedger({ tenantId, name: 'notes', kind: 'open-key' }));
  Object.assign(ids, { tenant: tenantId, notes: ledgerId });
});

async function register(): Promise<string> {
  const settings = { name: 'Notes', origins: [app.url], redirectUrls: [`${app.url}/`] };
  const { applicationId } = must(await admin.createApplication({ tenantId: ids.tenant, ...settings }));
  return applicationId;
}

type AppWindow = Window & { readonly page: AppPage };

/** Opens the application in a browser whose pages know the cloud and the id of the application. */
async function openApp({ page, context }: Visitor, applicationId: string, at = app.url): Promise<void> {
  const settings = String(new URLSearchParams({ base: product.url, app: applicationId }));
  await context.addInitScript(
    ({ origin, text }) => location.origin === origin && localStorage.setItem('settings', text),
    { origin: at, text: settings },
  );
  await page.goto(`${at}/`);
  await page.waitForFunction(() => 'page' in window);
}

const stateOf = (page: Page) =>
  page.evaluate(async () => {
    const { session } = (window as unknown as AppWindow).page;
    await session.ready();
    const { status, user } = session.state();
    return { status, email: user?.email };
  });
const signInBy = (page: Page, popup: boolean) =>
  page.evaluate((isPopup) => {
    void (window as unknown as AppWindow).page.session.signIn({ popup: isPopup });
  }, popup);
const write = (page: Page, title: string) =>
  page.evaluate((text) => (window as unknown as AppWindow).page.write(text), title);
const errorOf = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as AppWindow).page.session.databases().then(
      () => 'none',
      (error: { code: string }) => error.code,
    ),
  );

async function enter(page: Page): Promise<void> {
  await page.waitForURL(/\/login\?redirect_url=%2Ffp%2Fcloud%2Fauthorize/);
  await page.getByLabel('Email', { exact: true }).fill('ada@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

const ADA = { status: 'signed-in', email: 'ada@example.com' };
const SIGNED_OUT = { status: 'signed-out', email: undefined };

test('[S11] signs in with a redirect, asks once, syncs, and puts no token into any address', async () => {
  const applicationId = await register();
  const ada = await visitor(browser);
  const { page } = ada;
  const seen: string[] = [];
  page.context().on('request', (request) => void seen.push(request.url()));
  page.on('framenavigated', (frame) => void seen.push(frame.url()));
  await openApp(ada, applicationId);
  expect(await stateOf(page)).toEqual(SIGNED_OUT);
  await signInBy(page, false);
  await enter(page);
  await page.getByText(app.url, { exact: true }).waitFor({ state: 'visible' });
  for (const each of LOOKS) {
    await wear(page, each);
    expect(await faultsOf(page)).toEqual([]);
    await ada.shot(`app-sign-in-${each.width}-${each.theme}`);
  }
  await page.getByRole('button', { name: 'Allow access' }).click();
  await page.waitForURL((url) => url.href === `${app.url}/`);
  await page.waitForFunction(() => 'page' in window);
  expect(await stateOf(page)).toEqual(ADA);
  expect(await write(page, 'milk')).toEqual(['milk']);
  await page.reload();
  await page.waitForFunction(() => 'page' in window);
  expect(await stateOf(page)).toEqual(ADA);
  expect(await write(page, 'bread')).toEqual(['bread', 'milk']);

  await page.evaluate(() => (window as unknown as AppWindow).page.session.signOut());
  expect(await stateOf(page)).toEqual(SIGNED_OUT);
  await signInBy(page, false);
  await page.waitForURL((url) => url.origin === product.url);
  await page.waitForURL((url) => url.href === `${app.url}/`);
  await page.waitForFunction(() => 'page' in window);
  expect(await stateOf(page)).toEqual(ADA);

  const secrets = await page.evaluate(() => Object.values({ ...localStorage }).join(' '));
  const tokens = secrets.match(/[\w-]{43}/g) ?? [];
  expect(tokens.length).toBeGreaterThan(0);
  for (const token of tokens) expect(seen.join(' ')).not.toContain(token);
  expect(seen.join(' ')).not.toMatch(/eyJ|accessToken|fpToken/);
  expect(seen.some((url) => /#.*fixpoint_code=/.test(url))).toBe(true);
  expect(app.requested).toContain('/');
  expect(app.requested.join(' ')).not.toMatch(/code=/);
  expect(ada.problems).toEqual([]);
});

test('signs in with a popup, which closes, and signs out in every tab', async () => {
  const applicationId = await register();
  const ada = await visitor(browser);
  const { page, context } = ada;
  await openApp(ada, applicationId);
  const other = await context.newPage();
  await other.goto(`${app.url}/`);
  await other.waitForFunction(() => 'page' in window);
  const popped = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Sign in with a window' }).click();
  const popup = await popped;
  await enter(popup);
  const closed = popup.waitForEvent('close');
  await popup.getByRole('button', { name: 'Allow access' }).click();
  await closed;
  await expect.poll(() => stateOf(page)).toEqual(ADA);
  await expect.poll(() => stateOf(other)).toEqual(ADA);
  expect(await write(page, 'popup')).toContain('popup');
  await other.evaluate(() => (window as unknown as AppWindow).page.session.signOut());
  await expect.poll(() => stateOf(page)).toEqual(SIGNED_OUT);
  await context.close();
});

test('[S11] gives nothing to a page that is not registered, or to a user who does not agree', async () => {
  const applicationId = await register();
  const eve = await visitor(browser);
  await openApp(eve, applicationId, stranger.url);
  await signInBy(eve.page, false);
  await enter(eve.page);
  await eve.page.getByText(/isn’t registered on this server/).waitFor({ state: 'visible' });
  expect(eve.page.url()).toContain(product.url);
  const ada = await visitor(browser);
  await openApp(ada, applicationId);
  await signInBy(ada.page, false);
  await enter(ada.page);
  await ada.page.getByRole('button', { name: 'Cancel' }).click();
  await ada.page.waitForURL((url) => url.origin === app.url);
  await ada.page.waitForFunction(() => 'page' in window);
  expect(await stateOf(ada.page)).toEqual(SIGNED_OUT);
  expect(ada.page.url()).toBe(`${app.url}/`);
});

test('ends the session when the user signs out of the app in the account', async () => {
  const applicationId = await register();
  const ada = await visitor(browser);
  const { page } = ada;
  await openApp(ada, applicationId);
  await signInBy(page, false);
  await enter(page);
  await page.getByRole('button', { name: 'Allow access' }).click();
  await page.waitForURL((url) => url.href === `${app.url}/`);
  await page.waitForFunction(() => 'page' in window);
  expect(await stateOf(page)).toEqual(ADA);
  const account = await ada.context.newPage();
  await account.goto(`${product.url}/fp/cloud/account`);
  const list = account.getByRole('list', { name: 'Apps you sign in to' });
  const rows = list.getByRole('listitem');
  await rows.first().waitFor({ state: 'visible' });
  await rows.first().getByRole('button', { name: 'Sign out of Notes' }).click();
  await expect.poll(() => errorOf(page)).toBe('NOT_SIGNED_IN');
  expect(await stateOf(page)).toEqual(SIGNED_OUT);
});

test('signs in to an app that an admin registered in the console, until the admin deletes it there', async () => {
  const { page } = adminPage;
  await page.goto(`${product.url}/fp/cloud/tenants/${ids.tenant}/admin`);
  await page.getByRole('button', { name: 'Register an application' }).click();
  await page.getByLabel('Name', { exact: true }).last().fill('Shopping');
  await page.getByLabel('Origins').fill(`${app.url}/`);
  await page.getByLabel('Redirect URLs').fill('https://elsewhere.example/');
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await page.getByText('https://elsewhere.example/ must belong to one of the origins.').waitFor();
  for (const each of LOOKS) {
    await wear(page, each);
    expect(await faultsOf(page)).toEqual([]);
    await adminPage.shot(`application-form-${each.width}-${each.theme}`);
  }
  await page.getByLabel('Redirect URLs').fill('');
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  const code = page.getByRole('dialog', { name: 'Shopping is registered' }).locator('pre');
  const applicationId = /app: '([^']+)'/.exec(await code.innerText())?.[1] ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page
    .getByRole('list', { name: 'Applications' })
    .getByRole('listitem')
    .filter({ hasText: applicationId });
  await row.getByText(app.url).waitFor({ state: 'visible' });
  for (const each of LOOKS) {
    await wear(page, each);
    expect(await faultsOf(page)).toEqual([]);
    await adminPage.shot(`applications-${each.width}-${each.theme}`);
  }

  const user = await visitor(browser);
  await openApp(user, applicationId);
  await signInBy(user.page, false);
  await enter(user.page);
  await user.page.getByText('Shopping').first().waitFor({ state: 'visible' });
  await user.page.getByRole('button', { name: 'Allow access' }).click();
  await user.page.waitForURL((url) => url.href === `${app.url}/`);
  await user.page.waitForFunction(() => 'page' in window);
  expect(await stateOf(user.page)).toEqual(ADA);

  await row.getByRole('button', { name: 'Delete Shopping' }).click();
  await page.getByRole('button', { name: 'Delete application' }).click();
  await row.waitFor({ state: 'detached' });
  await expect.poll(() => errorOf(user.page)).toBe('NOT_SIGNED_IN');
  expect(unexpected(adminPage.problems)).toEqual([]);
});
