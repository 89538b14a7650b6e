/** Closes or reloads a page while a write is pending. */
import type { Browser, Dialog, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { unexpected } from './factors.fixture.ts';
import { type HeldCalls, holdCalls } from './held-calls.fixture.ts';
import { makeDatabase, openImport, typeText, withConsole } from './local.fixture.ts';
import { must, signUpAt } from './people.fixture.ts';
import { visitor } from './product.fixture.ts';

let url: string;
let browser: Browser;

withConsole(async (opened) => {
  ({ url, browser } = opened);
});

interface Pantry {
  readonly page: Page;
  readonly calls: HeldCalls;
  readonly problems: readonly string[];
}

/** Opens the table of a new database with three documents, in a new browser profile. */
async function openPantry(): Promise<Pantry> {
  const { page, problems } = await visitor(browser);
  const calls = await holdCalls(page);
  await makeDatabase(page, url, 'pantry', [
    { _id: 'milk', left: 1 },
    { _id: 'rice', left: 2 },
    { _id: 'salt', left: 3 },
  ]);
  await page.getByText('3 documents', { exact: true }).waitFor({ state: 'visible' });
  return { page, calls, problems };
}

const cell = (page: Page) => page.locator('[data-row="0"] [data-column="left"]');

/** Types a value in the first cell without storing the value. */
async function typeInCell(page: Page, value: string): Promise<void> {
  await cell(page).hover();
  await page.getByRole('button', { name: 'Edit left' }).click();
  await page.getByRole('textbox', { name: 'left of milk', exact: true }).fill(value);
}

/** Tries to close the page. Expects the browser to ask for confirmation, and cancels. */
async function staysAsked(page: Page): Promise<void> {
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
}

/** Leaves the page with `way`. Expects that the browser doesn't ask for confirmation. */
async function unasked(page: Page, way: () => Promise<unknown>): Promise<void> {
  const asked: string[] = [];
  const hear = (dialog: Dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  };
  page.on('dialog', hear);
  await way();
  page.off('dialog', hear);
  expect(asked).toEqual([]);
}

async function closesUnasked(page: Page): Promise<void> {
  await unasked(page, async () => {
    const closed = page.waitForEvent('close');
    await page.close({ runBeforeUnload: true });
    await closed;
  });
  await page.context().close();
}

test('asks before leaving only until the new value of a cell is stored', async () => {
  const { page, calls, problems } = await openPantry();
  await typeInCell(page, '10');
  // Holds the transaction, which reads the document and writes it.
  await calls.hold('transact');
  await page.keyboard.press('Enter');
  await calls.waits();
  await expect.poll(() => cell(page).innerText()).toBe('10');
  await staysAsked(page);
  await calls.hold();
  await page.getByText('Changed left of milk.').waitFor({ state: 'visible' });
  await unasked(page, () => page.reload());
  await expect.poll(() => cell(page).innerText()).toBe('10');
  expect(problems).toEqual([]);
  await closesUnasked(page);
});

test("reports a value that couldn't be stored, and then closes the page without asking", async () => {
  const { page, calls } = await openPantry();
  await typeInCell(page, '10');
  await calls.hold('transact');
  await page.keyboard.press('Enter');
  await calls.waits();
  await staysAsked(page);
  await calls.refuse();
  await page.getByText(/^Couldn’t change left: /).waitFor({ state: 'visible' });
  await expect.poll(() => cell(page).innerText()).toBe('1');
  await closesUnasked(page);
});

test('follows links within the console without asking, and continues the write', async () => {
  const { page, calls, problems } = await openPantry();
  await typeInCell(page, '10');
  await calls.hold('transact');
  await page.keyboard.press('Enter');
  await calls.waits();
  await unasked(page, async () => {
    await page.locator('#sidebar').getByRole('link', { name: 'Local databases' }).click();
    await page.getByRole('heading', { level: 1, name: 'Local databases' }).waitFor({ state: 'visible' });
  });
  await staysAsked(page);
  await calls.hold();
  // The pages of the database name the last step.
  await page.locator('#sidebar').getByRole('link', { name: 'pantry' }).first().click();
  await page.getByText('Changed left of milk.').waitFor({ state: 'visible' });
  await unasked(page, () => page.goto(`${url}/fp/databases/pantry`));
  await expect.poll(() => cell(page).innerText()).toBe('10');
  expect(problems).toEqual([]);
  await closesUnasked(page);
});

test('asks before leaving during an import, a bulk delete, restore or edit, and a save', async () => {
  const { page, calls, problems } = await openPantry();
  const bar = page.getByRole('region', { name: 'Selection' });
  const confirm = () => page.once('dialog', (dialog) => void dialog.accept());
  /**
   * Expects that the browser asks for confirmation while calls of `verb` are held, and that the
   * page shows `message` after the work is done.
   */
  const asksDuring = async (verb: string, work: () => Promise<void>, message: string) => {
    await calls.hold(verb);
    await work();
    await calls.waits();
    await staysAsked(page);
    await calls.hold();
    await page.getByText(message, { exact: true }).waitFor({ state: 'visible' });
  };
  await openImport(page);
  await page.getByLabel('Choose files to import').setInputFiles({
    name: 'more.json',
    mimeType: 'application/json',
    buffer: Buffer.from('[{"_id":"tea","left":4}]'),
  });
  await asksDuring(
    'bulk',
    () => page.getByRole('button', { name: 'Import 1 document' }).click(),
    'Imported 1 document.',
  );
  await page.getByText('4 documents', { exact: true }).waitFor({ state: 'visible' });
  await page.getByLabel('Select all rows').check();
  await asksDuring(
    'bulk',
    async () => {
      confirm();
      await bar.getByRole('button', { name: 'Delete' }).click();
    },
    'Deleted 4 documents.',
  );
  // Undo reads the deleted documents before it restores them.
  const undo = page.getByRole('region', { name: 'Undo' }).getByRole('button', { name: 'Undo' });
  await asksDuring('allDocs', () => undo.click(), '4 documents');
  await page.getByLabel('Select all rows').check();
  await bar.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit 4 documents' });
  await edit.getByLabel('Field', { exact: true }).fill('left');
  await edit.getByRole('textbox', { name: 'new value' }).fill('plenty');
  await edit.getByRole('button', { name: 'Preview' }).click();
  await asksDuring(
    'transact',
    () => edit.getByRole('button', { name: 'Change 4 documents' }).click(),
    'Changed left in 4 documents.',
  );
  await unasked(page, () => page.goto(`${url}/fp/databases/pantry/docs/new`));
  await typeText(page, /document/i, '{"_id": "oats"}');
  await asksDuring(
    'transact',
    () => page.getByRole('button', { name: 'Save', exact: true }).click(),
    'Saved in this browser.',
  );
  expect(problems).toEqual([]);
  await closesUnasked(page);
});

test('asks before leaving until the server has stored a changed role', async () => {
  const [ada, grace] = [await visitor(browser), await visitor(browser)];
  const admin = await signUpAt(ada.page, url, 'ada@example.com', 'Ada');
  const guest = await signUpAt(grace.page, url, 'grace@example.com', 'Grace');
  const { userId } = must(await guest.ensureUser()).user;
  const { tenantId } = must(await admin.createTenant('Analytical Engines'));
  const invitedParams = { tenant: { id: tenantId, role: 'member' as const } };
  const { inviteId } = must(await admin.inviteUser({ query: { existingUserId: userId }, invitedParams }));
  must(await guest.redeemInvite(inviteId));
  await grace.context.close();

  const { page, problems } = ada;
  await page.goto(`${url}/fp/cloud/tenants/${tenantId}/members`);
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/api', async (route) => {
    if (route.request().postData()?.includes('reqUpdateUserTenant') === true) await held;
    return route.fallback();
  });
  const asked = page.waitForRequest(
    (request) => request.postData()?.includes('reqUpdateUserTenant') === true,
  );
  const role = page.getByRole('combobox', { name: /^Role of grace/ });
  await role.selectOption('admin');
  await asked;
  expect(await role.inputValue()).toBe('admin');
  await staysAsked(page);
  letGo();
  await expect.poll(() => role.isEnabled()).toBe(true);
  expect(await role.inputValue()).toBe('admin');
  expect(unexpected(problems)).toEqual([]);
  await closesUnasked(page);
});
