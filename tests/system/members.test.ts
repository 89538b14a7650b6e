/**
 * The signed list of members of a sealed ledger in the console: start, approvals, a removal and
 * recovery. Only nightly runs include this test, because it needs several browsers.
 */
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { faultsOf, typeText } from './local.fixture.ts';
import { makeLedger, signIn, signUp, takeIn } from './people.fixture.ts';
import { chooseIn, type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

const isQuick = ['check', 'commit'].includes(process.env['FIXPOINT_BUDGET'] ?? 'commit');

let product: Product;
let browser: Browser;
let ada: Visitor;
let places: { tenant: string; ledger: string };

if (!isQuick)
  withProduct(async (opened) => {
    ({ product, browser } = opened);
    ada = await visitor(browser);
    await signUp(product, ada, 'ada@example.com', 'Ada');
    places = await makeLedger(product, ada.page, 'End-to-end encrypted');
  });

const panel = (page: Page, name: string) => page.getByRole('region', { name });
const list = (page: Page, name: string) =>
  panel(page, 'Keys').getByRole('list', { name }).getByRole('listitem');

async function write(page: Page, text: string): Promise<void> {
  await page.goto(`${places.ledger}/documents/new`);
  await typeText(page, /document/i, text);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL(/\/documents\/(?!new)[^/]+/);
  await page.getByRole('main').getByText('In sync').waitFor({ state: 'visible' });
}

async function openKeys(page: Page): Promise<void> {
  await page.goto(`${places.ledger}/documents`);
  await chooseIn(page, 'Database actions', 'Sync and storage');
  await list(page, 'Devices').first().waitFor({ state: 'visible' });
}

async function codeShownBy({ page }: Visitor): Promise<string> {
  await page.goto(`${places.ledger}/documents`);
  const code = panel(page, 'This device isn’t trusted yet').getByLabel('Code of this device');
  await code.waitFor({ state: 'visible' });
  return code.innerText();
}

describe.skipIf(isQuick)('the signed list of members', () => {
  test('starts with a name and a saved code, admits people and devices, removes a person, and recovers', async () => {
    const { page } = ada;
    await write(page, '{"title": "Before the list"}');
    await openKeys(page);
    await page.getByRole('button', { name: 'Start signed list of members' }).click();
    await page.getByLabel('Your name, as members see it').fill('Ada');
    await page.getByRole('button', { name: 'Continue' }).click();
    const code = await page.getByLabel('Recovery code', { exact: true }).innerText();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'I’ve saved it' }).click();
    await page.getByText('The signed list of members has started.').waitFor({ state: 'visible' });
    await expect.poll(() => list(page, 'Members').count()).toBe(1);

    const grace = await visitor(browser);
    await takeIn(product, ada, grace, places.tenant);
    await page.goto(`${places.ledger}/sharing`);
    await page.getByLabel('Email', { exact: true }).fill('grace@example.com');
    await page.getByLabel('Right', { exact: true }).selectOption('write');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByText('1 of 5 shares').waitFor({ state: 'visible' });
    const asked = await codeShownBy(grace);
    await page.goto(`${places.ledger}/documents`);
    const asking = panel(page, 'A device is waiting for approval');
    await asking.getByLabel('Whose device is it?').selectOption('Somebody who isn’t in the list yet');
    await asking.getByLabel('Name that members see').fill('Grace');
    await asking.getByLabel('Code of the device').fill(asked);
    await ada.shot('members-approval');
    await asking.getByRole('button', { name: 'Approve device' }).click();
    await page.getByText('Device approved.').waitFor({ state: 'visible' });
    await grace.page.getByText('Before the list').waitFor({ state: 'visible' });
    await openKeys(grace.page);
    await expect.poll(() => list(grace.page, 'Members').allInnerTexts()).toHaveLength(2);

    await openKeys(page);
    await ada.shot('members-list');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove Grace' }).click();
    await page.getByRole('button', { name: 'Remove member' }).click();
    await page.getByText('Grace was removed, and gets no new keys.').waitFor({ state: 'visible' });
    await expect.poll(() => list(page, 'Members').count()).toBe(1);
    await write(page, '{"title": "After the removal"}');
    await grace.page.goto(`${places.ledger}/documents`);
    await panel(grace.page, 'This device was removed').waitFor({ state: 'visible' });
    expect(await grace.page.getByText('After the removal').count()).toBe(0);

    const other = await visitor(browser);
    await signIn(product, other, 'ada@example.com');
    await codeShownBy(other);
    await other.page.getByLabel('Or enter a recovery code').fill(code);
    await other.page.getByRole('button', { name: 'Recover' }).click();
    await other.page.getByText('After the removal').waitFor({ state: 'visible' });
    expect([...ada.problems, ...grace.problems, ...other.problems]).toEqual([]);
  });
});
