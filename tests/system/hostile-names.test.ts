/**
 * Documents whose field names and ids are also names of properties of objects, promises, addresses
 * or forms. Every page must treat these names as data.
 */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { listedName } from '../../packages/console/src/local/database-names.ts';
import {
  HOSTILE_IDS,
  HOSTILE_NAMES,
  withEveryName,
} from '../../packages/console/src/values/hostile-names.fixture.ts';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { importDocuments, makeDatabase, openImport, typeText } from './local.fixture.ts';
import { must, signUpAt } from './people.fixture.ts';
import { type Visitor, visitor, withProduct } from './product.fixture.ts';

let ada: Visitor;
let page: Page;
let url: string;
let ledgerPath: string;

const DOCS = HOSTILE_IDS.map((id, n) => withEveryName(id, (name, at) => `${n}.${at} ${name.slice(0, 20)}`));
/** Returns the visible label of a column. */
const labelOf = (name: string): string => (name === '' ? '(empty name)' : name.slice(0, 120));
/** Names whose labels are distinct. */
const LOOKED_AT = HOSTILE_NAMES.filter((name) => name !== ' ');
/**
 * The first columns, which fit in the window even after they are widened. Columns outside of the
 * window aren't rendered.
 */
const WIDENED = LOOKED_AT.slice(0, budget({ commit: 1, night: 4, release: 4 }));
const isNight = budget({ commit: 0, night: 1, release: 1 }) === 1;
/** The quick budget skips slow tests that resemble others. */
const atNight = test.skipIf(!isNight);
/**
 * Names for slow tests. The quick budget uses one of them. The others also use further names of
 * properties, an empty name, a quoted one and a long one.
 */
const WORKED_WITH = LOOKED_AT.filter(
  (name) =>
    name === '__proto__' ||
    (isNight && (['', 'constructor', 'then', '"quoted"'].includes(name) || name.length > 1000)),
);

/** Slow tests use every eighth name and id in the quick budget, and all of them in the others. */
const isUsed = (_: unknown, at: number): boolean => at % budget({ commit: 8, night: 1, release: 1 }) === 0;

withProduct(async ({ product, browser }) => {
  url = product.url;
  ada = await visitor(browser, { viewport: { width: 4800, height: 900 } });
  page = ada.page;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const admin = await signUpAt(page, url, 'ada@example.com', 'Ada');
  const { tenantId } = must(await admin.createTenant('constructor'));
  const { ledgerId } = must(await admin.createLedger({ tenantId, name: '__proto__' }));
  ledgerPath = `/fp/cloud/tenants/${tenantId}/ledgers/${ledgerId}`;
  await makeDatabase(page, url, 'names', DOCS);
});

const go = (path: string) => page.goto(url + path);
const grid = () => page.getByRole('grid');
const heading = (name: string) =>
  grid()
    .getByRole('columnheader')
    .filter({ has: page.getByRole('button', { name: menuOf(name), exact: true }) });
const menuOf = (name: string): string => `Column ${labelOf(name)}${name.length > 120 ? '…' : ''}`;
const isWhole = async () => {
  await grid().getByRole('link').first().waitFor({ state: 'visible' });
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
};

async function openMenu(name: string): Promise<void> {
  await heading(name).hover();
  await page.getByRole('button', { name: menuOf(name), exact: true }).click();
  await page.getByRole('menu').waitFor({ state: 'visible' });
}

async function choose(item: string): Promise<void> {
  await page.getByRole('menuitem', { name: item, exact: true }).click();
  await page.getByRole('menu').waitFor({ state: 'hidden' });
}

async function walksTable(path: string): Promise<void> {
  await go(path);
  await isWhole();
  for (const name of LOOKED_AT) {
    await heading(name).waitFor({ state: 'visible' });
    const box = await heading(name).boundingBox();
    expect(box?.width).toBeGreaterThan(70);
    const cells = grid().locator(`[data-column="${CSS_ESCAPED(name)}"]`);
    await expect.poll(() => cells.first().textContent()).toContain(name.slice(0, 20).trim());
  }
}

