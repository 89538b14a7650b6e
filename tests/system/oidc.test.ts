/** Sign-in with an OpenID Connect provider, in the console. */
import { createServer } from 'node:http';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { openTables } from '../../packages/cloud/src/tables/open-tables.ts';
import { listening, oidcEnv, oidcProvider } from '../../packages/cloud/tests/oidc-provider.fixture.ts';
import { mailedLink } from '../../packages/cloud/tests/page.fixture.ts';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { faultsOf, LOOKS, wear } from './local.fixture.ts';
import { ageSessions, provingLink, signUp } from './people.fixture.ts';
import {
  launchChromium,
  type Product,
  removeFolder,
  startProduct,
  temporaryFolder,
  visitor,
} from './product.fixture.ts';

/** Tests of choices that `packages/cloud/tests/providers` also stores with a new account. */
const atNight = test.skipIf(budget({ commit: 0, night: 1, release: 1 }) === 0);

async function open(more: Record<string, string> = {}) {
  const data = temporaryFolder();
  onTestFinished(() => removeFolder(data));
  let handle: ReturnType<typeof oidcProvider> | undefined;
  const server = createServer((request, response) => void handle?.(request, response));
  const issuer = await listening(server);
  const product = await startProduct(data, 0, { ...oidcEnv(issuer), ...more });
  onTestFinished(async () => void (await product.end('SIGTERM')));
  handle = oidcProvider(issuer, product.url);
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const newVisitor = async () => {
    const person = await visitor(browser);
    // The provider's page requests a web font, which this machine can't fetch.
    await person.context.route(/fonts\.g/, (route) => route.abort());
    return person;
  };
  const ofConsole = (problems: readonly string[]) =>
    problems.filter(
      (each) => !/fonts\.g|status of 403|Nothing was changed/.test(each) && !each.includes(issuer),
    );
  return { issuer, product, newVisitor, ofConsole };
}

/** Signs in on the provider's pages, which accept any name. */
async function comeInAs(page: Page, issuer: string, name: string): Promise<void> {
  await page.waitForURL((url) => url.origin === issuer);
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('x');
  await page.locator('button[type=submit]').click();
  await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' });
  await page.locator('button[type=submit]').click();
}

/** Returns the sign-up choices that are stored with each account. */
async function choicesAt({ data }: Product): Promise<unknown[]> {
  const { db } = await openTables(undefined, data, () => undefined);
  const { rows } = await sql`select email, "emailOptIn", "adClickId" from "user" order by email`.execute(db);
  await db.destroy();
  return rows;
}

test('signs in with the provider, and explains a rejection by the provider', async () => {
  const { issuer, product, newVisitor, ofConsole } = await open();
  const { page, problems, shot } = await newVisitor();
  await page.goto(`${product.url}/fp/cloud/tenants/new`);
  await page.waitForURL(/\/login\?redirect_url=/);
  expect(await page.getByLabel('Password').count()).toBe(0);
  const faults = await faultsOf(page);
  await shot('login-oidc');
  await page.getByRole('button', { name: 'Continue with single sign-on' }).click();
  await page.waitForURL((url) => url.origin === issuer);
  await page.getByRole('link', { name: /cancel/i }).click();
  await page.waitForURL(/\/login\?/);
  await page.getByText(/Couldn’t sign you in \(access_denied\)/).waitFor({ state: 'visible' });

  await page.getByRole('button', { name: 'Continue with single sign-on' }).click();
  await comeInAs(page, issuer, 'ada');
  await page.waitForURL(`${product.url}/fp/cloud/tenants/new`);
  await page.getByRole('button', { name: 'Account of ada' }).waitFor({ state: 'visible' });

  await page.goto(`${product.url}/fp/cloud/account`);
  await page.getByText('This browser', { exact: true }).waitFor({ state: 'visible' });
  expect(await page.getByRole('button', { name: 'Change password' }).count()).toBe(0);
  faults.push(...(await faultsOf(page)));
  await shot('account-oidc');
  expect([...faults, ...ofConsole(problems)]).toEqual([]);
});

