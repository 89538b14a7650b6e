/** Every row of the route table of the specification, signed out and signed in, in wide and narrow windows and in both themes. */
import { mkdirSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ALL_LOOKS, faultsOf, LOOKS, type Look, makeDatabase } from './local.fixture.ts';
import { must, signUpAt, writeDocument } from './people.fixture.ts';
import { type Product, type Visitor, visitor, withProduct } from './product.fixture.ts';

const TENANT = 'Society of Analytical Engines';
const LEDGER = 'notes of the society';
const DOCS = [
  { _id: 'milk', item: 'milk', count: 2, tags: ['cold', 'white'], price: { eur: 1.2 } },
  { _id: 'bread', item: 'A long loaf of bread '.repeat(8), count: 1 },
];
const EMPTY_TABLE = 'No documents found. Create a new document to get started.';

let product: Product;
let browser: Browser;
let ada: Visitor;
let stranger: Visitor;
/** What the pages themselves told of violations of the content policy. */
const violations: string[] = [];
const ids = { tenant: '', empty: '', ledger: '' };

withProduct(async (opened) => {
  ({ product, browser } = opened);
  mkdirSync('artefacts', { recursive: true });
  [ada, stranger] = await Promise.all([visitor(browser), visitor(browser)]);
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

/** A path of the table below, with the ids of what was made. */
const path = (row: string) =>
  row
    .replace('/T/', `/${ids.tenant}/`)
    .replace(/\/T$/, `/${ids.tenant}`)
    .replace('/L', `/${ids.ledger}`)
    .replace('/E', `/${ids.empty}`);

/** Stands for the login page that leads back to the row's own. */
const LOGIN = 'login';

interface Row {
  /** As in the route table; T, L and E stand for the tenant, its ledger and its empty ledger. */
  readonly at: string;
  /** Where it leads, when that is another page. */
  readonly to?: string;
  readonly heading: string | RegExp;
  /** Texts of the page. Fields and buttons have their names here, too. */
  readonly texts?: readonly (string | RegExp)[];
  readonly title: RegExp;
}

const TENANT_TABS = ['Overview', 'Members', 'Settings'];
const LEDGER_TABS = ['Documents', 'Sharing'];

/** For who is signed in. */
const SIGNED_IN: readonly Row[] = [
  { at: '/', to: '/fp/cloud/tenants/T/overview', heading: TENANT, title: /^Society/ },
  { at: '/login', to: '/fp/cloud/tenants/T/overview', heading: TENANT, title: /^Society/ },
  {
    at: '/login?redirect_url=%2Ffp%2Fdatabases%2Fnew',
    to: '/fp/databases/new',
    heading: 'New local database',
    title: /^New/,
  },
  { at: '/signup', to: '/fp/cloud/tenants/T/overview', heading: TENANT, title: /^Society/ },
  { at: '/fp/cloud', to: '/fp/cloud/tenants/T/overview', heading: TENANT, title: /^Society/ },
  { at: '/fp/cloud/api/token', heading: 'Hand over a token', texts: [/back_url/], title: /^Hand over/ },
  {
    at: '/fp/cloud/tenants/new',
    heading: 'New Tenant',
    texts: ['Name', 'Create', 'Cancel', /You own 1 of 5 tenants\.$/],
    title: /^New Tenant/,
  },
  {
    at: '/fp/cloud/tenants/T',
    to: '/fp/cloud/tenants/T/overview',
    heading: TENANT,
    texts: TENANT_TABS,
    title: /^Society/,
  },
  {
    at: '/fp/cloud/tenants/T/overview',
    heading: TENANT,
    texts: [...TENANT_TABS, /toCloud/, 'Documentation'],
    title: /^Society/,
  },
  {
    at: '/fp/cloud/tenants/T/members',
    heading: TENANT,
    texts: [...TENANT_TABS, 'Invite somebody'],
    title: /^Society/,
  },
  {
    at: '/fp/cloud/tenants/T/admin',
    heading: TENANT,
    texts: [
      'Update Tenant Name',
      'Update Name',
      'Danger Zone',
      'Delete Tenant',
      'Once you delete a tenant, there is no going back. Please be certain.',
    ],
    title: /^Society/,
  },
  {
    at: '/fp/cloud/tenants/T/delete',
    heading: 'Delete tenant',
    texts: [`Delete ${TENANT}`, 'Ada Lovelace'],
    title: /^Delete/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers',
    heading: 'Databases',
    texts: ['Select a database from the sidebar or create a new one.', LEDGER, 'empty'],
    title: /^Databases/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/new',
    heading: 'Create New Ledger',
    texts: ['New Database Name:', 'Create', /It has 2 of 5 databases\.$/],
    title: /^Create New Ledger/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L',
    to: '/fp/cloud/tenants/T/ledgers/L/documents',
    heading: LEDGER,
    texts: LEDGER_TABS,
    title: /^notes/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/documents',
    heading: LEDGER,
    texts: [...LEDGER_TABS, 'New Document', 'document id', 'On the engine'],
    title: /^notes/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/E/documents',
    heading: 'empty',
    texts: [EMPTY_TABLE, 'New Document'],
    title: /^empty/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/documents/new',
    heading: LEDGER,
    texts: ['Back', 'Save'],
    title: /^New document/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/documents/note-1',
    heading: LEDGER,
    texts: ['Back', 'Save', '_id', 'note-1'],
    title: /^note-1/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/sharing',
    heading: LEDGER,
    texts: [...LEDGER_TABS, 'Control who has access to your database.'],
    title: /^Sharing/,
  },
  { at: '/fp/cloud/tenants/unknown/overview', heading: 'Not found', title: /^Not found/ },
  { at: '/fp/cloud/tenants/unknown/delete', heading: 'Not found', title: /^Not found/ },
  { at: '/fp/cloud/tenants/unknown/ledgers', heading: 'Not found', title: /^Not found/ },
  { at: '/fp/cloud/tenants/T/ledgers/unknown/documents', heading: 'Not found', title: /^Not found/ },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/documents/unknown',
    heading: LEDGER,
    texts: ['Not found'],
    title: /^unknown/,
  },
  {
    at: '/fp/cloud/device',
    heading: 'Sign a program in',
    texts: ['Code', 'Continue'],
    title: /^Sign a program in/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/history',
    heading: LEDGER,
    texts: [...LEDGER_TABS, 'Changes', 'Commits', 'Check', 'note-1'],
    title: /^History · notes/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/history?view=commits',
    heading: LEDGER,
    texts: [/newest first/, 'note-1'],
    title: /^History · notes/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/history?view=check',
    heading: LEDGER,
    texts: ['Verify'],
    title: /^History · notes/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/history?view=compare',
    heading: LEDGER,
    texts: ['The other database', /nothing leaves this browser/],
    title: /^History · notes/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/query',
    heading: LEDGER,
    texts: [...LEDGER_TABS, 'Query', 'Save', /emit/],
    title: /^Query · notes/,
  },
  {
    at: '/fp/cloud/account',
    heading: 'Your account',
    texts: ['Signed-in browsers', 'Passkeys', 'Password'],
    title: /^Your account/,
  },
  {
    at: '/fp/second-step',
    heading: 'One more step',
    texts: ['Verify your address first'],
    title: /^One more step/,
  },
  { at: '/fp/cloud/no-such-page', heading: 'Not found', title: /^Not found/ },
];

/** For everybody. */
const LOCAL: readonly Row[] = [
  {
    at: '/fp/databases',
    heading: 'Local databases',
    texts: ['Welcome', 'groceries'],
    title: /^Local databases/,
  },
  {
    at: '/fp/databases/new',
    heading: 'New local database',
    texts: ['Name', 'Create', 'Cancel'],
    title: /^New local database/,
  },
  {
    at: '/fp/databases/connect',
    heading: 'Connect',
    texts: ['Local name', 'Remote name', 'Endpoint'],
    title: /^Connect/,
  },
  {
    at: '/fp/databases/connect?remoteName=x',
    heading: 'Connect',
    texts: ['Local name is required'],
    title: /^Connect/,
  },
  {
    at: '/fp/databases/groceries',
    heading: 'groceries',
    texts: ['document id', 'item', '2 documents', 'New Document', 'Delete Database', 'milk'],
    title: /^groceries/,
  },
  {
    at: '/fp/databases/groceries/history',
    heading: 'History',
    texts: ['milk'],
    title: /^History · groceries/,
  },
  ...(
    [
      ['commits', 'The database was made'],
      ['check', /^Not verified since/],
      ['compare', /^There is no other local database/],
    ] as const
  ).map(([view, text]) => ({
    at: `/fp/databases/groceries/history?view=${view}`,
    heading: 'History',
    texts: [text],
    title: /^History · groceries/,
  })),
  {
    at: '/fp/databases/groceries/query',
    heading: 'Query',
    texts: ['Query', 'Save', /emit/],
    title: /^Query · groceries/,
  },
  {
    at: '/fp/databases/groceries/query/unknown',
    heading: 'Query',
    texts: ['Not found'],
    title: /^Query · groceries/,
  },
  {
    at: '/fp/databases/groceries/docs/new',
    heading: 'New Document',
    texts: ['Save', 'Cancel'],
    title: /^New Document/,
  },
  {
    at: '/fp/databases/groceries/docs/milk',
    heading: 'Document',
    texts: ['Save', 'Delete', 'Cancel', 'milk'],
    title: /^milk · groceries/,
  },
  {
    at: '/fp/databases/groceries/docs/unknown',
    heading: 'Document',
    texts: ['Not found'],
    title: /^unknown/,
  },
  { at: '/fp/databases/unknown', heading: 'Not found', texts: ['Create it'], title: /^Not found/ },
  { at: '/no/such/page', heading: 'Not found', title: /^Not found/ },
];

/** Signed out, cloud pages lead to the login page, which leads back to them. */
const SIGNED_OUT: readonly Row[] = [
  { at: '/login', heading: 'Sign in', texts: ['Email', 'Password'], title: /^Sign in/ },
  {
    at: '/signup',
    heading: 'Create your account',
    texts: [/occasional informative emails/],
    title: /^Sign up/,
  },
  { at: '/', to: '/login?redirect_url=%2Ffp%2Fcloud', heading: 'Sign in', title: /^Sign in/ },
  ...[
    '/fp/cloud',
    '/fp/cloud/api/token?back_url=http%3A%2F%2Flocalhost%3A1%2F',
    '/fp/cloud/tenants/new',
    '/fp/cloud/tenants/T',
    '/fp/cloud/tenants/T/overview',
    '/fp/cloud/tenants/T/members',
    '/fp/cloud/tenants/T/admin',
    '/fp/cloud/tenants/T/delete',
    '/fp/cloud/tenants/T/ledgers',
    '/fp/cloud/tenants/T/ledgers/new',
    '/fp/cloud/tenants/T/ledgers/L',
    '/fp/cloud/tenants/T/ledgers/L/documents',
    '/fp/cloud/tenants/T/ledgers/L/documents/new',
    '/fp/cloud/tenants/T/ledgers/L/documents/note-1',
    '/fp/cloud/tenants/T/ledgers/L/sharing',
    '/fp/cloud/tenants/T/ledgers/L/history',
    '/fp/cloud/tenants/T/ledgers/L/query',
    '/fp/cloud/account',
    '/fp/second-step',
  ].map(login),
];

function login(at: string): Row {
  return { at, to: LOGIN, heading: 'Sign in', title: /^Sign in/ };
}

/** Opens the page of a row, and says what is not as the row says. */
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
  if (page.url() !== new URL(wanted, product.url).href) faults.push(`leads to ${page.url()}`);
  await expect
    .poll(() => page.title())
    .toMatch(title)
    .catch(async () => faults.push(`is called ${await page.title()}`));
  return faults;
}

