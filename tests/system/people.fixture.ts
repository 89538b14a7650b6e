/** Users of the cloud half of the console. Fixtures use pages of the console or API calls. */
import { type AdminClient, createAdminClient } from '@fixpoint/protocol/admin';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openTables } from '../../packages/cloud/src/tables/open-tables.ts';
import { mailedLink } from '../../packages/cloud/tests/page.fixture.ts';
import type { Product, Visitor } from './product.fixture.ts';

export const PASSWORD = 'correct horse battery';

/**
 * Options of requests. A server may close an idle connection just when a client reuses it. Browsers
 * retry such requests by themselves, so these requests are retried too.
 */
const AGAIN = { maxRetries: 5 };

export async function signUp(
  { url }: Product,
  { page }: Visitor,
  email: string,
  name: string,
  leadsTo = /\/fp\/cloud/,
): Promise<void> {
  await page.goto(`${url}/signup`);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.waitForURL(leadsTo);
}

export async function signIn(
  { url }: Product,
  { page }: Visitor,
  email: string,
  password = PASSWORD,
): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/fp\/cloud/);
}

/** Signs in with an API call, without opening a page. */
export async function signInAt(page: Page, url: string, email: string): Promise<void> {
  const signedIn = await page.context().request.post(`${url}/auth/sign-in/email`, {
    ...AGAIN,
    headers: { origin: url },
    data: { email, password: PASSWORD },
  });
  if (!signedIn.ok()) throw new Error(`sign-in: ${signedIn.status()} ${await signedIn.text()}`);
}

/**
 * Signs up a new user with API calls, in the browser of the page. Returns a client with the rights
 * of this user.
 */
export async function signUpAt(page: Page, url: string, email: string, name: string): Promise<AdminClient> {
  const { request } = page.context();
  const signedUp = await request.post(`${url}/auth/sign-up/email`, {
    ...AGAIN,
    headers: { origin: url },
    data: { email, name, password: PASSWORD },
  });
  if (!signedUp.ok()) throw new Error(`sign-up: ${signedUp.status()} ${await signedUp.text()}`);
  const identity = async () =>
    ((await (await request.get(`${url}/auth/token`, AGAIN)).json()) as { token: string }).token;
  const admin = createAdminClient({
    url: `${url}/api`,
    fetch,
    auth: async () => ({ type: 'fixpoint', token: await identity() }),
  });
  must(await admin.ensureUser());
  return admin;
}

/** Returns the value of a successful call, or throws the error of a failed one. */
export function must<T>(result: { ok: true; value: T } | { ok: false; error: Error }): T {
  if (!result.ok) throw result.error;
  return result.value;
}

/**
 * Waits for the mail that verifies an address, because the server may send it after its answer.
 * Returns the link in the mail.
 */
export const provingLink = ({ data }: Product, email: string): Promise<string> =>
  mailedLink(data, 'Verify your email address', email);

/** Moves the start of all sessions to an earlier time, in the tables of the running server. */
export async function ageSessions({ data }: Product, minutes: number): Promise<void> {
  const { db } = await openTables(undefined, data, () => undefined);
  const then = new Date(Date.now() - minutes * 60_000).toISOString();
  await sql`update session set "createdAt" = ${then}, "confirmedAt" = null`.execute(db);
  await db.destroy();
}

/** Creates a tenant. Returns the address that all pages of the tenant start with. */
export async function makeTenant({ url }: Product, page: Page, name: string): Promise<string> {
  await page.goto(`${url}/fp/cloud/tenants/new`);
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/tenants\/[^/]+\/overview/);
  return page.url().replace(/\/overview.*/, '');
}

/** Creates a tenant and a ledger. Returns the addresses that their pages start with. */
export async function makeLedger(
  product: Product,
  page: Page,
  kind: 'The server can read this database' | 'End-to-end encrypted' = 'The server can read this database',
): Promise<{ tenant: string; ledger: string }> {
  const tenant = await makeTenant(product, page, 'Analytical Engines');
  await page.goto(`${tenant}/ledgers/new`);
  await page.getByLabel('New Database Name:').fill('notes');
  expect(await page.getByRole('radio', { name: 'The server can read this database' }).isChecked()).toBe(true);
  await page.getByRole('radio', { name: kind }).check();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/ledgers\/(?!new)[^/]+/);
  return { tenant, ledger: /^.*\/ledgers\/[^/]+/.exec(page.url())?.[0] ?? '' };
}

/** Accepts the only pending invitation. */
export async function acceptInvite({ page }: Visitor): Promise<void> {
  await page.getByRole('button', { name: /^Accept / }).click();
  await page.waitForURL(/\/tenants\/[^/]+\/overview/);
}

/**
 * Invites a guest. The guest signs up, verifies the address and joins as an admin; then the admin
 * changes the guest's role to member.
 */
export async function takeIn(
  product: Product,
  admin: Visitor,
  guest: Visitor,
  tenant: string,
): Promise<void> {
  await admin.page.goto(`${tenant}/members`);
  await admin.page.getByLabel('Email', { exact: true }).fill('grace@example.com');
  await admin.page.getByRole('button', { name: 'Invite by email' }).click();
  await admin.page.getByRole('button', { name: 'Resend' }).waitFor({ state: 'visible' });
  await signUp(product, guest, 'grace@example.com', 'Grace');
  await guest.page.goto(await provingLink(product, 'grace@example.com'));
  await acceptInvite(guest);
  await admin.page.goto(`${tenant}/members`);
  await admin.page.getByLabel('Role of grace@example.com').selectOption('member');
  await expect.poll(() => admin.page.getByText('1 of 5 admins, 1 of 5 members').isVisible()).toBe(true);
}

/** Creates a document on its page, and waits until the document is saved. */
export async function writeDocument(page: Page, url: string, doc: object): Promise<void> {
  await page.goto(url);
  await page.getByRole('textbox', { name: /document/i }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(JSON.stringify(doc));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL((now) => !now.pathname.endsWith('/new'));
}
