/**
 * Opens every route of the specification as a signed-in and as a signed-out visitor, in wide and
 * narrow windows, in both themes.
 */
import { mkdirSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { faultsOf, type Look, makeDatabase, ROUTE_LOOKS } from './local.fixture.ts';
import { must, signUpAt, writeDocument } from './people.fixture.ts';
import { launchChromium, type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';
import {
  LEDGER,
  LOCAL,
  LOGIN,
  RARE,
  type Row,
  SIGNED_IN,
  SIGNED_OUT,
  TENANT,
} from './route-table.fixture.ts';

const DOCS = [
  { _id: 'milk', item: 'milk', count: 2, tags: ['cold', 'white'], price: { eur: 1.2 } },
  { _id: 'bread', item: 'A long loaf of bread '.repeat(8), count: 1 },
];

let product: Product;
let browser: Browser;
let ada: Visitor;
let stranger: Visitor;
/** Violations of the content policy that the pages reported. */
const violations: string[] = [];
const ids = { tenant: '', empty: '', ledger: '' };

withProduct(async (opened) => {
  ({ product, browser } = opened);
  mkdirSync('artefacts', { recursive: true });
  // The policy applies to the service worker, too, and blocking it is a warning.
  const open = () => visitor(browser, { serviceWorkers: 'allow' });
  [ada, stranger] = await Promise.all([open(), open()]);
  for (const { page, context, problems } of [ada, stranger]) {
    await tellViolations(context);
    page.on('console', (message) => {
      if (message.type() === 'warning') problems.push(`warning: ${message.text()}`);
    });
    await page.emulateMedia({ reducedMotion: 'reduce' });
  }
  const admin = await signUpAt(ada.page, product.url, 'ada@example.com', 'Ada Lovelace');
  const tenant = must(await admin.createTenant(TENANT));
  const ledger = must(await admin.createLedger({ tenantId: tenant.tenantId, name: LEDGER }));
  const empty = must(await admin.createLedger({ tenantId: tenant.tenantId, name: 'empty' }));
  Object.assign(ids, { tenant: tenant.tenantId, ledger: ledger.ledgerId, empty: empty.ledgerId });
  await writeDocument(ada.page, `${product.url}${path('/fp/cloud/tenants/T/ledgers/L/documents/new')}`, {
    _id: 'note-1',
    title: 'On the engine',
    pages: 66,
  });
  for (const { page } of [ada, stranger]) await makeDatabase(page, product.url, 'groceries', DOCS);
});

async function tellViolations(context: BrowserContext): Promise<void> {
  await context.exposeFunction('tellViolation', (text: string) => violations.push(text));
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
      const { tellViolation } = window as unknown as { tellViolation(text: string): void };
      tellViolation(`${location.pathname}: ${violatedDirective} ${blockedURI} ${sourceFile}`);
    });
  });
}

/** Replaces the letters in the path of a row with the ids of the created tenant and ledgers. */
const path = (row: string) =>
  row
    .replace('/T/', `/${ids.tenant}/`)
    .replace(/\/T$/, `/${ids.tenant}`)
    .replace('/L', `/${ids.ledger}`)
    .replace('/E', `/${ids.empty}`);

/** Opens the page of a row. Returns the differences between the page and the row. */
async function open(page: Page, { at, to = at, heading, texts = [], title }: Row): Promise<string[]> {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(product.url + path(at));
  const main = page.getByRole('main');
  const there = [
    page.getByRole('heading', { level: 1, name: heading, exact: true }),
    ...texts.map((text) =>
      main
        .getByText(text, { exact: typeof text === 'string' })
        .or(main.getByLabel(text))
        .filter({ visible: true })
        .first(),
    ),
  ];
  const faults: string[] = [];
  for (const [n, one] of there.entries())
    await one
      .first()
      .waitFor({ state: 'visible' })
      .catch(() => faults.push(`does not show ${n === 0 ? heading : texts[n - 1]}`));
  const mains = await main.count();
  if (mains !== 1) faults.push(`has ${mains} main parts`);
  await expect.poll(() => main.getByText('Loading...').filter({ visible: true }).count()).toBe(0);
  const wanted = to === LOGIN ? `/login?redirect_url=${encodeURIComponent(path(at))}` : path(to);
  await expect
    .poll(() => page.url())
    .toBe(new URL(wanted, product.url).href)
    .catch(() => faults.push(`leads to ${page.url()}`));
  await expect
    .poll(() => page.title())
    .toMatch(title)
    .catch(async () => faults.push(`is called ${await page.title()}`));
  return faults;
}

