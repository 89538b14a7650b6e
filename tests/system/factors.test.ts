/**
 * Passkeys and codes in addition to the password, in the console, with Chromium's virtual
 * authenticator.
 */
import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { codeOf, playDevice, signOut, turnCodesOn, unexpected } from './factors.fixture.ts';
import { faultsOf, LOOKS, wear } from './local.fixture.ts';
import { ageSessions, PASSWORD, provingLink, signIn, signUp } from './people.fixture.ts';
import { type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

let product: Product;
let browser: Browser;

withProduct((opened) => {
  ({ product, browser } = opened);
});

/** Signs up a user, verifies the address, and opens the account page. */
async function atAccount(name: string): Promise<Visitor> {
  const person = await visitor(browser);
  const email = `${name.toLowerCase()}@example.com`;
  await signUp(product, person, email, name);
  await person.page.goto(await provingLink(product, email));
  await person.page.goto(`${product.url}/fp/cloud/account`);
  await person.page.getByText('This browser', { exact: true }).waitFor({ state: 'visible' });
  return person;
}

test('adds a passkey, signs in without a password, and removes the passkey', async () => {
  const ada = await atAccount('Ada');
  const { page, problems, shot } = ada;
  await playDevice(ada);
  await page.getByText('No passkeys yet. Add one on a device that you own.').waitFor();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('Passkey added.').waitFor({ state: 'visible' });
  const row = page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem');
  await expect.poll(() => row.innerText()).toMatch(/^Chrome on Linux\s*Added/);
  const faults = await faultsOf(page);
  await shot('account-passkey');

  await signOut(product, ada);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL(/\/fp\/cloud/);
  await page.goto(`${product.url}/fp/cloud/account`);
  await page.getByRole('button', { name: 'Remove Chrome on Linux' }).click();
  await page.getByRole('button', { name: 'Remove passkey' }).click();
  await page.getByText('Passkey removed.').waitFor({ state: 'visible' });
  await page.getByText(/No passkeys yet/).waitFor({ state: 'visible' });

  await signOut(product, ada);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText(/This passkey was removed from your account/).waitFor({ state: 'visible' });
  await shot('login-passkey-refused');
  expect([...faults, ...unexpected(problems)]).toEqual([]);
});

test('requires an authenticator code or a backup code in addition to the password', async () => {
  const grace = await atAccount('Grace');
  const { page, problems, shot } = grace;
  const faults: string[] = [];
  await page.getByRole('button', { name: 'Set up' }).click();
  const key = await turnCodesOn(page, PASSWORD, async (what) => {
    faults.push(...(await faultsOf(page)));
    await shot(`second-step-${what}`);
  });
  // When the user returns to this window, the page learns from the server that the second step is
  // on. The codes must stay visible.
  await expect
    .poll(async () => {
      await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
      return page.getByText('Create backup codes').count();
    })
    .toBe(1);
  const [backup = ''] = (await page.getByRole('dialog').locator('pre').innerText()).trim().split('\n');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Create backup codes').waitFor({ state: 'visible' });
  faults.push(...(await faultsOf(page)));

  for (const [wrong, right] of [
    ['000000', () => codeOf(key, 1)],
    ['no-such', () => backup],
  ] as const) {
    await signOut(product, grace);
    await page.getByLabel('Email', { exact: true }).fill('grace@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(/enter the code that it shows/).waitFor({ state: 'visible' });
    faults.push(...(await faultsOf(page)));
    await page.getByLabel('Code').fill(wrong);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').waitFor({ state: 'visible' });
    await page.getByLabel('Code').fill(right());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(/\/fp\/cloud/);
  }
  await page.goto(`${product.url}/fp/cloud/account`);
  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
  await page.getByText('Second step turned off.').waitFor({ state: 'visible' });
  expect([...faults, ...unexpected(problems)]).toEqual([]);
});

test('asks for the password before a change to sign-in settings, 15 minutes after the sign-in, and then makes the change', async () => {
  const { page, problems, shot } = await atAccount('Mary');
  const faults: string[] = [];
  const other = await visitor(browser);
  await signIn(product, other, 'mary@example.com');
  await ageSessions(product, 16);
  await page.reload();
  await page.getByRole('button', { name: 'Sign out' }).first().waitFor({ state: 'visible' });
  for (const each of LOOKS) {
    await wear(page, each);
    await page.reload();
    await page.getByRole('list', { name: 'Signed-in browsers' }).getByRole('button').first().click();
    await page.getByRole('dialog', { name: 'Confirm that it’s you' }).waitFor({ state: 'visible' });
    faults.push(...(await faultsOf(page)));
    await shot(`confirm-${each.width}-${each.theme}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Nothing was changed.').waitFor({ state: 'visible' });
  }
  const list = page.getByRole('list', { name: 'Signed-in browsers' });
  expect(await list.getByRole('listitem').count()).toBe(2);

  await list.getByRole('button').first().click();
  await page.getByLabel('Your password').fill('not the password');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('Wrong password. Try again.').waitFor({ state: 'visible' });
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('Signed out Chrome on Linux.').waitFor({ state: 'visible' });
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1);

  // The confirmation is valid for 15 minutes.
  const later = await visitor(browser);
  await signIn(product, later, 'mary@example.com');
  await page.reload();
  await list.getByRole('button').first().click();
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
  await other.page.goto(`${product.url}/fp/cloud/account`);
  await other.page.waitForURL(/\/login/);
  const others = unexpected(problems).filter((each) => !each.includes('Nothing was changed.'));
  expect([...faults, ...others]).toEqual([]);
});
