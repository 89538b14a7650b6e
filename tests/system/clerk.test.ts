/** Sign-in with Clerk in the console, under its content policy, with a fake frontend API. */
import { expect, onTestFinished, test } from 'vitest';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { fakeClerk } from './clerk.fixture.ts';
import { faultsOf, LOOKS, wear } from './local.fixture.ts';
import { launchChromium, removeFolder, startProduct, temporaryFolder, visitor } from './product.fixture.ts';

/** Tests of choices that `packages/cloud/tests/providers` also stores with a new account. */
const atNight = test.skipIf(budget({ commit: 0, night: 1, release: 1 }) === 0);

async function open() {
  const clerk = await fakeClerk();
  const data = temporaryFolder();
  onTestFinished(() => removeFolder(data));
  const product = await startProduct(data, 0, clerk.env);
  onTestFinished(async () => void (await product.end('SIGTERM')));
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const person = await visitor(browser);
  await clerk.answer(person.context, product.url);
  return { clerk, product, ...person };
}

/**
 * Removes expected problems: errors that the test causes, and a blocked worker that the provider's
 * script doesn't need.
 */
const unexpected = (problems: readonly string[]) =>
  problems.filter((problem) => !/status of 422|ERR_FAILED|Creating a worker from 'blob:/.test(problem));

test('retries a failed script, and signs in with a token of the template', async () => {
  const { clerk, product, page, problems, shot } = await open();
  clerk.scriptFailures = 2;
  await page.goto(`${product.url}/fp/cloud/tenants/new`);
  await page.waitForURL(/\/login\?redirect_url=/);
  expect(clerk.scripts).toBe(3);
  const faults = await faultsOf(page);
  await shot('login-clerk');
  await page.getByLabel('Email', { exact: true }).fill('ada@example.com');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText(/incorrect/).waitFor({ state: 'visible' });
  await page.getByLabel('Password').fill('right');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(/\/tenants\/new$/);
  await page.getByLabel('Name').fill('Analytical Engines');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/tenants\/[^/]+\/overview/);
  expect(new Set(clerk.templates)).toEqual(new Set(['with-email']));

  await page.goto(`${product.url}/fp/cloud/account`);
  const link = page.getByRole('link', { name: 'Open your account there' });
  await link.waitFor({ state: 'visible' });
  expect(await link.getAttribute('href')).toContain('https://accounts.fixpoint.test/user');
  faults.push(...(await faultsOf(page)));
  await page.getByRole('button', { name: 'Account of Ada Lovelace' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/login/);
  expect([...faults, ...unexpected(problems)]).toEqual([]);
});

test('stores the choice about mails and the ad click with a new account, and verifies the address with a code', async () => {
  const { clerk, product, page, problems, shot } = await open();
  await page.goto(`${product.url}/signup?gclid=c1`);
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByLabel('Email', { exact: true }).fill('ada@example.com');
  await page.getByLabel('Password').fill('a long password');
  await page.getByLabel(/informative emails/).check();
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByText('We emailed you a code.').waitFor({ state: 'visible' });
  await shot('signup-code');
  expect(clerk.signUps.map(({ unsafe_metadata: metadata }) => JSON.parse(metadata ?? ''))).toEqual([
    { emailOptIn: true, adClickId: 'c1' },
  ]);
  await page.getByLabel('Code').fill('1');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText(/incorrect/).waitFor({ state: 'visible' });
  await page.getByLabel('Code').fill('424242');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Here is the cloud').waitFor({ state: 'visible' });
  expect(unexpected(problems)).toEqual([]);
});

test('links to the provider page for other ways to sign in, and returns to the requested page', async () => {
  const { product, page, problems, shot } = await open();
  await page.goto(`${product.url}/fp/cloud/tenants/new`);
  await page.waitForURL(/\/login\?redirect_url=/);
  const faults: string[] = [];
  for (const each of LOOKS) {
    await wear(page, each);
    await page.reload();
    await page.getByRole('button', { name: 'Other ways to sign in' }).waitFor({ state: 'visible' });
    faults.push(...(await faultsOf(page)));
    await shot(`login-clerk-${each.width}-${each.theme}`);
  }
  await page.getByRole('button', { name: 'Other ways to sign in' }).click();
  await page.waitForURL(/^https:\/\/accounts\.fixpoint\.test\/sign-in/);
  await page.getByRole('link', { name: 'Come in with something else' }).click();
  await page.waitForURL(`${product.url}/fp/cloud/tenants/new`);
  await page.getByLabel('Name').waitFor({ state: 'visible' });
  await page.getByRole('button', { name: 'Account of Ada Lovelace' }).waitFor({ state: 'visible' });
  expect([...faults, ...unexpected(problems)]).toEqual([]);
});

atNight(
  '[2.4] links to the provider page for other ways to sign up, and stores the choice about mails',
  async () => {
    const { clerk, product, page, problems } = await open();
    await page.goto(`${product.url}/signup?gclid=c1`);
    await page.getByLabel(/informative emails/).check();
    await page.getByRole('button', { name: 'Other ways to sign in' }).click();
    await page.waitForURL(/^https:\/\/accounts\.fixpoint\.test\/sign-up/);
    await page.getByRole('link', { name: 'Come in with something else' }).click();
    await page.getByText('Here is the cloud').waitFor({ state: 'visible' });
    await expect.poll(() => clerk.metadata).toEqual([{ emailOptIn: true, adClickId: 'c1' }]);
    expect(unexpected(problems)).toEqual([]);
  },
);
