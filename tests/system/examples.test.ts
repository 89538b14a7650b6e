/**
 * The examples that sync, built by Vite and driven in a real browser: people share a list and a
 * board through a started server.
 */
import type { AdminClient } from '@fixpoint/protocol/admin';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { type ServedExample, servedExample } from './example.fixture.ts';
import { faultsOf } from './local.fixture.ts';
import { must, signInAt, signUpAt } from './people.fixture.ts';
import {
  freePort,
  type Product,
  removeFolder,
  temporaryFolder,
  type Visitor,
  visitor,
  withProduct,
} from './product.fixture.ts';

const folder = temporaryFolder();
let product: Product;
let browser: Browser;
const served: ServedExample[] = [];
let app: ServedExample;
let ada: Visitor;
let admin: AdminClient;
const ids = { tenantId: '', ledgerId: '' };

withProduct(async (opened) => {
  ({ product, browser } = opened);
  ada = await visitor(browser, { serviceWorkers: 'allow' });
  admin = await signUpAt(ada.page, product.url, 'ada@example.com', 'Ada');
  ids.tenantId = must(await admin.createTenant('Home')).tenantId;
  const { tenantId } = ids;
  ids.ledgerId = must(await admin.createLedger({ tenantId, name: 'Groceries', kind: 'open-key' })).ledgerId;
  app = await registered('shopping-list');
});

afterAll(async () => {
  await Promise.all(served.map((example) => example.close()));
  removeFolder(folder);
});

/** Registers an example as an application, and serves it. */
async function registered(name: string): Promise<ServedExample> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const settings = { name, origins: [origin], redirectUrls: [`${origin}/`] };
  const { applicationId } = must(await admin.createApplication({ tenantId: ids.tenantId, ...settings }));
  const env = { VITE_FIXPOINT_URL: product.url, VITE_FIXPOINT_APP: applicationId };
  const example = await servedExample(name, folder, port, env);
  served.push(example);
  return example;
}

/** Signs up a person, who may read or write the list of the household. */
async function guest(name: string, right: 'read' | 'write'): Promise<Visitor & { userId: string }> {
  const opened = await visitor(browser, { serviceWorkers: 'allow' });
  const client = await signUpAt(opened.page, product.url, `${name.toLowerCase()}@example.com`, name);
  const { userId } = must(await client.ensureUser()).user;
  const invitedParams = { ledger: { id: ids.ledgerId, right } };
  const { inviteId } = must(await admin.inviteUser({ query: { existingUserId: userId }, invitedParams }));
  must(await client.redeemInvite(inviteId));
  return { ...opened, userId };
}

/** Signs in to the app. The browser is already signed in to the server. */
async function enter({ page }: Visitor): Promise<void> {
  await page.goto(`${app.url}/`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Allow access' }).click();
  await page.getByRole('heading', { name: 'Groceries' }).waitFor();
}

const field = (page: Page) => page.getByRole('textbox', { name: 'What to buy' });
const statusOf = (page: Page) => page.getByRole('status').first();
const itemsOf = (page: Page) =>
  page
    .getByRole('checkbox')
    .evaluateAll((boxes) =>
      (boxes as unknown as { checked: boolean; labels: { textContent: string }[] }[]).map(
        ({ checked, labels }) => `${checked ? 'x' : '-'} ${labels[0]?.textContent}`,
      ),
    );
const add = async (page: Page, title: string) => {
  await field(page).fill(title);
  await page.keyboard.press('Enter');
  await expect.poll(() => field(page).inputValue()).toBe('');
};
const online = (contexts: readonly BrowserContext[], isOnline: boolean) =>
  Promise.all(contexts.map((context) => context.setOffline(!isOnline)));
/** The width of the photo of an item; 0 until it is loaded. */
const photoOf = (page: Page, title: string) =>
  page
    .getByAltText(`${title}: photo`)
    .evaluateAll((all) => (all as unknown as { naturalWidth: number }[])[0]?.naturalWidth ?? 0);

test('shows the list of a household to two people, with their presence, photos and offline changes', async () => {
  const ben = await guest('Ben', 'write');
  await enter(ada);
  await enter(ben);

  await ada.page.getByText('Ben is here').waitFor();
  await ben.page.getByText('Ada is here').waitFor();
  await field(ada.page).fill('Mil');
  await ben.page.getByText('Ada is typing').waitFor();
  await add(ada.page, 'Milk');
  await ben.page.getByText('Ada is here').waitFor();
  await add(ben.page, 'Bread');
  for (const { page } of [ada, ben]) await expect.poll(() => itemsOf(page)).toEqual(['- Milk', '- Bread']);

  await ada.page.getByLabel('Choose a photo of Bread').setInputFiles({
    name: 'bread.png',
    mimeType: 'image/png',
    buffer: Buffer.from(await ada.page.screenshot({ clip: { x: 0, y: 0, width: 1200, height: 600 } })),
  });
  for (const { page } of [ada, ben]) await expect.poll(() => photoOf(page, 'Bread')).toBe(1024);

  await online([ada.context, ben.context], false);
  for (const { page } of [ada, ben]) await expect.poll(() => statusOf(page).innerText()).toMatch(/^Offline/);
  await ada.page.reload();
  await ada.page.getByRole('heading', { name: 'Groceries' }).waitFor();
  await expect.poll(() => photoOf(ada.page, 'Bread')).toBe(1024);
  await ada.page.getByRole('checkbox', { name: 'Bread' }).click();
  await ben.page.getByRole('checkbox', { name: 'Milk' }).click();
  await ben.page.getByLabel('Choose a photo of Bread').setInputFiles({
    name: 'small.png',
    mimeType: 'image/png',
    buffer: Buffer.from(await ben.page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } })),
  });
  await expect.poll(() => photoOf(ben.page, 'Bread')).toBe(300);
  await online([ada.context, ben.context], true);
  for (const { page } of [ada, ben]) {
    await expect.poll(() => itemsOf(page)).toEqual(['x Milk', 'x Bread']);
    await expect.poll(() => photoOf(page, 'Bread')).toBe(300);
    await expect.poll(() => statusOf(page).innerText()).toBe('Up to date');
  }
  await ben.context.close();
  await expect.poll(() => ada.page.getByText('Ben is').count()).toBe(0);
  expect([ada.problems, ben.problems].flat().filter((one) => !/ERR_INTERNET_DISCONNECTED/.test(one))).toEqual(
    [],
  );
});

