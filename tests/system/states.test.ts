/**
 * Checks the states of pages that a visit alone doesn't show: open menus and dialogs, errors, empty
 * results and charts. Each by the rules of WCAG 2.2 AA, in wide and narrow windows, in both themes,
 * in forced colours, and with text of twice the size.
 */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { mailedLink } from '../../packages/cloud/tests/page.fixture.ts';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { faultsOf, LOOKS, type Look, makeDatabase, openImport, typeText, wear } from './local.fixture.ts';
import { makeLedger, PASSWORD, signUp, writeDocument } from './people.fixture.ts';
import {
  chooseIn,
  launchChromium,
  type Product,
  type Visitor,
  visitor,
  withProduct,
} from './product.fixture.ts';

const isNight = budget({ commit: 0, night: 1, release: 1 }) > 0;

let product: Product;
let browser: Browser;
let ada: Visitor;
const paths = { tenant: '', ledger: '', invite: '' };

withProduct(async (opened) => {
  if (!isNight) return;
  ({ product, browser } = opened);
  ada = await visitor(browser);
  const { page } = ada;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await becomeOperator(page);
  Object.assign(paths, await makeLedger(product, page));
  await writeDocument(page, `${paths.ledger}/documents/new`, { _id: 'note-1', title: 'On the engine' });
  await page.goto(`${paths.tenant}/members`);
  await page.getByLabel('Email', { exact: true }).fill('grace@example.com');
  await page.getByRole('button', { name: 'Invite by email' }).click();
  paths.invite = await mailedLink(product.data, 'Ada invites you to', 'grace@example.com');
  await page.goto(`${paths.ledger}/sharing`);
  await page.getByLabel('Email', { exact: true }).fill('grace@example.com');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByText('1 of 5 shares').waitFor();
  await makeDatabase(page, product.url, 'groceries', GROCERIES);
});

const GROCERIES = [
  { _id: 'milk', item: 'milk', count: 2, tags: ['cold', 'white'], price: { eur: 1.2 } },
  { _id: 'bread', item: 'A long loaf of bread '.repeat(8), count: 1 },
  // Its unsaved text must not show in the states of the other documents.
  { _id: 'rice', item: 'rice', count: 4 },
];