/** What is not well with the open page in a window and a theme. */
async function lookAt(page: Page, { width, height, theme }: Look, name: string): Promise<string[]> {
  await page.setViewportSize({ width, height });
  await page.evaluate(async (dark) => {
    document.documentElement.classList.toggle('dark', dark);
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  }, theme === 'dark');
  const faults = await faultsOf(page);
  // By now the colours of the other theme have faded.
  await page.screenshot({ path: `artefacts/${name}-${width}-${theme}.png` });
  return faults.map((fault) => `at ${width} px, ${theme}: ${fault}`);
}

/** As somebody sees it who enlarges a page of 1280 px four times (WCAG 1.4.10). */
async function reflowOf(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 320, height: 256 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return wide > 0 ? [`at 320 px: ${wide} px wider than the window`] : [];
}

/** Rows that lead to one page are looked at once. */
async function walk(
  page: Page,
  rows: readonly Row[],
  looks: readonly Look[],
  who: string,
): Promise<string[]> {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const row of rows) {
    const found = await open(page, row);
    // The page that hands a token over is one question, without what stands around other pages.
    if (who === 'in' && /^\/fp\/cloud\/(?!api\/)/.test(new URL(page.url()).pathname))
      await page
        .getByRole('button', { name: /^Account of/ })
        .waitFor({ state: 'visible' })
        .catch(() => found.push('has no menu to sign out by'));
    const { pathname } = new URL(page.url());
    const isNew = !seen.has(pathname) || row.to === undefined;
    seen.add(pathname);
    const name = `${who}${row.at.replace(/[^\w-]+/g, '-')}`;
    if (isNew) {
      for (const look of looks) found.push(...(await lookAt(page, look, name)));
      found.push(...(await reflowOf(page)));
    }
    faults.push(...found.map((fault) => `${row.at} ${fault}`));
  }
  return faults;
}

/** The browser tells of the page that does not exist, as it should. */
const problemsOf = ({ problems }: Visitor) => problems.filter((one) => !one.endsWith('/no/such/page'));

test('[S12] signed in, every route shows what it should, is accessible and fits, and the content policy holds', async () => {
  const faults = await walk(ada.page, [...SIGNED_IN, ...LOCAL], ALL_LOOKS, 'in');
  expect([...faults, ...problemsOf(ada), ...violations]).toEqual([]);
}, 240_000);

test('[S12] signed out, cloud pages lead to the login page, and the local half is whole', async () => {
  const faults = await walk(stranger.page, [...SIGNED_OUT, ...LOCAL], LOOKS, 'out');
  expect([...faults, ...problemsOf(stranger), ...violations]).toEqual([]);
}, 240_000);
