/** Admins of a tenant rename and delete its databases. */
import { expect, test } from 'vitest';
import { faultsOf, LOOKS, typeText, wear } from './local.fixture.ts';
import { must, signUpAt, takeIn } from './people.fixture.ts';
import { visitor } from './product.fixture.ts';
import { ada, browser, LONG_LEDGER, page, product, withShell } from './shell.fixture.ts';

const { at, go, ids, sidebar, tenantPath } = withShell();

const main = () => page.getByRole('main');
/** Returns the keys in the browser's session storage and local storage that contain a text. */
const notesOf = (text: string) =>
  page.evaluate(
    (one) =>
      [sessionStorage, localStorage].flatMap((all) => Object.keys(all)).filter((key) => key.includes(one)),
    text,
  );
const storages = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name ?? ''));

test('[7.2] validates a new name like the name of a new database, and updates the sidebar immediately', async () => {
  await go(tenantPath(`/ledgers/${ids.ledger}/documents`));
  await main().getByRole('link', { name: 'Settings' }).click();
  await at(/\/settings$/);
  const field = main().getByLabel('Name', { exact: true });
  const rename = async (name: string) => {
    await field.fill(name);
    await main().getByRole('button', { name: 'Update Name' }).click();
  };
  await rename('ab');
  await main().getByText('Name must be at least 3 characters').waitFor({ state: 'visible' });
  await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
  await rename('minutes');
  await main().getByRole('heading', { level: 1, name: 'minutes' }).waitFor({ state: 'visible' });
  await sidebar().getByRole('link', { name: 'minutes' }).waitFor({ state: 'visible' });
  const faults: string[] = [];
  for (const look of LOOKS) {
    await wear(page, look);
    await page.reload();
    await main().getByText('Delete this database').waitFor({ state: 'visible' });
    faults.push(...(await faultsOf(page)));
    await ada.shot(`ledger-settings-${look.width}-${look.theme}`);
  }
  expect(faults).toEqual([]);
  await rename(LONG_LEDGER);
  await main().getByRole('heading', { level: 1, name: LONG_LEDGER }).waitFor({ state: 'visible' });
});

test("[7.2] deletes a database for everybody, including this browser's copy, after the user types its name", async () => {
  await go(tenantPath(`/ledgers/${ids.ledger}/documents/new`));
  await typeText(page, /document/i, '{"draft":"never saved"}');
  page.once('dialog', (dialog) => void dialog.accept());
  await go(tenantPath(`/ledgers/${ids.ledger}/settings`));
  await expect
    .poll(() => notesOf(ids.ledger))
    .toEqual(
      // There is also a note on the view of the table if the table was shown long enough.
      expect.arrayContaining([
        `fixpoint:draft:["cloud-ledger-${ids.ledger}",null]`,
        `fixpoint.written:fp.cloud-ledger-${ids.ledger}`,
      ]),
    );
  await expect.poll(async () => (await storages()).some((name) => name.includes(ids.ledger))).toBe(true);
  // A request that the server handles after the deletion would be logged as 404.
  await page.waitForLoadState('networkidle');
  await main().getByRole('button', { name: 'Delete Database' }).click();
  const dialog = page.getByRole('dialog', { name: `Delete ${LONG_LEDGER}?` });
  const sure = dialog.getByRole('button', { name: 'Delete for everybody' });
  const field = dialog.getByLabel('Type the name of the database');
  expect(await sure.isDisabled()).toBe(true);
  await field.fill('notes');
  await page.keyboard.press('Enter');
  expect(await sure.isDisabled()).toBe(true);
  expect(await faultsOf(page)).toEqual([]);
  await field.fill(LONG_LEDGER);
  await page.keyboard.press('Enter');
  await at(/\/ledgers$/);
  await main().getByText('Select a database from the sidebar').waitFor({ state: 'visible' });
  await page.getByText(`${LONG_LEDGER} deleted.`).waitFor({ state: 'visible' });
  await expect.poll(() => sidebar().getByRole('link', { name: LONG_LEDGER }).count()).toBe(0);
  await expect.poll(async () => (await storages()).filter((name) => name.includes(ids.ledger))).toEqual([]);
  await expect.poll(() => notesOf(ids.ledger)).toEqual([]);
  await go(tenantPath(`/ledgers/${ids.ledger}/documents`));
  await main()
    .getByText(/This database doesn’t exist/)
    .waitFor({ state: 'visible' });
  expect(ada.problems.splice(0)).toEqual([]);
});

test('tells members that only admins may create databases, and hides the form', async () => {
  const owner = await visitor(browser);
  const grace = await visitor(browser);
  const admin = await signUpAt(owner.page, product.url, 'lise@example.com', 'Lise');
  const { tenantId } = must(await admin.createTenant('Physics'));
  const { ledgerId } = must(await admin.createLedger({ tenantId, name: 'notes' }));
  const tenant = `${product.url}/fp/cloud/tenants/${tenantId}`;
  await takeIn(product, owner, grace, tenant);
  for (const [below, text] of [
    [`/ledgers/${ledgerId}/settings`, 'You need admin privileges to rename or delete this database.'],
    ['/ledgers/new', 'You need admin privileges to create databases in this tenant.'],
  ]) {
    await grace.page.goto(tenant + below);
    await grace.page.getByText(text ?? '').waitFor({ state: 'visible' });
    expect(await grace.page.getByRole('main').getByRole('textbox').count()).toBe(0);
  }
  await grace.page.goto(`${tenant}/ledgers`);
  await grace.page.getByRole('main').getByRole('link', { name: 'notes' }).waitFor({ state: 'visible' });
  expect(await grace.page.getByRole('main').getByRole('link', { name: 'New Database' }).count()).toBe(0);
  expect([...owner.problems, ...grace.problems]).toEqual([]);
  for (const { context } of [owner, grace]) await context.close();
});
