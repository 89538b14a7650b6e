/** A server that requires every user to set up a second step. */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { codeOf, playDevice, signOut, turnCodesOn, unexpected } from './factors.fixture.ts';
import { faultsOf, LOOKS, wear } from './local.fixture.ts';
import { PASSWORD, provingLink, signUp } from './people.fixture.ts';
import { type Product, visitor, withProduct } from './product.fixture.ts';

let product: Product;
let browser: Browser;

withProduct(
  (opened) => {
    ({ product, browser } = opened);
  },
  { SECOND_FACTOR: 'required' },
);

const SET_UP = 'Set up an authenticator app';
const STEP = /\/fp\/second-step/;
const atStep = (page: Page) => page.waitForURL((url) => url.pathname === '/fp/second-step');

async function signInAt(page: Page, email: string, path: string): Promise<void> {
  await page.goto(product.url + path);
  await page.waitForURL(/\/login\?redirect_url=/);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('requires a second step after a verified sign-up, before the cloud opens, and then signs in with the second step', async () => {
  const ada = await visitor(browser);
  const { page, shot } = ada;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await signUp(product, ada, 'ada@example.com', 'Ada', STEP);
  await atStep(page);
  const faults: string[] = [];
  for (const each of LOOKS) {
    await wear(page, each);
    await page.reload();
    await page.getByText('Verify your address first').waitFor({ state: 'visible' });
    faults.push(...(await faultsOf(page)));
    await shot(`second-step-unverified-${each.width}-${each.theme}`);
  }
  expect(await page.getByRole('button', { name: SET_UP }).count()).toBe(0);
  expect((await page.context().request.get(`${product.url}/auth/token`)).status()).toBe(403);

  await page.goto(await provingLink(product, 'ada@example.com'));
  await atStep(page);
  for (const each of LOOKS) {
    await wear(page, each);
    await page.goto(`${product.url}/fp/cloud/tenants/new`);
    await atStep(page);
    await page.getByRole('button', { name: SET_UP }).waitFor({ state: 'visible' });
    faults.push(...(await faultsOf(page)));
    await shot(`second-step-${each.width}-${each.theme}`);
  }
  await page.getByRole('button', { name: SET_UP }).click();
  const key = await turnCodesOn(page, PASSWORD, async (what) => shot(`second-step-set-up-${what}`));
  await page.getByRole('button', { name: 'Done' }).click();
  await page.waitForURL(`${product.url}/fp/cloud/tenants/new`);
  await page.getByLabel('Name').waitFor({ state: 'visible' });

  await signOut(product, ada);
  await signInAt(page, 'ada@example.com', '/fp/cloud/account');
  await page.getByLabel('Code').fill(codeOf(key, 1));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(`${product.url}/fp/cloud/account`);
  expect([...faults, ...unexpected(ada.problems)]).toEqual([]);
});

test('accepts a passkey after the password', async () => {
  const grace = await visitor(browser);
  const { page, problems, shot } = grace;
  await playDevice(grace);
  await signUp(product, grace, 'grace@example.com', 'Grace', STEP);
  await atStep(page);
  await page.goto(await provingLink(product, 'grace@example.com'));
  await atStep(page);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL((url) => url.pathname === '/fp/cloud');
  await page.getByText('Here is the cloud').waitFor({ state: 'visible' });

  await signOut(product, grace);
  await signInAt(page, 'grace@example.com', '/fp/cloud/account');
  await atStep(page);
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor({ state: 'visible' });
  // A session that was confirmed with only one factor can't add a further factor.
  expect(await page.getByRole('button', { name: SET_UP }).count()).toBe(0);
  const faults = await faultsOf(page);
  await shot('second-step-passkey');
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL(`${product.url}/fp/cloud/account`);
  await page.getByText('This browser', { exact: true }).waitFor({ state: 'visible' });
  expect([...faults, ...unexpected(problems)]).toEqual([]);
});
