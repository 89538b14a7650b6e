/** What somebody has beside the password: an app that shows codes, and a device with passkeys. */
import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import type { Product, Visitor } from './product.fixture.ts';

const STEP_MS = 30_000;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The code of RFC 6238 for now, or for so many steps of half a minute later. */
export function codeOf(key: string, stepsLater: number): string {
  const bits = [...key.replace(/=+$/, '')]
    .map((each) => BASE32.indexOf(each).toString(2).padStart(5, '0'))
    .join('');
  const secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((each) => Number.parseInt(each, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS) + stepsLater));
  const hash = createHmac('sha1', secret).update(counter).digest();
  const at = (hash.at(-1) ?? 0) & 15;
  return String((hash.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

/** Makes the browser play a device that asks for a finger, and gets it. */
export async function playDevice({ page, context }: Visitor): Promise<void> {
  const device = await context.newCDPSession(page);
  await device.send('WebAuthn.enable');
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Gives the app the key that the open dialog shows, and turns the second step on; gives that key. */
export async function turnCodesOn(
  page: Page,
  password: string,
  shown: (what: 'key' | 'codes') => Promise<void>,
): Promise<string> {
  await page.getByLabel('Your password').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  const key = (await page.getByRole('dialog').locator('pre').innerText()).trim();
  await shown('key');
  await page.getByLabel('Code', { exact: true }).fill(codeOf(key, 0));
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('Write these codes down').waitFor({ state: 'visible' });
  await shown('codes');
  return key;
}

/** By the menu of the account, on its page. */
export async function signOut({ url }: Product, { page }: Visitor): Promise<void> {
  await page.goto(`${url}/fp/cloud/account`);
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/login/);
}

/** Refusals are answers of the server, which browsers log. */
export const unexpected = (problems: readonly string[]): string[] =>
  problems.filter((each) => !/status of 4\d\d/.test(each));