/** Returns the faults of the open page with the given window size and theme. */
async function lookAt(page: Page, { width, height, theme }: Look, name: string): Promise<string[]> {
  await page.setViewportSize({ width, height });
  await page.evaluate(async (dark) => {
    document.documentElement.classList.toggle('dark', dark);
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  }, theme === 'dark');
  const faults = await faultsOf(page);
  // `faultsOf` waited until fades ended, so the screenshot shows the final colours of the theme.
  await page.screenshot({ path: `artefacts/${name}-${width}-${theme}.png` });
  return faults.map((fault) => `at ${width} px, ${theme}: ${fault}`);
}

/** Checks that the page fits at 400 % zoom in a window of 1280 px (WCAG 1.4.10). */
async function reflowOf(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 320, height: 256 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return wide > 0 ? [`at 320 px: ${wide} px wider than the window`] : [];
}

/** Whether each page is checked with every look, instead of one look as in the quick budget. */
const isEachLook = budget({ commit: 0, night: 1, release: 1 }) === 1;

/** Opens the page of each row. Checks each page once, with these window sizes and themes. */
async function walk(
  page: Page,
  rows: readonly Row[],
  looks: readonly Look[],
  who: string,
): Promise<string[]> {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const [at, row] of rows.entries()) {
    const found = await open(page, row);
    // Pages without a sidebar have no account menu.
    if (
      who === 'in' &&
      /^\/fp\/cloud\/(?!api\/|authorize|invite|operator\/claim)/.test(new URL(page.url()).pathname)
    )
      await page
        .getByRole('button', { name: /^Account of/ })
        .waitFor({ state: 'visible' })
        .catch(() => found.push('has no account menu to sign out with'));
    const { pathname } = new URL(page.url());
    const isNew = !seen.has(pathname) || row.to === undefined;
    seen.add(pathname);
    const name = `${who}${row.at.replace(/[^\w-]+/g, '-')}`;
    if (isNew) {
      const worn = isEachLook ? looks : looks.filter((_, look) => look === at % looks.length);
      for (const look of worn) found.push(...(await lookAt(page, look, name)));
      found.push(...(await reflowOf(page)));
    }
    faults.push(...found.map((fault) => `${row.at} ${fault}`));
  }
  return faults;
}

/** Ignores the error that the browser logs for the page that doesn't exist. */
const problemsOf = ({ problems }: Visitor) => problems.filter((one) => !one.endsWith('/no/such/page'));

test('[S12] shows every route to a signed-in user, accessible, in the window, and without a violation of the content policy', async () => {
  const rows = [...SIGNED_IN, ...LOCAL, ...(isEachLook ? RARE : [])];
  const faults = await walk(ada.page, rows, ROUTE_LOOKS, 'in');
  expect([...faults, ...problemsOf(ada), ...violations]).toEqual([]);
}, 900_000);

test('[S12] redirects signed-out visitors of cloud pages to the login page, and shows local pages', async () => {
  const faults = await walk(stranger.page, SIGNED_OUT, ROUTE_LOOKS, 'out');
  // The test above looks at these pages, too. Only the sidebar differs here.
  const local = isEachLook ? LOCAL : LOCAL.filter((_, at) => at % 8 === 0);
  faults.push(...(await walk(stranger.page, local, ROUTE_LOOKS.slice(-1), 'out')));
  expect([...faults, ...problemsOf(stranger), ...violations]).toEqual([]);
}, 900_000);

test.skipIf(budget({ commit: 0, night: 1, release: 1 }) === 0)(
  '[U13] shows every route with text of twice the size, and in forced colours',
  async () => {
    const larger = await launchChromium('--blink-settings=defaultFontSize=32');
    const context = await larger.newContext({
      // The storage lists databases that only the other browser has.
      storageState: { ...(await ada.context.storageState()), origins: [] },
    });
    const page = await context.newPage();
    const faults: string[] = [];
    const check = async (row: Row, look: string) =>
      faults.push(...(await faultsOf(page)).map((fault) => `${row.at} ${look}: ${fault}`));
    await makeDatabase(page, product.url, 'groceries', DOCS);
    for (const row of [...SIGNED_IN, ...LOCAL, ...RARE].filter(({ to }) => to === undefined)) {
      await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'none' });
      faults.push(...(await open(page, row)));
      await check(row, 'with larger text');
      await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' });
      await check(row, 'in forced colours');
    }
    await larger.close();
    expect(faults).toEqual([]);
  },
  900_000,
);
