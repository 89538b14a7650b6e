/** Sign-in by a provider of OpenID Connect, through the console. */
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listening, oidcEnv, oidcProvider } from '../../packages/cloud/tests/oidc-provider.fixture.ts';
import { faultsOf } from './local.fixture.ts';
import {
  freePort,
  launchChromium,
  removeFolder,
  startProduct,
  temporaryFolder,
  visitor,
} from './product.fixture.ts';

test('the provider signs in, and its refusal is told in words', async () => {
  const data = temporaryFolder();
  onTestFinished(() => removeFolder(data));
  let handle: ReturnType<typeof oidcProvider> | undefined;
  const server = createServer((request, response) => void handle?.(request, response));
  const issuer = await listening(server);
  const product = await startProduct(data, await freePort(), oidcEnv(issuer));
  onTestFinished(async () => void (await product.end('SIGTERM')));
  handle = oidcProvider(issuer, product.url);
  const browser = await launchChromium();
  onTestFinished(() => browser.close());

  const { page, context, problems, shot } = await visitor(browser);
  // The provider's own page asks for a font of the web.
  await context.route(/fonts\.g/, (route) => route.abort());
  await page.goto(`${product.url}/fp/cloud/tenants/new`);
  await page.waitForURL(/\/login\?redirect_url=/);
  expect(await page.getByLabel('Password').count()).toBe(0);
  const faults = await faultsOf(page);
  await shot('login-oidc');
  await page.getByRole('button', { name: 'Continue with single sign-on' }).click();
  await page.waitForURL((url) => url.origin === issuer);
  await page.getByRole('link', { name: /cancel/i }).click();
  await page.waitForURL(/\/login\?/);
  await page.getByText(/You were not signed in \(access_denied\)/).waitFor({ state: 'visible' });

  await page.getByRole('button', { name: 'Continue with single sign-on' }).click();
  await page.waitForURL((url) => url.origin === issuer);
  await page.locator('input[name=login]').fill('ada');
  await page.locator('input[name=password]').fill('x');
  await page.locator('button[type=submit]').click();
  await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' });
  await page.locator('button[type=submit]').click();
  await page.waitForURL(`${product.url}/fp/cloud/tenants/new`);
  await page.getByRole('button', { name: 'Account of ada' }).waitFor({ state: 'visible' });

  await page.goto(`${product.url}/fp/cloud/account`);
  await page.getByText('This browser').waitFor({ state: 'visible' });
  expect(await page.getByText('Current password').count()).toBe(0);
  faults.push(...(await faultsOf(page)));
  await shot('account-oidc');
  const ofConsole = problems.filter((problem) => !problem.includes('fonts.g') && !problem.includes(issuer));
  expect([...faults, ...ofConsole]).toEqual([]);
});