atNight(
  '[2.4] stores the choice about mails and the ad click when a user signs up with the provider',
  async () => {
    const { issuer, product, newVisitor, ofConsole } = await open();
    const { page, problems, shot } = await newVisitor();
    await page.goto(`${product.url}/signup?gclid=click-7`);
    const box = page.getByLabel(/informative emails/);
    expect(await box.isChecked()).toBe(false);
    await box.check();
    const faults = await faultsOf(page);
    await shot('signup-oidc');
    await page.getByRole('button', { name: 'Continue with single sign-on' }).click();
    await comeInAs(page, issuer, 'ada');
    await page.getByText('Here is the cloud').waitFor({ state: 'visible' });

    const bob = await newVisitor();
    await bob.page.goto(`${product.url}/signup`);
    await bob.page.getByRole('button', { name: 'Continue with single sign-on' }).click();
    await comeInAs(bob.page, issuer, 'bob');
    await bob.page.getByText('Here is the cloud').waitFor({ state: 'visible' });
    expect(await choicesAt(product)).toEqual([
      { email: 'ada@example.com', emailOptIn: 1, adClickId: 'click-7' },
      { email: 'bob@example.com', emailOptIn: 0, adClickId: null },
    ]);
    expect([...faults, ...ofConsole([...problems, ...bob.problems])]).toEqual([]);
  },
);

test('signs in with a password or the provider, and never links accounts because of equal addresses', async () => {
  const { issuer, product, newVisitor, ofConsole } = await open({ AUTH: 'builtin', OIDC_NAME: 'Acme' });
  const ada = await newVisitor();
  await signUp(product, ada, 'ada@example.com', 'Ada');
  await ada.page.goto(await provingLink(product, 'ada@example.com'));

  const { page, problems, shot } = await newVisitor();
  const faults: string[] = [];
  for (const path of ['/login', '/signup'])
    for (const each of LOOKS) {
      await page.goto(product.url + path);
      await wear(page, each);
      await page.reload();
      await page.getByRole('button', { name: 'Continue with Acme' }).waitFor({ state: 'visible' });
      await page.getByLabel('Password').waitFor({ state: 'visible' });
      faults.push(...(await faultsOf(page)));
      await shot(`beside${path.replace('/', '-')}-${each.width}-${each.theme}`);
    }
  await page.goto(`${product.url}/login`);
  await page.getByRole('button', { name: 'Continue with Acme' }).click();
  await comeInAs(page, issuer, 'ada');
  await page.getByText(/An account with this address already exists/).waitFor({ state: 'visible' });
  await shot('beside-not-linked');

  const bob = await newVisitor();
  await bob.page.goto(`${product.url}/fp/cloud/account`);
  await bob.page.getByRole('button', { name: 'Continue with Acme' }).click();
  await comeInAs(bob.page, issuer, 'bob');
  await bob.page.waitForURL(`${product.url}/fp/cloud/account`);
  await bob.page.getByText('This browser', { exact: true }).waitFor({ state: 'visible' });
  const password = bob.page.getByRole('button', { name: 'Email me a link to set a password' });
  for (const each of LOOKS) {
    await wear(bob.page, each);
    await bob.page.reload();
    await password.waitFor({ state: 'visible' });
    faults.push(...(await faultsOf(bob.page)));
    await bob.shot(`beside-account-${each.width}-${each.theme}`);
  }
  for (const needed of ['Change password', 'Second step'])
    expect(await bob.page.getByText(needed, { exact: true }).count()).toBe(0);
  // Instead of entering a password, users without a password sign in again to confirm.
  await ageSessions(product, 16);
  await bob.page.getByRole('button', { name: 'Add a passkey' }).click();
  const asked = bob.page.getByRole('dialog', { name: 'Confirm that it’s you' });
  await asked.getByRole('button', { name: 'Continue with Acme' }).waitFor({ state: 'visible' });
  expect(await asked.getByLabel('Your password').count()).toBe(0);
  faults.push(...(await faultsOf(bob.page)));
  await bob.shot('beside-confirm');
  await asked.getByRole('button', { name: 'Cancel' }).click();

  await password.click();
  await bob.page.getByText('We sent a link to bob@example.com.').waitFor({ state: 'visible' });
  await bob.page.goto(await mailedLink(product.data, 'Choose a new password', 'bob@example.com'));
  await bob.page.getByLabel('New password').fill('one of their own');
  await bob.page.getByRole('button', { name: 'Change password' }).click();
  await bob.page.getByText('Password changed.').waitFor({ state: 'visible' });
  await bob.page.getByLabel('Email', { exact: true }).fill('bob@example.com');
  await bob.page.getByLabel('Password').fill('one of their own');
  await bob.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await bob.page.waitForURL(/\/fp\/cloud/);
  await bob.page.goto(`${product.url}/fp/cloud/account`);
  await bob.page.getByRole('button', { name: 'Change password' }).waitFor({ state: 'visible' });
  expect([...faults, ...ofConsole([...ada.problems, ...problems, ...bob.problems])]).toEqual([]);
});
