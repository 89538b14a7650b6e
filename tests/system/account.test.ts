/** Members and their access in the console: sign-in, invitations, sessions, tokens and removal. */
import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { mailedLink } from '../../packages/cloud/tests/page.fixture.ts';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { unexpected } from './factors.fixture.ts';
import { faultsOf, LOOKS, typeText, wear } from './local.fixture.ts';
import {
  acceptInvite,
  makeLedger,
  makeTenant,
  PASSWORD,
  provingLink,
  signIn,
  signUp,
  signUpAt,
} from './people.fixture.ts';
import { type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

let product: Product;
let browser: Browser;

withProduct((opened) => {
  ({ product, browser } = opened);
});

const at = (path: string) => `${product.url}${path}`;
const shown = (who: Visitor, text: string | RegExp) =>
  who.page.getByText(text).filter({ visible: true }).first().waitFor({ state: 'visible' });

/** Maximum time until an open page checks again whether its user still has access. */
const SOON_MS = 5000;

/**
 * Revokes access with `take`, then advances the clock of a user's page by SOON_MS, so that the test
 * doesn't depend on the speed of the machine. The page must then check what it may show.
 */
async function takenFrom({ page }: Visitor, take: () => Promise<void>): Promise<void> {
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
  await take();
  const looked = page.waitForResponse((answer) =>
    (answer.request().postData() ?? '').includes('reqListTenantsByUser'),
  );
  await page.clock.runFor(SOON_MS);
  await looked;
  await page.clock.resume();
}

async function newPerson(name: string): Promise<Visitor> {
  const person = await visitor(browser);
  await signUpAt(person.page, product.url, `${name.toLowerCase()}@example.com`, name);
  return person;
}

/** Invites an address that has no account yet. */
async function inviteByEmail({ page }: Visitor, tenant: string, email: string): Promise<void> {
  await page.goto(`${tenant}/members`);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Invite by email' }).click();
  await page.getByRole('button', { name: 'Resend' }).waitFor({ state: 'visible' });
}

/**
 * Leaves the console. An open page would keep sending requests, and log errors after its session
 * ends.
 */
async function leave({ page }: Visitor): Promise<void> {
  await page.goto('about:blank');
}

/** Opens the account page through the account menu. */
async function openAccount({ page }: Visitor): Promise<void> {
  await page.goto(at('/fp/cloud/tenants/new'));
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  await page.getByRole('heading', { name: 'Signed-in browsers' }).waitFor({ state: 'visible' });
}

describe('colleagues', () => {
  test('[S5] adds invited users after they verify their address and accept, and shows an admin’s changes on the open page of a user', async () => {
    const ada = await newPerson('Ada');
    const tenant = await makeTenant(product, ada.page, 'Analytical Engines');
    await ada.page.goto(`${tenant}/ledgers/new`);
    await ada.page.getByLabel('New Database Name:').fill('notes');
    await ada.page.getByRole('button', { name: 'Create' }).click();
    await ada.page.waitForURL(/\/ledgers\/(?!new)[^/]+/);
    await inviteByEmail(ada, tenant, 'grace@example.com');
    await shown(ada, 'Invitation sent to grace@example.com.');

    const grace = await visitor(browser);
    await signUp(product, grace, 'grace@example.com', 'Grace');
    await shown(grace, 'Were you invited by email?');
    await grace.page.goto(await provingLink(product, 'grace@example.com'));
    await shown(grace, 'You are invited');
    expect(await grace.page.getByRole('link', { name: 'notes' }).count()).toBe(0);
    await acceptInvite(grace);
    await grace.page.clock.install();
    await grace.page.goto(`${tenant}/members`);
    await shown(grace, 'Invite somebody');

    await ada.page.goto(`${tenant}/members`);
    await takenFrom(grace, async () => {
      await ada.page.getByLabel('Role of grace@example.com').selectOption('member');
      await shown(ada, '1 of 5 admins, 1 of 5 members');
    });
    await shown(grace, 'You need admin privileges to manage members.');

    await grace.page.getByRole('link', { name: 'notes' }).first().click();
    await shown(grace, 'No documents found. Create a new document to get started.');
    await takenFrom(grace, async () => {
      await ada.page.getByRole('button', { name: 'Remove grace@example.com' }).click();
      await ada.page.getByRole('button', { name: 'Remove member' }).click();
      await shown(ada, 'grace@example.com was removed from the tenant.');
    });
    await shown(grace, /you don’t have access to it/);
    await grace.page.goto(`${tenant}/overview`);
    await shown(grace, /You aren’t a member of this tenant/);
    expect([...ada.problems, ...unexpected(grace.problems)]).toEqual([]);
  });

  test('shows pending invitations after a sign-in or when the user follows the mailed link, and never accepts an invitation without asking', async () => {
    const lise = await newPerson('Lise');
    const [first, second] = [
      await makeTenant(product, lise.page, 'Physics'),
      await makeTenant(product, lise.page, 'Chemistry'),
    ];
    for (const tenant of [first, second]) await inviteByEmail(lise, tenant, 'otto@example.com');
    const letter = await mailedLink(product.data, 'Lise invites you to', 'otto@example.com');
    expect(new URL(letter).pathname).toBe('/fp/cloud/invite');

    const otto = await newPerson('Otto');
    await otto.page.goto(await provingLink(product, 'otto@example.com'));
    const own = await makeTenant(product, otto.page, 'Own');
    await otto.page.goto(at('/'));
    await otto.page.waitForURL(`${own}/overview`);
    await shown(otto, /lise@example.com invites you to be an admin of the tenant/);
    await otto.shot('overview-invited');
    await otto.page.goto(letter);
    await otto.page.getByRole('button', { name: 'Reject Physics' }).click();
    await shown(otto, 'Invitation to Physics rejected.');
    await otto.page.reload();
    await otto.page.getByRole('button', { name: 'Accept Chemistry' }).waitFor({ state: 'visible' });
    expect(await otto.page.getByRole('button', { name: /Physics/ }).count()).toBe(0);
    const names = otto.page.getByLabel('Tenant', { exact: true }).locator('option');
    await expect.poll(() => names.allTextContents()).toEqual(['Own', 'New Tenant']);
    expect([...lise.problems, ...otto.problems]).toEqual([]);
  });

  test('lets a new colleague create an account and join with the link in one mail', async () => {
    const emil = await newPerson('Emil');
    const tenant = await makeTenant(product, emil.page, 'Chairs');
    await inviteByEmail(emil, tenant, 'ruth@example.com');
    const ruth = await visitor(browser);
    await ruth.page.goto(await mailedLink(product.data, 'Emil invites you to', 'ruth@example.com'));
    await shown(ruth, /emil@example.com invites you to Chairs as an admin/);
    expect(new URL(ruth.page.url()).hash).toBe('');
    await ruth.shot('invited');
    await ruth.page.getByLabel('Name').fill('Ruth');
    await ruth.page.getByLabel('Password').fill(PASSWORD);
    await ruth.page.getByRole('button', { name: 'Create account and join' }).click();
    await ruth.page.waitForURL(`${tenant}/overview`);
    await shown(ruth, 'Members');
    expect([...emil.problems, ...ruth.problems]).toEqual([]);
  });

  test('shows an invitation that arrives while the console is open, and accepts or rejects the invitation', async () => {
    const mary = await newPerson('Mary');
    const [first, second] = [
      await makeTenant(product, mary.page, 'First Society'),
      await makeTenant(product, mary.page, 'Second Society'),
    ];
    const joan = await newPerson('Joan');
    await joan.page.goto(await provingLink(product, 'joan@example.com'));
    await openAccount(joan);
    for (const tenant of [first, second]) {
      await mary.page.goto(`${tenant}/members`);
      await mary.page.getByLabel('Email', { exact: true }).fill('joan@example.com');
      await mary.page.getByRole('button', { name: 'Invite', exact: true }).click();
      await mary.page.getByRole('button', { name: 'Resend' }).waitFor({ state: 'visible' });
    }
    await joan.page.getByRole('link', { name: 'Local databases' }).filter({ visible: true }).click();
    await joan.page.waitForURL(/\/fp\/databases/);
    await joan.page.goBack();
    await shown(joan, 'You are invited');
    await shown(joan, /mary@example.com invites you to be an admin of the tenant/);
    await joan.shot('account-invited');
    await joan.page.getByRole('button', { name: 'Reject First Society' }).click();
    await shown(joan, 'Invitation to First Society rejected.');
    await joan.page.getByRole('button', { name: 'Accept Second Society' }).click();
    await joan.page.waitForURL(new RegExp(`${new URL(second).pathname}/overview`));
    await joan.page.reload();
    const names = joan.page.getByLabel('Tenant', { exact: true }).locator('option');
    await expect.poll(() => names.allTextContents()).toEqual(['Second Society', 'New Tenant']);
    await mary.page.goto(`${first}/members`);
    await shown(mary, 'rejected');
    expect([...mary.problems, ...joan.problems]).toEqual([]);
  });
});

describe('the account', () => {
  test('lists the browsers in which the user is signed in, and signs out other browsers', async () => {
    const emmy = await newPerson('Emmy');
    const other = await visitor(browser);
    await signIn(product, other, 'emmy@example.com');
    await leave(other);
    await openAccount(emmy);
    const list = emmy.page.getByRole('list', { name: 'Signed-in browsers' }).getByRole('listitem');
    await expect.poll(() => list.count()).toBe(2);
    await expect
      .poll(() => list.first().innerText())
      .toMatch(/^Chrome on Linux\s*This browser\s*Last used .+, from 127\.0\.0\.1/);
    await list.nth(1).getByRole('button', { name: 'Sign out' }).click();
    await shown(emmy, 'Signed out Chrome on Linux.');
    await expect.poll(() => list.count()).toBe(1);
    // The page first shows only five of many sessions.
    for (let more = 0; more < 5; more++) {
      const signedIn = await fetch(`${product.url}/auth/sign-in/email`, {
        method: 'POST',
        headers: { origin: product.url, 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'emmy@example.com', password: PASSWORD }),
      });
      expect(signedIn.status).toBe(200);
    }
    await emmy.page.reload();
    await expect.poll(() => list.count()).toBe(5);
    await emmy.page.getByRole('button', { name: 'Show all 6' }).click();
    await expect.poll(() => list.count()).toBe(6);
    await other.page.goto(at('/fp/cloud/account'));
    await other.page.waitForURL(/\/login\?redirect_url=%2Ffp%2Fcloud%2Faccount/);
    // Ignores expected errors: the other page sent requests without a session until the test
    // reloaded that page.
    expect([...emmy.problems, ...unexpected(other.problems)]).toEqual([]);
  });

  test('keeps unsaved text when another tab ends the session, and restores the text after sign-in', async () => {
    const jean = await newPerson('Jean');
    const { page } = jean;
    const { ledger } = await makeLedger(product, page);
    await page.goto(`${ledger}/documents/new`);
    await typeText(page, /document/i, '{"title": "half written"}');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    const other = await jean.context.newPage();
    await other.goto(at('/fp/databases'));
    await other.getByRole('button', { name: /^Account of/ }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.waitForURL(/\/login$/);
    await other.close();
    await page.bringToFront();
    await page.waitForURL(/\/login\?redirect_url=/);
    expect(asked).toEqual([]);
    await page.getByLabel('Email', { exact: true }).fill('jean@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(/\/documents\/new$/);
    await page.getByText('half written').waitFor({ state: 'visible' });
    await shown(jean, /^Your unsaved text was restored/);
    expect(unexpected(jean.problems)).toEqual([]);
  });

  test('reloads the page when a different user signed in with another tab', async () => {
    const vera = await newPerson('Vera');
    const { page } = vera;
    await page.goto(at('/fp/cloud/account'));
    await shown(vera, /Vera, vera@example\.com/);
    const kept = 'fixpoint:draft:["cloud-ledger-z1","milk"]';
    await page.evaluate((key) => sessionStorage.setItem(key, '{"hers": true}'), kept);
    await signUpAt(page, product.url, 'dora@example.com', 'Dora');
    // The page checks who is signed in if its data is older than half a minute.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await page.clock.resume();
    await shown(vera, /Dora, dora@example\.com/);
    expect(await page.evaluate((key) => sessionStorage.getItem(key), kept)).toBeNull();
    expect(unexpected(vera.problems)).toEqual([]);
  });

  test('signs out all other browsers when the password changes', async () => {
    const ida = await newPerson('Ida');
    const other = await visitor(browser);
    await signIn(product, other, 'ida@example.com');
    await leave(other);
    await openAccount(ida);
    const { page } = ida;
    const kindOf = (label: string) =>
      page
        .getByLabel(label, { exact: true })
        .evaluate(({ type, autocomplete }: HTMLInputElement) => `${type} ${autocomplete}`);
    await page.getByRole('button', { name: 'Change password' }).click();
    expect(await kindOf('Current password')).toBe('password current-password');
    expect(await kindOf('New password')).toBe('password new-password');
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password', { exact: true }).fill('a quite different one');
    await page.getByLabel('Repeat new password').fill('a mistyped one');
    await page.getByRole('button', { name: 'Change password' }).click();
    await shown(ida, 'The new passwords don’t match. Enter the same one twice.');
    await page.getByLabel('Repeat new password').fill('a quite different one');
    await page.getByRole('radio', { name: 'Sign out programs', exact: true }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Change password' }).click();
    await shown(ida, 'Password changed. All other browsers are signed out. Programs have to sign in again.');
    await other.page.goto(at('/fp/cloud/account'));
    await other.page.waitForURL(/\/login/);
    await other.page.getByLabel('Email', { exact: true }).fill('ida@example.com');
    await other.page.getByLabel('Password').fill('a quite different one');
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.waitForURL(/\/fp\/cloud\/account/);
    expect([...ida.problems, ...unexpected(other.problems)]).toEqual([]);
  });

  test('resets a forgotten password with a mailed link, and signs in with a mailed link', async () => {
    await newPerson('Sophie');
    const { page, problems, shot } = await visitor(browser);
    await page.goto(at('/login'));
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    await page.getByText('Enter your email address first.').waitFor({ state: 'visible' });
    await page.getByLabel('Email', { exact: true }).fill('sophie@example.com');
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    await page.getByText(/we sent it a link to choose a new password/).waitFor({ state: 'visible' });
    const reset = await mailedLink(product.data, 'Choose a new password', 'sophie@example.com');
    expect(reset).toContain('reset=');
    await page.goto(reset);
    await page.getByLabel('New password').fill('remembered this time');
    await shot('login-reset');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed. Sign in with your new password.').waitFor({ state: 'visible' });
    await signIn(product, await visitor(browser), 'sophie@example.com', 'remembered this time');
    await page.getByLabel('Email', { exact: true }).fill('sophie@example.com');
    await page.getByRole('button', { name: 'Email me a link instead' }).click();
    await page.getByText(/we sent it a sign-in link/).waitFor({ state: 'visible' });
    const link = await mailedLink(product.data, 'Your sign-in link', 'sophie@example.com');
    expect(link).toContain('magic-link');
    await page.goto(link);
    await page.waitForURL(/\/fp\/cloud$/);
    expect(unexpected(problems)).toEqual([]);
    const again = await visitor(browser);
    await again.page.goto(link);
    await again.page.getByText('This link has expired or was already used.').waitFor({ state: 'visible' });
  });
});

describe('API tokens', () => {
  test('[S5] shows a token once, reports its last use, and rejects the token after it is revoked', async () => {
    const hedy = await newPerson('Hedy');
    const tenant = await makeTenant(product, hedy.page, 'Frequency Hoppers');
    const { page } = hedy;
    await page.goto(`${tenant}/admin`);
    await shown(hedy, 'No tokens yet. Create one for a program that uses this tenant.');
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await shown(hedy, 'Name is required');
    await page.getByLabel('Name').and(page.getByPlaceholder('Nightly export')).fill('export');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await shown(hedy, 'Copy the token now');
    const token = (await page.getByRole('dialog').locator('pre').innerText()).trim();
    await hedy.shot('token-made');
    await page.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('table', { name: 'API tokens' }).getByRole('row').last();
    await expect.poll(() => row.innerText()).toMatch(/^\s*export\s*read\s.*Never/s);
    expect(await page.content()).not.toContain(token);

    const ask = () =>
      fetch(at('/api'), {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'reqListLedgersByUser', auth: { type: 'api-token', token } }),
      });
    expect((await ask()).status).toBe(200);
    await page.reload();
    await expect.poll(() => row.innerText()).toMatch(/just now|minute/);
    await page.getByRole('button', { name: 'Revoke export' }).click();
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await shown(hedy, 'export revoked.');
    await shown(hedy, /No tokens yet/);
    expect((await ask()).status).toBe(401);
    expect(hedy.problems).toEqual([]);
  });
});

// The quick budget checks these pages with those of all other routes.
test.skipIf(budget({ commit: 0, night: 1, release: 1 }) === 0)(
  'shows the account pages in both themes and widths, usable by keyboard',
  async () => {
    const rosa = await newPerson('Rosa');
    const tenant = await makeTenant(product, rosa.page, 'Typography');
    const { page } = rosa;
    const faults: string[] = [];
    const look = async (name: string) => {
      faults.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`));
      await rosa.shot(name);
    };
    for (const each of LOOKS) {
      const name = `${each.width}-${each.theme}`;
      await wear(page, each);
      await page.goto(at('/fp/cloud/account'));
      await shown(rosa, 'This browser');
      await look(`account-${name}`);
      await page.goto(`${tenant}/admin`);
      await shown(rosa, /No tokens yet/);
      await page.getByRole('button', { name: 'Create a token' }).focus();
      await page.keyboard.press('Enter');
      const field = page.getByRole('dialog').getByLabel('Name');
      await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
      await page.keyboard.type(`by keyboard ${name}`);
      await look(`token-new-${name}`);
      await page.keyboard.press('Enter');
      await shown(rosa, 'Copy the token now');
      await look(`token-made-${name}`);
      await page.getByRole('button', { name: 'Done' }).press('Enter');
      await shown(rosa, `by keyboard ${name}`);
      await look(`tokens-${name}`);
      await page.getByRole('button', { name: `Revoke by keyboard ${name}` }).click();
      await page.getByRole('dialog').waitFor({ state: 'visible' });
      await look(`token-revoke-${name}`);
      await page.getByRole('button', { name: 'Revoke token' }).click();
      await shown(rosa, /No tokens yet/);
    }
    expect([...faults, ...rosa.problems]).toEqual([]);
  },
);