test('removes an item with the keyboard and undoes it, and has no accessibility faults', async () => {
  const { page, shot } = ada;
  await page.getByRole('button', { name: 'Remove Milk' }).press('Enter');
  await page.getByText('Removed Milk.').waitFor();
  await expect.poll(() => itemsOf(page)).toEqual(['x Bread']);
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await expect.poll(() => itemsOf(page)).toEqual(['x Milk', 'x Bread']);
  await add(page, `Olives ${'without stones '.repeat(6)}`);
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [375, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 740 });
    await page.emulateMedia({ colorScheme });
    expect(await faultsOf(page)).toEqual([]);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBe(0);
    await shot(`shopping-list-${width}-${colorScheme}`);
  }
});

test('lets a reader see the list, but not change it', async () => {
  const cleo = await guest('Cleo', 'read');
  const { page } = cleo;
  await enter(cleo);
  await expect.poll(() => itemsOf(page)).toHaveLength(3);
  expect(await page.getByRole('checkbox', { name: 'Milk' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Remove Milk' }).isDisabled()).toBe(true);
  expect(await field(page).isDisabled()).toBe(true);
  await cleo.context.close();
});

test('tells a person with whom nobody shared a list that they have none', async () => {
  const eve = await visitor(browser);
  await signUpAt(eve.page, product.url, 'eve@example.com', 'Eve');
  await eve.page.goto(`${app.url}/`);
  await eve.page.getByRole('button', { name: 'Sign in' }).click();
  await eve.page.getByRole('button', { name: 'Allow access' }).click();
  await eve.page.getByText('You have no list yet').waitFor();
  await eve.page.getByRole('button', { name: 'Sign out' }).click();
  await eve.page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(eve.problems).toEqual([]);
  await eve.context.close();
});

test('sends the cards that a guest of the example svelte-board wrote, after they sign in', async () => {
  const { url } = await registered('svelte-board');
  const dan = await guest('Dan', 'write');
  const { page } = dan;
  await page.goto(url);
  await expect.poll(() => statusOf(page).innerText()).toBe('Only on this device');
  await page.getByRole('textbox', { name: 'Card' }).fill('Paint the door');
  await page.keyboard.press('Enter');
  await page.getByRole('listitem').filter({ hasText: 'Paint the door' }).waitFor();
  await page.getByRole('button', { name: 'Sign in to share the board' }).click();
  await page.getByRole('button', { name: 'Allow access' }).click();
  await expect.poll(() => statusOf(page).innerText()).toBe('Up to date');

  const other = await visitor(browser);
  await signInAt(other.page, product.url, 'dan@example.com');
  await other.page.goto(url);
  expect(await other.page.getByRole('listitem').count()).toBe(0);
  await other.page.getByRole('button', { name: 'Sign in to share the board' }).click();
  await other.page.getByRole('heading', { name: 'Board' }).waitFor();
  await other.page.getByRole('button', { name: 'Move Paint the door on' }).click();
  const doing = page.getByRole('region', { name: 'Doing' });
  await doing.getByText('Paint the door').waitFor();
  await page.setViewportSize({ width: 375, height: 740 });
  expect(await faultsOf(page)).toEqual([]);
  await dan.shot('svelte-board-375');
  await page.getByRole('button', { name: 'Sign out Dan' }).click();
  await doing.getByText('Paint the door').waitFor();
  expect(await statusOf(page).innerText()).toBe('Only on this device');
  expect([dan.problems, other.problems]).toEqual([[], []]);
});
