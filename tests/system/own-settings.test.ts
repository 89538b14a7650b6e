/** The console follows settings of the browser or system: larger text and forced colours. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { makeDatabase, withConsole } from './local.fixture.ts';
import { chooseIn, type Visitor } from './product.fixture.ts';

let url: string;
let ada: Visitor;
let page: Page;

withConsole(async (opened) => {
  ({ url, ada } = opened);
  page = ada.page;
  const docs = Array.from({ length: 30 }, (_, n) => ({ _id: `row-${n}`, title: `Title ${n}` }));
  await makeDatabase(page, url, 'library', docs);
});

/** Returns the positions of all elements that match a selector, from top to bottom. */
const boxesOf = (of: Page, selector: string) =>
  of.locator(selector).evaluateAll((all) =>
    all
      .map((one) => one.getBoundingClientRect())
      .map(({ top, bottom, height }) => ({ top, bottom, height }))
      .sort((a, b) => a.top - b.top),
  );

test('[U13] makes room for text of twice the size: rows, commits and icons grow with the text', async () => {
  const larger = await ada.context.newPage();
  await larger.addInitScript(() => {
    // Sets the size as soon as the page has a root element.
    new MutationObserver((_, observer) => {
      document.documentElement.style.fontSize = '32px';
      observer.disconnect();
    }).observe(document, { childList: true });
  });
  await larger.goto(`${url}/fp/databases/library`);
  await larger.getByRole('link', { name: 'row-0', exact: true }).waitFor();
  const rows = await boxesOf(larger, '[data-row]');
  expect(rows.length).toBeGreaterThan(3);
  for (const [at, row] of rows.entries())
    expect([row.height, row.top - (rows[at - 1]?.bottom ?? row.top)]).toEqual([64, 0]);
  const text = larger.locator('[data-row] [data-column=title]').first();
  expect(await text.evaluate((cell) => getComputedStyle(cell).fontSize)).toBe('26px');
  const [icon] = await boxesOf(larger, '[data-row] svg');
  expect(icon?.height).toBe(30);

  await larger.goto(`${url}/fp/databases/library/history`);
  await larger.getByText('Database created').waitFor();
  const commits = await boxesOf(larger, 'li[aria-posinset]');
  const graphs = await boxesOf(larger, 'li[aria-posinset] > div > svg');
  // The lines of the graph must have no gaps between rows.
  for (const [at, { height }] of commits.entries())
    expect(height - (graphs[at]?.height ?? 0)).toBeLessThan(2);
  await larger.close();
});

/** Returns the colours of an element. */
const colours = (name: string, role: 'button' | 'link' | 'tab') =>
  page
    .getByRole(role, { name, exact: true })
    .first()
    .evaluate((one) => {
      const { backgroundColor, color } = getComputedStyle(one);
      return { backgroundColor, color };
    });

test('[U13] distinguishes selected, pressed and current items in forced colours', async () => {
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto(`${url}/fp/databases/library`);
  await page.getByRole('link', { name: 'row-0', exact: true }).waitFor();
  const [here, other] = [await colours('All Documents', 'link'), await colours('History', 'link')];
  expect(here.backgroundColor).not.toBe(other.backgroundColor);
  expect(here.color).not.toBe(other.color);
  const foremost = await colours('New Document', 'link');
  expect(foremost).toEqual(here);
  const free = await colours('Columns', 'button');
  await chooseIn(page, 'Database actions', 'Lock');
  // The test polls, because colours may change over several frames.
  await expect
    .poll(async () => (await colours('Locked', 'button')).backgroundColor)
    .not.toBe(free.backgroundColor);
  await page.getByRole('button', { name: 'Locked', exact: true }).click();

  await page.goto(`${url}/fp/databases/library/history`);
  const shown = page.getByRole('tab', { name: 'Changes', exact: true });
  await shown.waitFor();
  expect((await colours('Changes', 'tab')).backgroundColor).not.toBe(
    (await colours('By document', 'tab')).backgroundColor,
  );
  expect(ada.problems).toEqual([]);
});
