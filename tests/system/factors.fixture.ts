/** Second factors: an authenticator app that computes codes, and a device with passkeys. */
import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import type { Product, Visitor } from './product.fixture.ts';

const STEP_MS = 30_000;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Computes the RFC 6238 code for the current time, or for N steps of 30 s later. */
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

/** Adds a virtual authenticator that confirms every request. */
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

/**
 * Completes the open dialog, which turns on the second step. Returns the key for the authenticator
 * app.
 */
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

/** Signs out through the account menu. */
export async function signOut({ url }: Product, { page }: Visitor): Promise<void> {
  await page.goto(`${url}/fp/cloud/account`);
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/login/);
}

/** Removes client errors (4xx) from the problems. Browsers log them for expected rejections. */
export const unexpected = (problems: readonly string[]): string[] =>
  problems.filter((each) => !/status of 4\d\d/.test(each));
