/** Access to a ledger as people give it and take it away, in the console. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  freePort,
  launchChromium,
  type Product,
  removeFolder,
  startProduct,
  temporaryFolder,
  type Visitor,
  visitor,
} from './product.fixture.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const data = temporaryFolder();
let product: Product;
let browser: Browser;

beforeAll(async () => {
  product = await startProduct(data, await freePort());
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await product?.end('SIGTERM');
  removeFolder(data);
});

async function signUp({ page }: Visitor, email: string, name: string): Promise<void> {
  await page.goto(`${product.url}/signup`);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.waitForURL(/\/fp\/cloud/);
}

/** The link in the last mail to an address; without a mail server mails are files of the data folder. */
function linkMailedTo(email: string): string {
  const outbox = join(data, 'outbox');
  const mails = readdirSync(outbox)
    .sort()
    .map((file) => readFileSync(join(outbox, file), 'utf8'))
    .filter((mail) => mail.startsWith(`To: ${email}\n`));
  return /https?:\S+/.exec(mails.at(-1) ?? '')?.[0] ?? '';
}

/** What axe finds, and how much wider than the window the page is. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    });
    const wide = document.documentElement.scrollWidth - window.innerWidth;
    return [
      ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`),
      ...(wide > 0 ? [`${wide} px wider than the window`] : []),
    ];
  });
}

async function makeLedger(page: Page): Promise<{ tenant: string; ledger: string }> {
  await page.goto(`${product.url}/fp/cloud/tenants/new`);
  await page.getByLabel('Name').fill('Analytical Engines');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/tenants\/[^/]+\/overview/);
  const tenant = page.url().replace(/\/overview.*/, '');
  await page.goto(`${tenant}/ledgers/new`);
  await page.getByLabel('New Database Name:').fill('notes');
  expect(await page.getByRole('radio', { name: 'Open-key' }).isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/ledgers\/(?!new)[^/]+/);
  return { tenant, ledger: /^.*\/ledgers\/[^/]+/.exec(page.url())?.[0] ?? '' };
}

/** Invites an address, which its owner proves: he is an admin then, and is made a member. */
async function takeIn(admin: Visitor, guest: Visitor, tenant: string): Promise<void> {
  await admin.page.goto(`${tenant}/members`);
  await admin.page.getByLabel('Email', { exact: true }).fill('grace@example.com');
  await admin.page.getByRole('button', { name: 'Invite by email' }).click();
  await admin.page.getByRole('button', { name: 'Resend' }).waitFor({ state: 'visible' });
  await signUp(guest, 'grace@example.com', 'Grace');
  await guest.page.goto(linkMailedTo('grace@example.com'));
  await guest.page.waitForURL(/\/tenants\/[^/]+\/overview/);
  await admin.page.goto(`${tenant}/members`);
  const role = admin.page.getByLabel('Role of grace@example.com');
  await role.selectOption('member');
  await expect.poll(() => admin.page.getByText('1 of 5 admins, 1 of 5 members').isVisible()).toBe(true);
}

test('an admin shares a ledger with a member to read, and takes it back', async () => {
  const ada = await visitor(browser, { width: 375, height: 740 });
  const grace = await visitor(browser);
  await signUp(ada, 'ada@example.com', 'Ada');
  const { tenant, ledger } = await makeLedger(ada.page);
  await takeIn(ada, grace, tenant);
  const faults = await faultsOf(ada.page);
  await ada.shot('members-375');

  await ada.page.goto(`${ledger}/sharing`);
  await ada.page.getByText('Control who has access to your database.').waitFor({ state: 'visible' });
  await ada.page.getByText('0 of 5 shares').waitFor({ state: 'visible' });
  await ada.page.getByLabel('Email', { exact: true }).fill('ada@example.com');
  await ada.page.getByRole('button', { name: 'Share', exact: true }).click();
  await ada.page.getByText(/is an admin of the tenant/).waitFor({ state: 'visible' });
  await ada.page.getByLabel('Email', { exact: true }).fill('grace@example.com');
  await ada.page.getByRole('button', { name: 'Share', exact: true }).click();
  await ada.page.getByText('1 of 5 shares').waitFor({ state: 'visible' });
  expect(await ada.page.getByLabel('Right of grace@example.com').inputValue()).toBe('read');
  faults.push(...(await faultsOf(ada.page)));
  await ada.shot('sharing-375');

  await grace.page.goto(`${ledger}/sharing`);
  await grace.page.getByText(/Ask one of them/).waitFor({ state: 'visible' });
  await ada.page.getByRole('button', { name: 'Revoke the access of grace@example.com' }).click();
  await ada.page.getByRole('dialog', { name: 'Revoke access?' }).waitFor({ state: 'visible' });
  faults.push(...(await faultsOf(ada.page)));
  await ada.shot('sharing-revoke-375');
  await ada.page.getByRole('button', { name: 'Revoke access', exact: true }).click();
  await ada.page.getByText('0 of 5 shares').waitFor({ state: 'visible' });
  await grace.page.goto(`${ledger}/sharing`);
  await grace.page.getByText(/you have no access to it/).waitFor({ state: 'visible' });

  await ada.page.goto(`${tenant}/admin`);
  const [revoked, shared] = [/revoked access to a database/, /shared a database: notes, grace@example.com/];
  const activity = ada.page.getByRole('list', { name: 'Activity' }).getByRole('listitem');
  await activity.first().getByText(revoked).waitFor({ state: 'visible' });
  await activity.nth(1).getByText(shared).waitFor({ state: 'visible' });
  faults.push(...(await faultsOf(ada.page)));
  await activity.first().scrollIntoViewIfNeeded();
  await ada.shot('activity-375');
  expect([...faults, ...ada.problems, ...grace.problems]).toEqual([]);
});
