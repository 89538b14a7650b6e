/** Somebody signed in at the console, made by the calls that its screens make. */
import { type AdminClient, createAdminClient } from '@fixpoint/protocol/admin';
import type { Page } from 'playwright-core';

const PASSWORD = 'correct horse battery';

/** Signs a new user up in the browser of the page; gives what he may do by calls. */
export async function signUpAt(page: Page, url: string, email: string, name: string): Promise<AdminClient> {
  const { request } = page.context();
  const signedUp = await request.post(`${url}/auth/sign-up/email`, {
    headers: { origin: url },
    data: { email, name, password: PASSWORD },
  });
  if (!signedUp.ok()) throw new Error(`sign-up: ${signedUp.status()} ${await signedUp.text()}`);
  const identity = async () =>
    ((await (await request.get(`${url}/auth/token`)).json()) as { token: string }).token;
  const admin = createAdminClient({
    url: `${url}/api`,
    fetch,
    auth: async () => ({ type: 'fixpoint', token: await identity() }),
  });
  must(await admin.ensureUser());
  return admin;
}

/** The value of a call that has to succeed. */
export function must<T>(result: { ok: true; value: T } | { ok: false; error: Error }): T {
  if (!result.ok) throw result.error;
  return result.value;
}

/** Writes a new document at its page, and waits until it is saved. */
export async function writeDocument(page: Page, url: string, doc: object): Promise<void> {
  await page.goto(url);
  await page.getByRole('textbox', { name: /document/i }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(JSON.stringify(doc));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL((now) => !now.pathname.endsWith('/new'));
}
