/**
 * An admin encrypts a database in the settings. A second browser switches after its user confirmed,
 * with a change that it couldn't send.
 */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { faultsOf, typeText } from './local.fixture.ts';
import { makeLedger, signIn, signUp } from './people.fixture.ts';
import { type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

const isQuick = (process.env['FIXPOINT_BUDGET'] ?? 'commit') === 'commit';

let product: Product;
let browser: Browser;
let first: Visitor;
let second: Visitor;
let ledger: string;

withProduct(async (opened) => {
  ({ product, browser } = opened);
  first = await visitor(browser);
  second = await visitor(browser);
  await signUp(product, first, 'ada@example.com', 'Ada');
  ({ ledger } = await makeLedger(product, first.page));
  await signIn(product, second, 'ada@example.com');
});

async function write(page: Page, text: string): Promise<void> {
  await typeText(page, /document/i, JSON.stringify({ title: text }));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL(/\/documents\/(?!new)[^/]+/);
}
const seen = (page: Page, text: string) =>
  page.getByRole('main').getByText(text).first().waitFor({ state: 'visible' });

test.skipIf(isQuick)(
  'encrypts a database, and takes the unsent change of a browser along that switches later',
  async () => {
    const [one, two] = [first.page, second.page];
    await one.goto(`${ledger}/documents/new`);
    await write(one, 'Readable until now');
    await one.goto(`${ledger}/documents`);
    await seen(one, 'In sync');
    await two.goto(`${ledger}/documents`);
    await seen(two, 'Readable until now');

    await one.goto(`${ledger}/settings`);
    await one.getByRole('button', { name: 'Encrypt end-to-end' }).click();
    const dialog = one.getByRole('dialog', { name: 'Encrypt notes end-to-end?' });
    await dialog.getByText(/The server could read everything until now/).waitFor({ state: 'visible' });
    expect(await faultsOf(one)).toEqual([]);
    await first.shot('move-ledger-dialog');
    await dialog.getByRole('button', { name: 'Encrypt end-to-end' }).click();
    await one.getByRole('heading', { level: 1, name: 'notes (encrypted)' }).waitFor({ state: 'visible' });
    await seen(one, 'Readable until now');
    await one.getByRole('region', { name: 'No recovery code yet' }).waitFor({ state: 'visible' });

    await two.goto(`${ledger}/documents/new`);
    const notice = two.getByRole('region', { name: 'This database moved' });
    await notice.getByText('notes moved to an end-to-end encrypted database').waitFor({ state: 'visible' });
    expect(await faultsOf(two)).toEqual([]);
    await second.shot('move-ledger-notice');
    await second.context.setOffline(true);
    await write(two, 'Never sent to the old one');
    await second.context.setOffline(false);
    await notice.getByRole('button', { name: 'Switch to notes (encrypted)' }).click();
    await two.getByRole('button', { name: 'Switch this device' }).click();
    await two.getByRole('heading', { level: 1, name: 'notes (encrypted)' }).waitFor({ state: 'visible' });
    const code = await two.getByLabel('Code of this device').innerText();
    const asking = one.getByRole('region', { name: 'A device is waiting for approval' });
    await asking.getByLabel('Code of the device').fill(code);
    await asking.getByRole('button', { name: 'Approve device' }).click();
    await seen(one, 'Never sent to the old one');
    await seen(two, 'Readable until now');
    expect([...first.problems, ...second.problems]).toEqual([]);
  },
);