async function becomeOperator(page: Page): Promise<void> {
  await signUp(product, ada, 'ada@example.com', 'Ada');
  const link = product.lines.flatMap((line) => /https?:\S+claim#\S+$/.exec(line)?.[0] ?? [])[0] ?? '';
  await page.goto(link);
  await page.getByRole('button', { name: 'Become the operator' }).click();
  await page.waitForURL(/\/fp\/cloud\/operator$/);
}

interface State {
  readonly name: string;
  readonly at: () => string;
  readonly open: (page: Page) => Promise<unknown>;
}

const local = (path: string) => () => `${product.url}/fp/databases/groceries${path}`;
const cloud = (path: string) => () => `${product.url}/fp/cloud${path}`;
const press = async (page: Page, name: string | RegExp) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .filter({ visible: true })
    .first()
    .click();
const text = (page: Page, found: string | RegExp) =>
  page.getByText(found).filter({ visible: true }).first().waitFor();
const menu = (page: Page) => page.getByRole('menuitem').first().waitFor();
const dialog = (page: Page) => page.getByRole('dialog').waitFor();

async function openMenu(page: Page, name: string | RegExp): Promise<void> {
  await press(page, name);
  await menu(page);
}

async function typeJson(page: Page, typed: string): Promise<void> {
  await page.getByRole('textbox', { name: /document|function/i }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(typed);
}

/** Types a version of a document that another tab changes, and opens the merge of both. */
async function openMerge(page: Page): Promise<void> {
  await press(page, 'JSON');
  await typeJson(page, '{"item": "my bread", "count": 5}');
  const other = await page.context().newPage();
  await other.goto(page.url());
  await typeText(other, /document/i, `{"item": "their bread", "count": 6, "at": ${Date.now()}}`);
  await other.keyboard.press('ControlOrMeta+s');
  await other.getByText('Saved in this browser.').waitFor();
  await other.close();
  await press(page, 'Merge...');
  await page.getByRole('region', { name: 'Merge', exact: true }).waitFor();
}

async function runQuery(page: Page, map: string): Promise<void> {
  await typeJson(page, map);
  await press(page, 'Query');
}

const LOCAL: readonly State[] = [
  { name: 'database menu', at: local(''), open: (page) => openMenu(page, 'Database actions') },
  { name: 'table menu', at: local(''), open: (page) => openMenu(page, 'More table actions') },
  {
    name: 'commands',
    at: local(''),
    open: async (page) => {
      await page.locator('[data-row="0"]').waitFor();
      await page.keyboard.press('ControlOrMeta+k');
      await dialog(page);
    },
  },
  {
    name: 'keyboard shortcuts',
    at: local(''),
    open: async (page) => {
      await page.locator('[data-row="0"]').waitFor();
      await page.keyboard.press('?');
      await dialog(page);
    },
  },
  {
    name: 'filter dialog',
    at: local(''),
    open: async (page) => {
      await press(page, 'Filter');
      await dialog(page);
    },
  },
  {
    name: 'columns dialog',
    at: local(''),
    open: async (page) => {
      await page.locator('[data-row="0"]').waitFor();
      if (await page.getByRole('button', { name: /^Columns/ }).isVisible()) await press(page, /^Columns/);
      else await chooseIn(page, 'More table actions', 'Columns');
      await dialog(page);
    },
  },
  {
    name: 'import with a problem',
    at: local(''),
    open: async (page) => {
      await openImport(page);
      const buffer = Buffer.from('{"_id":"a","n":1}\n{"_id":"a","n":}\n');
      await page
        .getByLabel('Choose files to import')
        .setInputFiles({ name: 'a.ndjson', mimeType: 'text/plain', buffer });
      await page.getByRole('region', { name: 'Problems' }).waitFor();
    },
  },
  {
    name: 'cell editor',
    at: local(''),
    open: async (page) => {
      const row = page.locator('[data-row="0"]');
      await row.getByRole('link').focus();
      if (!(await page.getByRole('columnheader').first().isVisible())) return;
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('F2');
      await row.getByRole('textbox').waitFor();
    },
  },
  {
    name: 'selected cells',
    at: local(''),
    open: async (page) => {
      await page.locator('[data-row="0"]').getByRole('link').focus();
      if (!(await page.getByRole('columnheader').first().isVisible())) return;
      await page.keyboard.press('Shift+ArrowRight');
      await page.getByRole('region', { name: 'Selected cells' }).waitFor();
    },
  },
  { name: 'sort menu', at: local(''), open: (page) => openMenu(page, /^Sort/) },
  { name: 'views menu', at: local(''), open: (page) => openMenu(page, /^Views/) },
  {
    name: 'selection and edit dialog',
    at: local(''),
    open: async (page) => {
      await page.getByLabel('Select milk', { exact: true }).check();
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Edit' }).click();
      await dialog(page);
    },
  },
  {
    name: 'storage dialog',
    at: local(''),
    open: async (page) => {
      await chooseIn(page, 'Database actions', 'Storage');
      await dialog(page);
    },
  },
  {
    name: 'no hit',
    at: local(''),
    open: async (page) => {
      await page.getByRole('searchbox').first().fill('zzz');
      await text(page, /^No documents match/);
    },
  },
  { name: 'schema', at: local('?show=schema'), open: (page) => text(page, 'price') },
  {
    name: 'field of the schema',
    at: local('?show=schema'),
    open: async (page) => {
      await press(page, 'count');
      await page.getByRole('complementary', { name: 'Field count' }).waitFor();
    },
  },
  {
    name: 'saved queries',
    at: local('/query'),
    open: async (page) => {
      await typeJson(page, '(doc) => doc.count');
      await press(page, 'Save');
      await text(page, /^Saved /);
      await openMenu(page, 'Open');
    },
  },
  {
    name: 'tree',
    at: local('/docs/milk'),
    open: async (page) => {
      await press(page, 'Tree');
      await page.getByRole('button', { name: 'Tree', pressed: true }).waitFor();
    },
  },
  { name: 'form', at: local('/docs/milk'), open: (page) => press(page, 'Form') },
  {
    name: 'menu of a field',
    at: local('/docs/milk'),
    open: async (page) => {
      await press(page, 'Form');
      await openMenu(page, 'More for count');
    },
  },
  {
    name: 'name of a new field',
    at: local('/docs/milk'),
    open: async (page) => {
      await press(page, 'Form');
      await press(page, 'Add a field');
      await page.getByLabel('Name of the new field').fill('item');
      await text(page, /There is already a field/);
    },
  },
  { name: 'merge', at: local('/docs/bread'), open: openMerge },
  {
    name: 'document changed elsewhere',
    at: local('/docs/bread'),
    open: async (page) => {
      await openMerge(page);
      await press(page, 'Not now');
      await press(page, 'Form');
      await text(page, /changed it to/);
    },
  },
  {
    name: 'versions',
    at: local('/docs/milk'),
    open: async (page) => {
      await press(page, 'Show versions');
      await press(page, /Created/);
    },
  },
  {
    name: 'JSON error',
    at: local('/docs/rice'),
    open: async (page) => {
      await press(page, 'JSON');
      await typeJson(page, '{"a": }');
      await text(page, /This isn’t valid JSON yet/);
    },
  },
  {
    name: 'query error',
    at: local('/query'),
    open: async (page) => {
      await runQuery(page, '(doc) => { throw new Error("of my own") }');
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'query results',
    at: local('/query'),
    open: async (page) => {
      await runQuery(page, '(doc, emit) => emit(doc._id, doc.count)');
      await text(page, /^3 rows/);
    },
  },
  {
    name: 'query chart',
    at: local('/query'),
    open: async (page) => {
      await runQuery(page, '(doc, emit) => emit(doc._id, doc.count)');
      await press(page, 'Chart');
      await page.getByRole('img', { name: /^Bar chart/ }).waitFor();
    },
  },
  {
    name: 'new index',
    at: local('/settings'),
    open: async (page) => {
      await press(page, 'Create index');
      await dialog(page);
    },
  },
  {
    name: 'filters of the history',
    at: local('/history'),
    open: async (page) => {
      const more = page.getByRole('button', { name: 'More filters' });
      await page.getByLabel('Document id').waitFor();
      if (await more.isVisible()) await more.click();
      await page.getByLabel('To', { exact: true }).waitFor();
    },
  },
  {
    name: 'change of the history',
    at: local('/history'),
    open: async (page) => {
      await page.locator('li[aria-posinset="1"] button[aria-expanded]').click();
      await page.getByRole('list', { name: 'Changed documents' }).waitFor();
    },
  },
  {
    name: 'past version',
    at: local('/history'),
    open: async (page) => {
      await page.locator('li[aria-posinset="1"] button[aria-expanded]').click();
      await page.getByRole('link', { name: /^Browse this version/ }).click();
      await text(page, /documents in this version$/);
    },
  },
  {
    name: 'address of another server',
    at: () => `${product.url}/fp/databases/connect`,
    open: async (page) => {
      await press(page, 'Use another server');
      await page.getByLabel('Endpoint').fill('not an address');
      await page.getByLabel('Local name').fill('elsewhere');
      await press(page, 'Connect');
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'connection to another server',
    at: () => `${product.url}/fp/databases/connect?${ELSEWHERE}`,
    open: (page) => page.getByRole('button', { name: /^Continue at/ }).waitFor(),
  },
];

const ELSEWHERE = new URLSearchParams({
  localName: 'elsewhere',
  remoteName: 'elsewhere',
  endpoint: 'https://other.example',
});

const CLOUD: readonly State[] = [
  { name: 'account menu', at: cloud('/account'), open: (page) => openMenu(page, /^Account of/) },
  ...(['Bytes', 'Requests', 'Storage'] as const).map((name) => ({
    name: `usage: ${name}`,
    at: () => `${paths.tenant}/overview`,
    open: async (page: Page) => {
      await press(page, name);
      await page.getByRole('img', { name: /^Bar chart/ }).waitFor();
    },
  })),
  {
    name: 'search for a person',
    at: () => `${paths.tenant}/members`,
    open: async (page) => {
      await page.getByLabel('Email', { exact: true }).fill('nobody@example.com');
      await page.getByRole('button', { name: 'Invite by email' }).waitFor();
    },
  },
  {
    name: 'pending invite',
    at: () => `${paths.tenant}/members`,
    open: (page) => page.getByRole('button', { name: 'Resend' }).first().waitFor(),
  },
  {
    name: 'pending share',
    at: () => `${paths.ledger}/sharing`,
    open: (page) => text(page, '1 of 5 shares'),
  },
  {
    name: 'sync and storage',
    at: () => `${paths.ledger}/documents`,
    open: async (page) => {
      await chooseIn(page, 'Database actions', 'Sync and storage');
      await dialog(page);
    },
  },
  {
    name: 'choice of a database for an app',
    at: cloud('/api/token?back_url=http%3A%2F%2Flocalhost%3A1%2F'),
    open: (page) => page.getByRole('button', { name: /^Allow/ }).waitFor(),
  },
  {
    name: 'actions for a user',
    at: cloud('/operator/users'),
    open: (page) => openMenu(page, /^Actions for/),
  },
  ...(['Create a token', 'Register an application'] as const).map((name) => ({
    name,
    at: () => `${paths.tenant}/admin`,
    open: async (page: Page) => {
      await press(page, name);
      await dialog(page);
    },
  })),
  ...['', '/users', '/waitlist', '/gateways', '/backups', '/audit', '/mails', '/unknown'].map((path) => ({
    name: `operator page ${path}`,
    at: cloud(`/operator${path}`),
    open: (page: Page) => page.getByRole('heading', { level: 1 }).waitFor(),
  })),
  {
    name: 'limits of a tenant',
    at: cloud('/operator'),
    open: async (page) => {
      await press(page, /Analytical Engines/);
      await page.getByLabel('Storage', { exact: true }).waitFor();
    },
  },
  {
    name: 'invite for somebody else',
    at: () => paths.invite,
    open: (page) => text(page, /You are signed in as/),
  },
];

const SIGNED_OUT: readonly State[] = [
  { name: 'invite', at: () => paths.invite, open: (page) => page.getByLabel('Password').waitFor() },
  {
    name: 'ended invite',
    at: cloud(`/invite#${'x'.repeat(43)}`),
    open: (page) => page.getByRole('alert').waitFor(),
  },
  {
    name: 'wrong password',
    at: () => `${product.url}/login`,
    open: async (page) => {
      await page.getByLabel('Email').fill('ada@example.com');
      await page.getByLabel('Password').fill(`${PASSWORD} wrong`);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('alert').waitFor();
    },
  },
];

async function faultsIn(page: Page, states: readonly State[], look: Look, shown: string): Promise<string[]> {
  const faults: string[] = [];
  for (const { name, at, open } of states) {
    await page.goto('about:blank');
    await page.goto(at());
    await wear(page, look);
    // Menus and dialogs of the previous state must not stay open.
    await page.goto('about:blank');
    await page.goto(at());
    await open(page);
    faults.push(...(await faultsOf(page)).map((fault) => `${name} ${shown}: ${fault}`));
  }
  return faults;
}

/** Checks the states with all looks, and then in forced colours. */
async function faultsOfAll(page: Page, states: readonly State[]): Promise<string[]> {
  const faults: string[] = [];
  for (const look of LOOKS)
    faults.push(...(await faultsIn(page, states, look, `${look.width} ${look.theme}`)));
  await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' });
  faults.push(...(await faultsIn(page, states, WIDE, 'in forced colours')));
  await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'none' });
  return faults;
}

const WIDE: Look = { width: 1280, height: 800, theme: 'light' };

test.skipIf(!isNight).each([
  ['local databases', () => faultsOfAll(ada.page, LOCAL)],
  ['the cloud', () => faultsOfAll(ada.page, CLOUD)],
  ['signed-out visitors', async () => faultsOfAll((await visitor(browser)).page, SIGNED_OUT)],
] as const)(
  '[U13] shows menus, dialogs, errors, empty results and charts of %s accessibly',
  async (_, faults) => {
    expect(await faults()).toEqual([]);
  },
  900_000,
);

test.skipIf(!isNight)(
  '[U13] shows menus, dialogs, errors, empty results and charts with text of twice the size',
  async () => {
    const larger = await launchChromium('--blink-settings=defaultFontSize=32');
    const context = await larger.newContext({
      // The storage lists databases that only the other browser has.
      storageState: { ...(await ada.context.storageState()), origins: [] },
    });
    const page = await context.newPage();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await makeDatabase(page, product.url, 'groceries', GROCERIES);
    const faults = await faultsIn(page, [...LOCAL, ...CLOUD], WIDE, 'with larger text');
    await larger.close();
    expect(faults).toEqual([]);
  },
  900_000,
);
