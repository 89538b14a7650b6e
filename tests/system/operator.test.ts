import { afterEach, describe, expect, test } from 'vitest';
import { PASSWORD, signUpAt } from './people.fixture.ts';
import { type Opened, type Visitor, visitor, withProduct } from './product.fixture.ts';

let here: Opened;
let olga: Visitor;

withProduct(async (opened) => {
  here = opened;
  olga = await visitor(opened.browser);
});

/** Returns the one-time link that the server printed when it started. */
async function printedLink(): Promise<string> {
  const links = () => here.product.lines.flatMap((line) => /https?:\S+#\S+$/.exec(line)?.[0] ?? []);
  await expect.poll(links).toHaveLength(1);
  return links()[0] ?? '';
}

describe('the operator of a server', () => {
  afterEach(() => expect(olga.problems).toEqual([]));

  test('becomes the operator with the printed link, also after signing up, and sees the server', async () => {
    const { page } = olga;
    const other = await visitor(here.browser);
    const ada = await signUpAt(other.page, here.product.url, 'ada@example.com', 'Ada');
    await ada.createTenant('Analytical Engines');

    await page.goto(await printedLink());
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Name').fill('Olga');
    await page.getByLabel('Email', { exact: true }).fill('olga@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('button', { name: 'Become the operator' }).click();
    await page.waitForURL(/\/fp\/cloud\/operator$/);
    await page.getByRole('row', { name: /Analytical Engines/ }).waitFor();
    expect(page.url()).not.toContain('#');

    await page.getByRole('button', { name: /Analytical Engines/ }).click();
    await page.getByLabel('Storage', { exact: true }).fill('10 GB');
    await page.getByRole('button', { name: 'Save limits' }).click();
    await expect.poll(() => page.getByRole('row', { name: /Analytical/ }).innerText()).toContain('10 GB');
    await olga.shot('operator-tenants');

    for (const [name, text] of [
      ['Users', 'ada@example.com'],
      ['Waitlist', 'Sign-up is set to open'],
      ['Gateways', here.product.url.replace(/.*:/, ':')],
      ['Backups', 'No scheduled backups'],
      ['Audit log', 'olga@example.com set the limits'],
      ['Failed mails', 'The mail server accepted every mail.'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.getByText(text).first().waitFor();
    }
    await page.goto(`${here.product.url}/fp/databases`);
    await page.getByRole('button', { name: 'Account of Olga' }).click();
    await page.getByRole('menuitem', { name: 'Operate this server' }).click();
    await page.getByRole('heading', { name: 'Tenants' }).waitFor();

    await other.page.goto(`${here.product.url}/fp/cloud/operator`);
    await other.page.getByRole('heading', { name: 'Not found' }).waitFor();
    await other.page.goto(await printedLink());
    await other.page.getByRole('button', { name: 'Become the operator' }).click();
    await other.page.getByText('this link has ended', { exact: false }).waitFor();
    await other.context.close();
  });
});