const CSS_ESCAPED = (name: string): string => name.replace(/["\\]/g, '\\$&');

describe('the table', () => {
  test('[S10] shows a column for each field', async () => {
    await walksTable('/fp/databases/names');
    await expect.poll(() => page.getByRole('status').first().textContent()).toBe(`${DOCS.length} documents`);
  });

  test('[S10] sorts, filters and widens with the menu of each column, and saves the layout', async () => {
    await go('/fp/databases/names');
    await isWhole();
    for (const name of WORKED_WITH) {
      await openMenu(name);
      expect(await page.getByRole('menuitem', { name: 'Reset width' }).count()).toBe(0);
      await choose('Sort descending');
      await expect.poll(() => heading(name).getAttribute('aria-sort')).toBe('descending');
      await openMenu(name);
      await choose('Show only documents with this field');
      await page.getByText(`${DOCS.length} documents found`).waitFor({ state: 'visible' });
      await page.getByRole('button', { name: 'Clear all' }).click();
    }
    for (const name of WIDENED) {
      await openMenu(name);
      await choose('Make wide');
      await expect.poll(async () => (await heading(name).boundingBox())?.width).toBe(480);
    }
    await page.reload();
    await isWhole();
    await expect.poll(() => heading(WORKED_WITH.at(-1) ?? '').getAttribute('aria-sort')).toBe('descending');
    for (const name of WIDENED) {
      expect((await heading(name).boundingBox())?.width).toBe(480);
      await openMenu(name);
      await choose('Reset width');
    }
  });

  atNight('[S10] hides each column, also after a reload, and shows all columns again on Reset', async () => {
    await go('/fp/databases/names');
    await isWhole();
    for (const name of WORKED_WITH) {
      await openMenu(name);
      await choose('Hide');
      await expect.poll(() => heading(name).count()).toBe(0);
    }
    await page.reload();
    await isWhole();
    for (const name of WORKED_WITH) expect(await heading(name).count()).toBe(0);
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    for (const name of WORKED_WITH) await heading(name).waitFor({ state: 'visible' });
  });

  test('[S10] finds documents by a condition on each field, and by text', async () => {
    await go('/fp/databases/names');
    await isWhole();
    for (const [at, name] of [...HOSTILE_NAMES.entries()].filter(isUsed)) {
      await page.getByRole('button', { name: /^Filter/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Filter' });
      await dialog.getByLabel('Field').selectOption(name);
      await dialog.getByLabel('Value').fill(`9.${at} `);
      await dialog.getByRole('button', { name: 'Add condition' }).click();
      await page.getByText('1 document found').waitFor({ state: 'visible' });
      await page.getByRole('button', { name: 'Clear all' }).click();
      await page.getByText(`${DOCS.length} documents`, { exact: true }).waitFor({ state: 'visible' });
    }
    await page.getByLabel('Find in documents').fill('5.1 __proto__');
    await page.getByText('1 document found').waitFor({ state: 'visible' });
  });

  test('[S10] edits a cell of each field', async () => {
    for (const name of WORKED_WITH) {
      await go(`/fp/databases/names?where=${encodeURIComponent('["_id","equals","\\"then\\""]')}`);
      await isWhole();
      await grid()
        .locator(`[data-row="0"] [data-column="${CSS_ESCAPED(name)}"]`)
        .focus();
      await page.keyboard.press('F2');
      const editor = grid().getByRole('textbox');
      await editor.fill(`changed ${name.slice(0, 20)}`);
      await editor.press('Enter');
      await page
        .getByText(/^Changed .* of then\.$/)
        .first()
        .waitFor({ state: 'visible' });
    }
    await go('/fp/databases/names/docs/then');
    const text = page.locator('.cm-content');
    await expect.poll(() => text.textContent()).toContain('"__proto__": "changed __proto__"');
  });
});

describe('documents', () => {
  test('[S10] opens and saves the document of each id, and shows the document’s history', async () => {
    for (const id of HOSTILE_IDS.filter(isUsed)) {
      await go(`/fp/databases/names/docs/${encodeURIComponent(id)}`);
      await page.locator('.cm-content').waitFor();
      await expect.poll(() => page.locator('.cm-content').textContent()).toContain('"hasOwnProperty"');
      const fields = Object.fromEntries(HOSTILE_NAMES.map((name) => [name, { [name]: 'saved' }]));
      await typeText(page, /document/i, JSON.stringify(fields));
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved in this browser.').waitFor({ state: 'visible' });
      await page.getByRole('button', { name: 'Show versions' }).click();
      await page
        .getByRole('button', { name: / → .* and \d+ more/ })
        .first()
        .click();
      await expect.poll(() => page.getByRole('table').textContent()).toContain('"__proto__": {');
    }
  });

  atNight('[S10] creates a document with the fields and the id that were typed', async () => {
    for (const id of ['toJSON', '__lookupGetter__', 'isPrototypeOf']) {
      await go('/fp/databases/names/docs/new');
      await page.locator('.cm-content').waitFor();
      await typeText(page, /document/i, JSON.stringify(withEveryName(id, (name) => name)));
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.waitForURL((now) => now.pathname.endsWith(`/docs/${id}`));
      await page.reload();
      await expect
        .poll(() => page.locator('.cm-content').textContent())
        .toContain('"__proto__": "__proto__"');
    }
  });

  atNight('[S10] shows a change from another tab next to a typed change, and merges both', async () => {
    const other = await page.context().newPage();
    for (const one of [page, other]) {
      await one.goto(`${url}/fp/databases/names/docs/constructor`);
      await one.locator('.cm-content').waitFor();
      await expect.poll(() => one.locator('.cm-content').textContent()).toContain('"then"');
    }
    await typeText(page, /document/i, JSON.stringify(withEveryName('constructor', () => 'mine')));
    await typeText(other, /document/i, JSON.stringify(withEveryName('constructor', () => 'theirs')));
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByText('Saved in this browser.').waitFor({ state: 'visible' });
    await other.close();
    await page.getByRole('button', { name: /merge/i }).click();
    const merge = page.getByRole('region', { name: 'Merge both versions' }).or(page.getByLabel('Merge'));
    for (const name of LOOKED_AT)
      await merge
        .getByText(labelOf(name) + (name.length > 120 ? '…' : ''), { exact: true })
        .first()
        .waitFor({ state: 'visible' });
  });
});

test('[S10] shows changes, documents, comparison and conflicts', async () => {
  for (const view of ['', '?view=documents', '?view=compare', '?view=conflicts', '?view=check']) {
    await go(`/fp/databases/names/history${view}`);
    await page.getByRole('tablist', { name: 'History' }).waitFor();
    await expect.poll(() => page.getByText('Loading...').filter({ visible: true }).count()).toBe(0);
  }
  await go('/fp/databases/names/history?view=documents');
  // The link shows the title of the document, and is named after both.
  await grid()
    .getByRole('link', { name: /__proto__$/ })
    .first()
    .waitFor({ state: 'visible' });
});

test('[S10] reads each field in a map function, and emits each name as a key', async () => {
  await go('/fp/databases/names/query');
  for (const name of HOSTILE_NAMES.filter(isUsed)) {
    const source = `(doc, emit) => { if (Object.hasOwn(doc, ${JSON.stringify(name)})) emit(${JSON.stringify(name)}, doc[${JSON.stringify(name)}]); }`;
    await typeText(page, 'Map function', source);
    await page.getByRole('button', { name: 'Query', exact: true }).click();
    await page
      .getByText(/^(?:1[5-9]|20) rows in/)
      .first()
      .waitFor({ state: 'visible' });
    expect(await page.getByRole('alert').count()).toBe(0);
  }
  await page.getByLabel('Query name').fill('__proto__');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL(/\/query\/[^/]+$/);
  // A database of the cloud has the same name.
  await page
    .locator('#sidebar a[aria-current="page"]')
    .and(page.getByTitle('__proto__', { exact: true }))
    .waitFor({ state: 'visible' });
});

describe('files', () => {
  const formats = [
    ['JSON', 'json'],
    ...(isNight
      ? ([
          ['CSV', 'csv'],
          ['NDJSON, one document per line', 'ndjson'],
        ] as const)
      : []),
  ] as const;

  test.each(formats)('[S10] imports exported %s unchanged', async (item, end) => {
    await makeDatabase(page, url, `from-${end}`, DOCS);
    await page.getByRole('button', { name: 'More table actions' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: item, exact: true }).click();
    const file = await (await download).path();
    const text = readFileSync(file, 'utf8');
    if (end === 'csv') expect(text).toContain(",'=1+1");
    await makeDatabase(page, url, `to-${end}`, []);
    await openImport(page);
    await page.getByLabel('Choose files to import').setInputFiles({
      name: `names.${end}`,
      mimeType: 'text/plain',
      buffer: Buffer.from(text),
    });
    await page.getByRole('button', { name: `Import ${DOCS.length} documents` }).click();
    await page.getByText(`Imported ${DOCS.length} documents.`).waitFor({ state: 'visible' });
    await walksTable(`/fp/databases/to-${end}`);
  });

  atNight('[S10] exports CSV unchanged on request', async () => {
    await go('/fp/databases/names');
    await page.getByRole('button', { name: 'More table actions' }).click();
    const option = page.getByRole('menuitemcheckbox', { name: 'Safe for spreadsheets' });
    await expect.poll(() => option.getAttribute('aria-checked')).toBe('true');
    await ada.shot('export-menu');
    await option.click();
    await expect.poll(() => option.getAttribute('aria-checked')).toBe('false');
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'CSV', exact: true }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    expect(text).toContain(',=1+1');
    await openImport(page);
    await page.getByLabel('Choose files to import').setInputFiles({
      name: 'names.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from("_id,a\r\nx,'=1\r\n"),
    });
    await page.getByText(/Remove the apostrophe before = \+ - @ in 1 cell/).waitFor({ state: 'visible' });
    await ada.shot('import-apostrophes');
  });

  test('[S10] keeps hostile names of attached files', async () => {
    await go('/fp/databases/names/docs/valueOf');
    await page.locator('.cm-content').waitFor();
    const names = ['__proto__', 'constructor', 'toString'];
    await page
      .getByLabel('Files to add')
      .setInputFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })));
    for (const name of names)
      await page.getByRole('button', { name: `Remove ${name}`, exact: true }).waitFor({ state: 'visible' });
    await page.reload();
    await page.getByRole('button', { name: 'Remove __proto__', exact: true }).click();
    await page.getByText('Removed __proto__.').waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Remove __proto__', exact: true }).waitFor({ state: 'visible' });
  });
});

