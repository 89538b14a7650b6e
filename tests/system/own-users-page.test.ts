/** An admin finds, removes and readmits the own users of an application, in a real browser. */
import type { AdminClient } from '@fixpoint/protocol/admin';
import { expect, test } from 'vitest';
import { unexpected } from './factors.fixture.ts';
import { faultsOf, LOOKS, wear } from './local.fixture.ts';
import { must, signUpAt } from './people.fixture.ts';
import { type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

const USERS = 47;
let product: Product;
let admin: AdminClient;
let ada: Visitor;
const ids = { tenantId: '', applicationId: '' };

withProduct(async (opened) => {
  product = opened.product;
  ada = await visitor(opened.browser);
  admin = await signUpAt(ada.page, product.url, 'ada@example.com', 'Ada');
  const { tenantId } = must(await admin.createTenant('Acme'));
  const { ledgerId } = must(await admin.createLedger({ tenantId, name: 'notes', kind: 'open-key' }));
  const settings = { name: 'Notes', origins: ['https://a.example'], redirectUrls: ['https://a.example/'] };
  const { applicationId } = must(await admin.createApplication({ tenantId, ...settings }));
  Object.assign(ids, { tenantId, applicationId });
  for (let n = 1; n <= USERS; n += 1) {
    const profile = n % 3 === 0 ? {} : { name: `Person ${n}`, email: `person-${n}@app.example` };
    const rights = n % 2 === 0 ? { [ledgerId]: 'write' as const } : {};
    must(await admin.putApplicationUser({ ...ids, subject: `auth0|${n}`, ...profile, rights }));
  }
  must(
    await admin.putApplicationUser({
      ...ids,
      subject: `a-subject-without-any-space-${'x'.repeat(120)}`,
      name: `A name of many words ${'that goes on '.repeat(8)}`,
    }),
  );
});

test('lists, searches, removes and readmits users, in wide and narrow windows', async () => {
  const { page } = ada;
  await page.goto(`${product.url}/fp/cloud/tenants/${ids.tenantId}/admin`);
  const rows = page.getByRole('list', { name: 'Users of applications' }).getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(20);
  for (const each of LOOKS) {
    await wear(page, each);
    await page.reload();
    await page.getByRole('heading', { name: 'Users of applications' }).scrollIntoViewIfNeeded();
    await expect.poll(() => rows.count()).toBe(20);
    expect(await faultsOf(page)).toEqual([]);
    await ada.shot(`own-users-${each.width}-${each.theme}`);
  }
  await page.getByRole('button', { name: 'Show more users' }).click();
  await expect.poll(() => rows.count()).toBe(40);
  await page.getByLabel('Search users').fill('person 46');
  await expect.poll(() => rows.count()).toBe(1);
  await rows.getByText('person-46@app.example, 1 database, never signed in').waitFor({ state: 'visible' });
  await page.getByRole('button', { name: 'Remove Person 46' }).click();
  for (const each of LOOKS) {
    await wear(page, each);
    expect(await faultsOf(page)).toEqual([]);
    await ada.shot(`own-users-remove-${each.width}-${each.theme}`);
  }
  await wear(page, { width: 1280, height: 800, theme: 'light' });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Remove Person 46' }).click();
  await page.getByRole('button', { name: 'Remove user' }).click();
  await page.getByText('Person 46 was removed.').waitFor({ state: 'visible' });
  // The server forgot the name, so only the id in the app finds the user.
  await page.getByLabel('Search users').fill('auth0|46');
  await rows.getByText('Removed').waitFor({ state: 'visible' });
  expect(
    must(await admin.listApplicationUsers({ tenantId: ids.tenantId, search: 'auth0|46' })).users,
  ).toEqual([expect.objectContaining({ status: 'removed', rights: 0 })]);
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Readmit auth0|46' }).click();
  await page.getByRole('button', { name: 'Remove auth0|46' }).waitFor({ state: 'visible' });
  expect(unexpected(ada.problems)).toEqual([]);
});

test('offers a token for back ends that only manages users', async () => {
  const { page } = ada;
  await page.getByRole('button', { name: 'Create a token' }).click();
  await page.getByLabel('Name', { exact: true }).last().fill('Back end');
  await page.getByLabel('Permissions').selectOption('users');
  await page.getByText('For the back end of an app').waitFor({ state: 'visible' });
  for (const each of LOOKS) {
    await wear(page, each);
    expect(await faultsOf(page)).toEqual([]);
    await ada.shot(`own-users-token-${each.width}-${each.theme}`);
  }
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page
    .getByRole('table', { name: 'API tokens' })
    .getByText('users', { exact: true })
    .waitFor({ state: 'visible' });
});
