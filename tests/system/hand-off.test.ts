/**
 * The console gives a token to an application of a different origin, at the application's back_url
 * or under its result_id.
 */
import { createServer } from 'node:http';
import { handOffCode } from '@fixpoint/protocol/admin';
import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { about, httpClient, putJson } from '../../packages/cloud/tests/cloud.fixture.ts';
import { listening } from '../../packages/cloud/tests/oidc-provider.fixture.ts';
import { faultsOf, LOOKS, wear } from './local.fixture.ts';
import { must, PASSWORD, signUpAt } from './people.fixture.ts';
import { type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

let product: Product;
let browser: Browser;
const ids = { tenant: '', notes: '', todo: '', userId: '' };

withProduct(async (opened) => {
  ({ product, browser } = opened);
  const { page, context } = await visitor(browser);
  const admin = await signUpAt(page, product.url, 'ada@example.com', 'Ada');
  const tenant = must(await admin.createTenant('Acme'));
  const notes = must(await admin.createLedger({ tenantId: tenant.tenantId, name: 'notes' }));
  const todo = must(await admin.createLedger({ tenantId: tenant.tenantId, name: 'todo' }));
  Object.assign(ids, {
    tenant: tenant.tenantId,
    notes: notes.ledgerId,
    todo: todo.ledgerId,
    userId: tenant.ownerUserId,
  });
  await context.close();
});

/** Serves the page of an application on this machine. */
async function application(): Promise<string> {
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>An application</title>'),
  );
  return listening(server);
}

const tokenPage = (query: Record<string, string>) =>
  `${product.url}/fp/cloud/api/token?${new URLSearchParams(query)}`;