test('[S10] lists, opens and deletes databases with hostile names', async () => {
  for (const name of isNight ? ['constructor', '__proto__', 'toString', 'then'] : ['__proto__', 'then']) {
    await go('/fp/databases/new');
    await page.getByRole('textbox', { name: /name/i }).fill(name);
    await page.getByRole('button', { name: /create/i }).click();
    await page.getByText('No documents found. Create a new document to get started.').waitFor();
    await importDocuments(page, DOCS.slice(0, 2));
    await page
      .getByRole('navigation', { name: 'Local databases' })
      .getByTitle(listedName(name), { exact: true })
      .waitFor({ state: 'visible' });
    for (const below of [
      '',
      '/history',
      '/query',
      '/sharing',
      '/settings',
      '/docs/constructor',
      '/docs/new',
    ]) {
      await go(`${new URL(page.url()).pathname.split('/').slice(0, 4).join('/')}${below}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await expect.poll(() => page.getByText('Loading...').filter({ visible: true }).count()).toBe(0);
    }
  }
});

test('[S10] shows the pages of a cloud database', async () => {
  await go(`${ledgerPath}/documents`);
  await page.getByText('No documents found. Create a new document to get started.').waitFor();
  await importDocuments(page, DOCS);
  await walksTable(`${ledgerPath}/documents`);
  for (const below of [
    '/documents/__proto__',
    '/documents/new',
    '/history',
    '/query',
    '/settings',
    '/sharing',
  ]) {
    await go(ledgerPath + below);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await expect.poll(() => page.getByText('Loading...').filter({ visible: true }).count()).toBe(0);
  }
});

test('[S10] reports no failed pages', () => {
  expect(ada.problems).toEqual([]);
});
