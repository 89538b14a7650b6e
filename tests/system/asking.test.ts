/** Filters as chips and as text, saved views, reduced queries and the schema, in a real browser. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { withEveryName } from '../../packages/console/src/values/hostile-names.fixture.ts';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { faultsOf, LOOKS, makeDatabase, typeText, wear, withConsole } from './local.fixture.ts';
import { chooseIn, type Visitor } from './product.fixture.ts';

let url: string;
let ada: Visitor;
let page: Page;

const COUNT = 6000;
const scopeOf = (n: number) => ['I', 'M', 'S'][n % 3] as string;
const DOCS = [
  ...Array.from({ length: COUNT }, (_, n) => ({
    _id: `d-${String(n).padStart(4, '0')}`,
    scope: scopeOf(n),
    type: n % 2 === 0 ? 'L' : 'A',
    speakers: n % 3000 === 7 ? `${n} million` : n,
    place: { city: `City ${n % 40}` },
    name: n % 500 === 3 ? `Creole ${n}` : `Language ${n}`,
  })),
  withEveryName('e-names', (_name, at) => at),
];

withConsole(async (opened) => {
  ({ url, ada } = opened);
  page = ada.page;
  await makeDatabase(page, url, 'asking', DOCS);
});

const open = (search = '') => page.goto(`${url}/fp/databases/asking${search}`);
const filtered = (text: string) => open(`?${new URLSearchParams({ filter: text })}`);
const found = (count: number) =>
  page
    .getByText(`${count.toLocaleString('en')} ${count === 1 ? 'document' : 'documents'} found`, {
      exact: true,
    })
    .waitFor({ state: 'visible' });
const filterIn = () => new URL(page.url()).searchParams.get('filter');

describe('a filter', () => {
  const FILTERS: readonly [string, number][] = [
    ['(scope = "M" or type = "A") and not name contains "creole"', 3988],
    ['__proto__ exists and constructor = 0 and "hasOwnProperty" exists', 1],
    ['name contains "CREOLE"', 12],
    ['speakers is text', 2],
    ['place.city = "City 7" and speakers < 100', 2],
    ['name matches /^creole \\d{4}$/i', 10],
    ['"a.b" exists or toString > 100', 1],
    ['scope is missing', 1],
  ];
  const tried = FILTERS.slice(0, budget({ commit: 2, night: 8, release: 8 }));
  test.each(tried)('finds the documents of %s', async (text, count) => {
    await filtered(text);
    await found(count);
  });

  test('is written with suggestions, and says where a mistake is', async () => {
    await filtered('scope = "M"');
    await found(2000);
    await page.getByRole('button', { name: 'Edit as text' }).click();
    const field = page.getByRole('combobox', { name: 'Filter as text' });
    await field.press('End');
    await field.pressSequentially(' and spea');
    await page.getByRole('option', { name: /^speakers/ }).waitFor({ state: 'visible' });
    await field.press('ArrowDown');
    await field.press('Enter');
    await field.pressSequentially('>');
    await field.press('Escape');
    await field.press('Enter');
    await page.getByText('Column 27: Expected a value here.').waitFor({ state: 'visible' });
    await field.pressSequentially(' 5990');
    await field.press('Enter');
    await found(3);
    expect(filterIn()).toBe('scope = "M" and speakers > 5990');
  });

  test('is changed by keyboard, and each change is a step of the history', async () => {
    await filtered('scope = "M" and speakers > 5990');
    await found(3);
    await page.getByRole('button', { name: 'Edit condition: speakers is greater than 5990' }).press('Delete');
    await found(2000);
    await page.goBack();
    await found(3);
    expect(filterIn()).toBe('scope = "M" and speakers > 5990');
  });

  test('gets an index that answers it from then on', async () => {
    await filtered('speakers >= 5990 and speakers < 6000');
    await found(10);
    const button = page.getByRole('button', { name: 'Create an index on speakers' });
    // A fast machine needs no index for so few documents.
    if (!(await button.isVisible())) return;
    await button.click();
    await page.getByText('Answered by the index on speakers.').waitFor({ state: 'visible' });
    // The engine stores new indexes two seconds later.
    await page.waitForTimeout(3000);
    await page.reload();
    await found(10);
    await page.getByText('Answered by the index on speakers.').waitFor({ state: 'visible' });
  });
});

test('saves a view with its columns, and opens it from the sidebar', async () => {
  await open(`?${new URLSearchParams({ filter: 'type = "A"', sort: '-speakers' })}`);
  await found(3000);
  await chooseIn(page, 'Views', 'Save as a new view');
  await page.getByLabel('Name of the view').fill('Ancient');
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByText('Saved the view "Ancient".').waitFor({ state: 'visible' });
  await open();
  await page.getByText('6,001 documents', { exact: true }).waitFor({ state: 'visible' });
  await page.getByRole('button', { name: 'Saved Queries' }).click();
  await page.getByRole('link', { name: 'Ancient' }).click();
  await found(3000);
  expect(filterIn()).toBe('type = "A"');
  await page.getByRole('button', { name: 'Ancient' }).waitFor({ state: 'visible' });
});

describe('a query', () => {
  const write = async (source: string) => {
    await page.goto(`${url}/fp/databases/asking/query`);
    await typeText(page, 'Map function', source);
  };
  const run = () => page.getByRole('button', { name: 'Query', exact: true }).click();

  test('groups rows and draws them, with the same numbers in the table', async () => {
    await write('(doc, emit) => { if (doc.scope) emit([doc.scope, doc.type], 1); }');
    await page.getByLabel('Reduce').selectOption('count');
    await page.getByLabel('Group by').selectOption('2');
    await run();
    await page.getByText(/^6 groups from 6,000 rows in [\d,]+ ms/).waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Chart' }).click();
    const chart = page.getByRole('img', { name: /^Bar chart: count by key/ });
    await chart.waitFor({ state: 'visible' });
    await chart.focus();
    await chart.press('ArrowRight');
    await page.getByText('I', { exact: true }).first().waitFor({ state: 'visible' });
    expect(
      await page
        .getByRole('gridcell', { name: '1,000' })
        .or(page.getByRole('gridcell', { name: '1000' }))
        .count(),
    ).toBe(6);
  });

  test('says in which line and column its function is wrong', async () => {
    await write('(doc, emit) => {\n  emit(doc.scope, scpe);\n}');
    await run();
    await page.getByText('Line 2, column 19').waitFor({ state: 'visible' });
  });
});

describe('the schema', () => {
  test('leads from an outlier to its documents', async () => {
    await open('?show=schema');
    await page.getByText(/^All 6,001 documents read in/).waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'speakers', exact: true }).click();
    await page.getByRole('link', { name: /^Show in table: 2 documents with text/ }).click();
    await found(2);
    expect(filterIn()).toBe('speakers is text');
  });
});

test.each(LOOKS)('has no accessibility faults at $width px, $theme', async (look) => {
  await open();
  await wear(page, look);
  for (const search of [
    `?${new URLSearchParams({ filter: '(scope = "M" or type = "A") and not name contains "creole"' })}`,
    `?${new URLSearchParams({ filter: 'scope =' })}`,
    '?show=schema',
  ]) {
    await open(search);
    const isReady = search.includes('show') ? page.getByText(/^All 6,001/) : page.getByRole('grid');
    await isReady.waitFor({ state: 'visible' });
    expect([search, await faultsOf(page)]).toEqual([search, []]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(look.width);
  }
  await page.goto(`${url}/fp/databases/asking/query`);
  await page.getByRole('textbox', { name: 'Map function' }).waitFor({ state: 'visible' });
  expect(await faultsOf(page)).toEqual([]);
});

test('reports no hidden problems', () => {
  expect(ada.problems).toEqual([]);
});