/** Signs in on the login page, to which the token page redirects the user. */
async function signInOn({ page }: Visitor): Promise<void> {
  await page.waitForURL(/\/login\?redirect_url=%2Ffp%2Fcloud%2Fapi%2Ftoken/);
  await page.getByLabel('Email', { exact: true }).fill('ada@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Records all addresses that the page visits. */
function addressesOf(page: Page): string[] {
  const seen: string[] = [];
  page.on('framenavigated', (frame) => void (frame === page.mainFrame() && seen.push(frame.url())));
  return seen;
}

/** Returns the type of the gateway's answer to a request with the token for the ledger. */
async function opens(token: string, ledger: string): Promise<unknown> {
  const place = { tenant: ids.tenant, ledger, userId: ids.userId, token };
  const client = await httpClient(product, place);
  return (await client.request('bindGetMeta', about(place, 'meta', 'GET'))).type;
}

test('[2][S11] asks a visitor to sign in first, and returns the token in fpToken, never in an address of the console', async () => {
  const app = await application();
  const ada = await visitor(browser);
  const seen = addressesOf(ada.page);
  await ada.page.goto(tokenPage({ back_url: `${app}/cb?own=1`, tenant: ids.tenant, ledger: ids.notes }));
  await signInOn(ada);
  await ada.page.getByText(app, { exact: true }).waitFor({ state: 'visible' });
  await expect
    .poll(() => ada.page.getByLabel('Database').locator('option').allTextContents())
    .toEqual(['notes in Acme', 'todo in Acme']);
  await ada.page.getByRole('button', { name: 'Allow access' }).click();
  await ada.page.waitForURL((url) => url.origin === app);
  const back = new URL(ada.page.url());
  expect([back.pathname, back.searchParams.get('own')]).toEqual(['/cb', '1']);
  const token = back.searchParams.get('fpToken') ?? '';
  expect(await opens(token, ids.notes)).toBe('eventGetMeta');
  expect(await opens(token, ids.todo)).toBe('error');
  expect(seen.some((each) => each.startsWith(product.url))).toBe(true);
  expect(seen.filter((each) => each.startsWith(product.url)).join()).not.toContain('fpToken');
  expect(ada.problems.filter((each) => !each.includes(app))).toEqual([]);
});

test('[S11] asks once for each origin and port, and asks again after the user revokes the access in the account', async () => {
  const [app, other] = [await application(), await application()];
  const ada = await visitor(browser);
  const { page } = ada;
  const handOver = () => page.getByRole('button', { name: 'Allow access' });
  await page.goto(tokenPage({ back_url: `${app}/` }));
  await signInOn(ada);
  await handOver().waitFor({ state: 'visible' });
  for (const each of LOOKS) {
    await wear(page, each);
    await page.reload();
    await handOver().waitFor({ state: 'visible' });
    expect(await faultsOf(page)).toEqual([]);
    await ada.shot(`hand-off-origin-${each.width}-${each.theme}`);
  }
  await page.getByLabel('Database').selectOption({ label: 'todo in Acme' });
  await handOver().click();
  await page.waitForURL((url) => url.origin === app);
  await page.goto(tokenPage({ back_url: `${app}/again` }));
  await page.waitForURL((url) => url.origin === app && url.pathname === '/again');
  const token = new URL(page.url()).searchParams.get('fpToken') ?? '';
  expect([await opens(token, ids.todo), await opens(token, ids.notes)]).toEqual(['eventGetMeta', 'error']);

  await page.goto(tokenPage({ back_url: `${other}/` }));
  await handOver().waitFor({ state: 'visible' });
  await page.goto(tokenPage({ back_url: `${product.url}/fp/databases` }));
  await page.getByText(/belongs to Fixpoint itself/).waitFor({ state: 'visible' });

  await page.goto(`${product.url}/fp/cloud/account`);
  const row = page.getByRole('listitem').filter({ hasText: app });
  await row.getByText('todo in Acme').waitFor({ state: 'visible' });
  for (const each of LOOKS) {
    await wear(page, each);
    await page.reload();
    await row.waitFor({ state: 'visible' });
    expect(await faultsOf(page)).toEqual([]);
    await row.scrollIntoViewIfNeeded();
    await ada.shot(`hand-off-account-${each.width}-${each.theme}`);
  }
  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.waitFor({ state: 'detached' });
  await page.goto(tokenPage({ back_url: `${app}/` }));
  await handOver().waitFor({ state: 'visible' });
  expect(ada.problems.filter((each) => !each.includes(app))).toEqual([]);
});

test('[S11] gives a token to another origin only after the user confirms the name of the origin', async () => {
  const ada = await visitor(browser);
  const asked: string[] = [];
  await ada.context.route('https://app.example/**', (route) => {
    asked.push(route.request().url());
    return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Theirs</title>' });
  });
  await ada.page.goto(tokenPage({ back_url: 'https://app.example/cb', token: 'ready' }));
  await signInOn(ada);
  await ada.page.getByText('https://app.example').waitFor({ state: 'visible' });
  await ada.page.getByLabel('Database').waitFor({ state: 'visible' });
  expect(asked).toEqual([]);
  await ada.page.getByRole('button', { name: 'Allow access' }).click();
  await ada.page.waitForURL(/^https:\/\/app\.example\/cb\?fpToken=/);
  expect(ada.problems).toEqual([]);
});

test('[W1][S11] gives the token of the chosen database only once to an application with a result id, and closes the window', async () => {
  const app = await application();
  const ada = await visitor(browser);
  const { page, context } = ada;
  const faults: string[] = [];
  const resultId = 'z8fYpQ2Lk1';
  const asked = { back_url: `${app}/`, result_id: resultId, local_ledger_name: 'films' };
  const fetchToken = async () =>
    (await putJson(`${product.url}/api`, { type: 'reqTokenByResultId', resultId })).body;
  await page.goto(tokenPage(asked));
  await signInOn(ada);
  await page.getByRole('button', { name: 'Allow access' }).waitFor({ state: 'visible' });
  for (const each of LOOKS) {
    await wear(page, each);
    await page.reload();
    await page.getByRole('button', { name: 'Allow access' }).waitFor({ state: 'visible' });
    faults.push(...(await faultsOf(page)));
    await ada.shot(`hand-off-choose-${each.width}-${each.theme}`);
  }
  await expect
    .poll(() => page.getByLabel('Database').locator('option').allTextContents())
    .toEqual(['films in Acme (new)', 'notes in Acme', 'todo in Acme']);
  expect(await fetchToken()).toMatchObject({ status: 'not-found' });

  await page.goto(app);
  const [popup] = await Promise.all([
    context.waitForEvent('page'),
    page.evaluate((url) => void window.open(url, '', 'width=800,height=600'), tokenPage(asked)),
  ]);
  onTestFinished(() => popup.close());
  const closed = popup.waitForEvent('close');
  // The console can't verify which application sent the request. So the page shows a code derived
  // from the result id, not an address.
  await popup.getByText(handOffCode(resultId)).waitFor({ state: 'visible' });
  expect(await popup.getByText(app).count()).toBe(0);
  // The window closes soon after it shows its message. Delays the close until the test has read the
  // message.
  await popup.evaluate(() => {
    const close = window.close.bind(window);
    const isRead = new Promise<void>((resolve) => Object.assign(window, { wasRead: resolve }));
    window.close = () => void isRead.then(close);
  });
  await popup.getByRole('button', { name: 'Allow access' }).click();
  await popup.getByText('The app has its token. You can close this window.').waitFor();
  await popup.evaluate(() => (window as unknown as { wasRead(): void }).wasRead()).catch(() => undefined);
  const { status, token } = await fetchToken();
  expect(status).toBe('found');
  const { selected } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
  expect(selected).toMatchObject({ tenant: ids.tenant, ledger: expect.any(String) });
  expect(await opens(token, selected.ledger)).toBe('eventGetMeta');
  expect(await fetchToken()).toEqual({ type: 'resTokenByResultId', resultId, status: 'not-found' });
  await closed;
  await page.goto(`${product.url}/fp/cloud/tenants/${ids.tenant}/ledgers/${selected.ledger}`);
  await page.getByRole('heading', { name: 'films' }).waitFor({ state: 'visible' });
  expect([...faults, ...ada.problems.filter((each) => !each.includes(app))]).toEqual([]);
});
