/**
 * A sealed ledger in the console. Each device needs an approval or a recovery code, and removed
 * members receive no new keys.
 */
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { faultsOf, typeText, wear } from './local.fixture.ts';
import { makeLedger, signIn, signUp, takeIn } from './people.fixture.ts';
import { chooseIn, type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

let product: Product;
let browser: Browser;
/** Two browsers of the same user. */
let first: Visitor;
let second: Visitor;
let places: { tenant: string; ledger: string };
let recoveryCode = '';
const faults: string[] = [];

withProduct(async (opened) => {
  ({ product, browser } = opened);
  first = await visitor(browser);
  second = await visitor(browser, { viewport: { width: 375, height: 740 } });
  await signUp(product, first, 'ada@example.com', 'Ada');
  places = await makeLedger(product, first.page, 'End-to-end encrypted');
});

const panel = (page: Page, name: string) => page.getByRole('region', { name });

async function write(page: Page, text: string): Promise<void> {
  await page.goto(`${places.ledger}/documents/new`);
  await typeText(page, /document/i, text);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL(/\/documents\/(?!new)[^/]+/);
}

/** Returns the code that an unapproved browser shows. */
async function codeShownBy({ page }: Visitor): Promise<string> {
  await page.goto(`${places.ledger}/documents`);
  const code = panel(page, 'This device isn’t trusted yet').getByLabel('Code of this device');
  await code.waitFor({ state: 'visible' });
  return code.innerText();
}

async function letIn(page: Page, code: string): Promise<void> {
  const asking = panel(page, 'A device is waiting for approval');
  await asking.getByLabel('Code of the device').fill(code);
  await asking.getByRole('button', { name: 'Approve device' }).click();
  await page.getByText('Device approved.').waitFor({ state: 'visible' });
  await asking.waitFor({ state: 'hidden' });
}

async function lookAt({ page, shot }: Visitor, name: string): Promise<void> {
  await shot(`sealed-${name}`);
  faults.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`));
}

describe('a sealed ledger', () => {
  test('creates the keys and a recovery code, shown once, on the first device', async () => {
    const { page } = first;
    await page.getByText('End-to-end encrypted', { exact: true }).waitFor({ state: 'visible' });
    const none = panel(page, 'No recovery code yet');
    await none.waitFor({ state: 'visible' });
    await lookAt(first, 'no-code');
    await none.getByRole('button', { name: 'Create recovery code' }).click();
    const made = panel(page, 'Your recovery code');
    recoveryCode = await made.getByLabel('Recovery code').innerText();
    expect(recoveryCode).toMatch(/^[0-9A-Z]{5}(-[0-9A-Z]+)+$/);
    await lookAt(first, 'code');
    await made.getByRole('button', { name: 'I’ve saved it' }).click();
    await made.waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByRole('main').getByText('In sync').waitFor({ state: 'visible' });
    expect(await page.getByText(recoveryCode).count()).toBe(0);
    expect(await none.count()).toBe(0);
    await write(page, '{"title": "Sealed by the first browser"}');
  });

  test('shows no recovery code of another database', async () => {
    const { page } = first;
    await page.goto(`${places.tenant}/ledgers/new`);
    await page.getByLabel('New Database Name:').fill('more notes');
    await page.getByRole('radio', { name: 'End-to-end encrypted' }).check();
    await page.getByRole('button', { name: 'Create' }).click();
    await panel(page, 'No recovery code yet').getByRole('button').click();
    const made = panel(page, 'Your recovery code');
    await made.waitFor({ state: 'visible' });
    const notes = page.locator('#sidebar').getByRole('link', { name: 'notes', exact: true });
    const asked: string[] = [];
    for (const [at, answer] of (['dismiss', 'accept'] as const).entries()) {
      page.once('dialog', (dialog) => {
        asked.push(dialog.message());
        void dialog[answer]();
      });
      expect(await made.count()).toBe(1);
      await notes.click();
      // The router may still be handling the click when the test continues, so the test waits for
      // the question.
      await expect.poll(() => asked.length).toBe(at + 1);
    }
    expect(asked).toEqual(Array(2).fill('The recovery code isn’t shown again. Leave without saving it?'));
    await page.getByRole('heading', { level: 1, name: 'notes', exact: true }).waitFor({ state: 'visible' });
    expect(await made.count()).toBe(0);
    await page.getByRole('main').getByText('In sync').waitFor({ state: 'visible' });
    expect(await made.count()).toBe(0);
  });

  test('keeps a new recovery code on the screen until the user has saved the code', async () => {
    const { page } = first;
    await page.goto(`${places.ledger}/documents`);
    await chooseIn(page, 'Database actions', 'Sync and storage');
    const sync = page.getByRole('dialog', { name: 'Sync and storage' });
    await sync.getByRole('button', { name: 'Create recovery code' }).click();
    const made = page.getByRole('dialog', { name: 'Your recovery code' });
    const code = await made.getByLabel('Recovery code').innerText();
    await lookAt(first, 'another-code');
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await made.getByLabel('Recovery code').innerText()).toBe(code);
    await made.getByRole('button', { name: 'I’ve saved it' }).click();
    await made.waitFor({ state: 'detached' });
    await sync.getByRole('button', { name: 'Close' }).click();
    await sync.waitFor({ state: 'detached' });
  });

  test('shows no documents in a second browser until the first browser approves the code of the second browser', async () => {
    await signIn(product, second, 'ada@example.com');
    await wear(second.page, { width: 375, height: 740, theme: 'dark' });
    const code = await codeShownBy(second);
    await lookAt(second, 'waits-375');
    expect(await second.page.getByText(/No documents found|Sealed by the first browser/).count()).toBe(0);

    const { page } = first;
    await page.goto(`${places.ledger}/documents`);
    const asking = panel(page, 'A device is waiting for approval');
    await asking.getByLabel('Code of the device').fill(`${code.startsWith('0') ? '1' : '0'}${code.slice(1)}`);
    await asking.getByRole('button', { name: 'Approve device' }).click();
    await asking.getByText(/^This code isn’t valid: a character is wrong/).waitFor({ state: 'visible' });
    await lookAt(first, 'asks');
    await letIn(page, code);
    await second.page.getByText('Sealed by the first browser').waitFor({ state: 'visible' });
    await lookAt(second, 'let-in-375');
  });

  test('opens in a new browser with only the recovery code', async () => {
    const third = await visitor(browser);
    await signIn(product, third, 'ada@example.com');
    await codeShownBy(third);
    const { page } = third;
    await page.getByLabel('Or enter a recovery code').fill(recoveryCode);
    await page.getByRole('button', { name: 'Recover' }).click();
    await page.getByText('Sealed by the first browser').waitFor({ state: 'visible' });
    expect(third.problems).toEqual([]);
    await third.context.close();
  });

  test('gives the new key only to the remaining members', async () => {
    const grace = await visitor(browser);
    await takeIn(product, first, grace, places.tenant);
    const { page } = first;
    await page.goto(`${places.ledger}/sharing`);
    await page.getByLabel('Email', { exact: true }).fill('grace@example.com');
    await page.getByLabel('Right', { exact: true }).selectOption('write');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByText('1 of 5 shares').waitFor({ state: 'visible' });
    const code = await codeShownBy(grace);
    await page.goto(`${places.ledger}/documents`);
    await letIn(page, code);
    await grace.page.getByText('Sealed by the first browser').waitFor({ state: 'visible' });

    const keys = page.getByRole('region', { name: 'Keys' });
    const openKeys = async () => {
      await page.goto(`${places.ledger}/documents`);
      await chooseIn(page, 'Database actions', 'Sync and storage');
      await keys
        .getByRole('list', { name: 'Devices' })
        .getByRole('listitem')
        .first()
        .waitFor({ state: 'visible' });
    };
    const devices = () => keys.getByRole('list', { name: 'Devices' }).getByRole('listitem').count();
    await openKeys();
    // Three browsers of Ada, one browser of Grace, and two recovery codes.
    await expect.poll(devices).toBe(6);
    await keys.getByText(/^of grace@example\.com, since /).waitFor({ state: 'visible' });
    expect(await keys.getByText(/^yours, since /).count()).toBe(5);
    await lookAt(first, 'owners');
    expect(await keys.getByText(/number \d/).count()).toBe(0);
    await page.goto(`${places.tenant}/members`);
    await page.getByRole('button', { name: 'Remove grace@example.com' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Remove/ })
      .click();
    await page.getByText('grace@example.com was removed from the tenant.').waitFor({ state: 'visible' });
    await write(page, '{"title": "Written after Grace left"}');
    await second.page.getByText('Written after Grace left').waitFor({ state: 'visible' });
    await openKeys();
    await keys.getByText(/number 2/).waitFor({ state: 'visible' });
    await expect.poll(devices).toBe(5);
    await lookAt(first, 'keys');
    expect([...faults, ...first.problems, ...second.problems]).toEqual([]);
  });
});
