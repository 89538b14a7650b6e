/** The documentation site as the server serves it, in a real browser. */
import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Product, visitor, withProduct } from './product.fixture.ts';

let product: Product;
let browser: Browser;
withProduct((opened) => {
  ({ product, browser } = opened);
});

test('leads from the header of the console to the documentation, and from there to any page', async () => {
  const { page, context, problems, shot } = await visitor(browser);
  await page.goto(`${product.url}/fp/databases`);
  const opened = context.waitForEvent('page');
  await page
    .getByRole('navigation', { name: 'About Fixpoint' })
    .getByRole('link', { name: 'Documentation' })
    .click();
  const docs = await opened;
  docs.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await docs.getByRole('heading', { level: 1, name: 'Fixpoint' }).waitFor();
  await docs
    .getByRole('navigation', { name: 'Documentation' })
    .getByRole('link', { name: 'Sync', exact: true })
    .click();
  await docs.waitForURL(/\/docs\/guide\/sync\.html$/);
  await docs.getByRole('heading', { level: 1 }).waitFor();

  await docs.keyboard.press('/');
  await docs.keyboard.type('recovery code');
  const hits = docs.locator('#found').getByRole('link');
  await hits.first().waitFor();
  await hits.first().click();
  await docs.waitForURL(/\.html#/);
  await docs.screenshot({ path: 'artefacts/documentation.png' });
  await shot('documentation-link');
  expect(problems).toEqual([]);
  await context.close();
});

test('fits on a small screen in dark mode, with a closed list of pages', async () => {
  const { page, context, problems, shot } = await visitor(browser);
  await page.setViewportSize({ width: 375, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${product.url}/docs`);
  await page.waitForURL(/\/docs\/index\.html$/);
  await page.getByText('All pages').waitFor();
  expect(await page.getByRole('link', { name: 'Sync', exact: true }).isVisible()).toBe(false);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  await page.getByText('All pages').click();
  await page.getByRole('link', { name: 'Sync', exact: true }).waitFor();
  await shot('documentation-dark-375');
  expect(problems).toEqual([]);
  await context.close();
});

test('answers /community with a page of the documentation, unless an address is configured', async () => {
  const answer = await fetch(`${product.url}/community`, { redirect: 'manual' });
  expect(answer.status).toBe(302);
  const page = await fetch(new URL(answer.headers.get('location') ?? '', product.url));
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<h1>Contributing');
});
