/** The frame of the console: sidebar, header, theme, drawer and loading states. */
import { describe, expect, test } from 'vitest';
import { faultsOf } from './local.fixture.ts';
import { must, signInAt, signUpAt } from './people.fixture.ts';
import { visitor } from './product.fixture.ts';
import {
  ada,
  browser,
  LONG_LEDGER,
  LONG_LOCAL,
  LONG_TENANT,
  page,
  product,
  withShell,
} from './shell.fixture.ts';

const { at, go, ids, sidebar, tenantPath } = withShell();

describe('the sidebar of the cloud', () => {
  test('lists each tenant and New Tenant in a dropdown, and opens the chosen item', async () => {
    await go(tenantPath('/overview'));
    const dropdown = sidebar().getByRole('combobox', { name: 'Tenant' });
    await expect
      .poll(() => dropdown.locator('option').allInnerTexts())
      .toEqual(['Society of Analytica…', 'Other', 'New Tenant']);
    await dropdown.selectOption('Other');
    await at(new RegExp(`/${ids.other}/overview$`));
    await dropdown.selectOption('New Tenant');
    await at(/\/tenants\/new$/);
  });

  test('marks Home as active only on the tabs of the tenant', async () => {
    const home = sidebar().getByRole('link', { name: 'Home' });
    for (const tab of ['/overview', '/members', '/admin', '']) {
      await go(tenantPath(tab));
      await expect.poll(() => home.getAttribute('aria-current'), { message: tab }).toBe('page');
    }
    await go(tenantPath('/ledgers'));
    await home.waitFor();
    await expect.poll(() => home.getAttribute('aria-current')).toBeNull();
    const databases = sidebar().getByRole('link', { name: 'Databases', exact: true });
    await expect.poll(() => databases.getAttribute('aria-current')).toBe('page');
  });

  test('shows the tenant that this user opened last, on pages without a tenant', async () => {
    const now = async () => {
      const nav = sidebar().getByRole('navigation', { name: 'Tenant' });
      const links = ['Home', 'Databases', 'New database'].map((name) =>
        nav
          .getByRole('link', { name, exact: true })
          .evaluate((link) => [link.getAttribute('href'), link.ariaCurrent]),
      );
      return [
        await sidebar().getByRole('combobox', { name: 'Tenant' }).inputValue(),
        await Promise.all(links),
      ];
    };
    const about = (tenant: string) => [
      tenant,
      ['overview', 'ledgers', 'ledgers/new'].map((below) => [`/fp/cloud/tenants/${tenant}/${below}`, null]),
    ];
    await page.evaluate(() => localStorage.clear());
    await go('/fp/cloud/account');
    await expect.poll(now).toEqual(about(ids.tenant));
    await sidebar().getByRole('link', { name: LONG_LEDGER }).waitFor({ state: 'visible' });
    await go(`/fp/cloud/tenants/${ids.other}/members`);
    // The console saves the last tenant after it renders the page.
    await page.waitForFunction((id) => Object.values(localStorage).includes(id), ids.other);
    for (const path of [
      '/fp/cloud/account',
      '/fp/cloud/tenants/new',
      '/fp/cloud/device',
      '/fp/cloud/nothing',
    ]) {
      await go(path);
      await expect.poll(now, { message: path }).toEqual(about(ids.other));
    }
    await go('/fp/cloud/tenants/none/overview');
    await expect.poll(now).toEqual(about(ids.other));
    // Users without a tenant see what to do next, even if another user was signed in to this
    // browser before.
    const eve = await visitor(browser);
    await signUpAt(eve.page, product.url, 'eve@example.com', 'Eve');
    await eve.page.goto(`${product.url}/fp/cloud/account`);
    const nav = eve.page.getByRole('navigation', { name: 'Tenant' });
    await nav.getByText('Databases belong to a tenant.').waitFor({ state: 'visible' });
    await expect
      .poll(() => nav.getByRole('link').evaluateAll((all) => all.map((one) => one.getAttribute('href'))))
      .toEqual(['/fp/cloud', '/fp/cloud', '/fp/cloud/tenants/new']);
    const evesAdmin = await signUpAt(page, product.url, 'lou@example.com', 'Lou');
    const lous = must(await evesAdmin.createTenant('Lous own'));
    await go('/fp/cloud/account');
    await expect.poll(now).toEqual(about(lous.tenantId));
    await signInAt(page, product.url, 'ada@example.com');
    await go('/fp/cloud/account');
    await expect.poll(now).toEqual(about(ids.other));
    expect(eve.problems).toEqual([]);
    await eve.context.close();
  });

  test('lists the databases, with names cut at 20 characters, and a plus for a new database', async () => {
    await go(tenantPath('/overview'));
    const link = sidebar().getByRole('link', { name: LONG_LEDGER });
    await expect.poll(() => link.innerText()).toBe('notes of the whole s…');
    // The accessible name of a cut name contains the visible text (WCAG 2.5.3).
    expect(await faultsOf(page, ['label-content-name-mismatch'])).toEqual([]);
    await link.click();
    await at(new RegExp(`/ledgers/${ids.ledger}/documents$`));
    await sidebar().getByRole('link', { name: 'New database' }).click();
    await at(/\/ledgers\/new$/);
  });

  test('shows a loading state, and reports when the server rejects the list of databases', async () => {
    const gate: { open?: () => void } = {};
    const held = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    let isRefused = false;
    await page.route('**/api', async (route) => {
      if (!(route.request().postData() ?? '').includes('reqListLedgersByUser')) return route.fallback();
      if (isRefused)
        return route.fulfill({ status: 403, body: '{"type":"error","code":"FORBIDDEN","message":"no"}' });
      await held;
      return route.fallback();
    });
    await go(tenantPath('/ledgers'));
    await sidebar().getByText('Loading...').first().waitFor({ state: 'visible' });
    gate.open?.();
    await sidebar().getByRole('link', { name: LONG_LEDGER }).waitFor({ state: 'visible' });
    isRefused = true;
    await go(tenantPath('/ledgers'));
    await sidebar().getByText('Not found').waitFor({ state: 'visible' });
    await page.unroute('**/api');
    ada.problems.splice(0);
  });
});

test("shows a loading state for a tenant and a ledger that aren't cached", async () => {
  for (const [asked, path, heading] of [
    // The answer to `reqEnsureUser` also contains the tenants.
    ['reqEnsureUser', tenantPath('/overview'), LONG_TENANT],
    ['reqListLedgersByUser', tenantPath(`/ledgers/${ids.ledger}/documents`), LONG_LEDGER],
  ] as const) {
    // Uses a new visitor, because an earlier visitor's browser would show cached answers.
    const { page: fresh, context, problems } = await visitor(browser);
    await signInAt(fresh, product.url, 'ada@example.com');
    const gate: { open?: () => void } = {};
    const held = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    const isAsked = (body: string | null) => (body ?? '').includes(asked);
    await fresh.route('**/api', async (route) => {
      if (isAsked(route.request().postData())) await held;
      return route.fallback();
    });
    // The requested page must wait for the answer, not a page that redirects to it.
    const wasAsked = fresh.waitForRequest((request) => isAsked(request.postData()));
    await fresh.goto(product.url + path);
    await wasAsked;
    const main = fresh.getByRole('main');
    await main.getByRole('status').getByText('Loading...').waitFor({ state: 'visible' });
    gate.open?.();
    await main.getByRole('heading', { level: 1, name: heading }).waitFor({ state: 'visible' });
    expect(problems).toEqual([]);
    await context.close();
  }
});

test.each([
  ['/fp/cloud/account', 'Programs', 1280],
  ['/fp/cloud/account', 'Programs', 375],
  ['admin', 'Danger Zone', 1280],
  ['overview', 'Connect your application', 375],
])(
  'keeps the content of %s in place while answers arrive one by one (%s, at %i px)',
  async (path, last, width) => {
    const {
      page: fresh,
      context,
      problems,
    } = await visitor(browser, {
      viewport: { width, height: 800 },
    });
    await signInAt(fresh, product.url, 'ada@example.com');
    await fresh.addInitScript(() => {
      const seen = Object.assign(window, { moved: 0 });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          seen.moved += (entry as PerformanceEntry & { value: number }).value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    let before = Promise.resolve();
    await fresh.route(/\/(api|auth\/.*)$/, (route) => {
      // Lets one request through at a time, and lets the page render before the next request.
      before = before.then(async () => {
        await route.continue();
        await (await route.request().response())?.finished();
        await fresh.evaluate(() => new Promise((drawn) => setTimeout(drawn, 50))).catch(() => undefined);
      });
      return before;
    });
    await fresh.goto(product.url + (path.startsWith('/') ? path : tenantPath(`/${path}`)));
    await fresh.getByRole('main').getByRole('heading', { name: last }).waitFor({ state: 'visible' });
    await expect.poll(() => fresh.getByText('Loading...').count()).toBe(0);
    const moved = await fresh.evaluate(() => (window as unknown as { moved: number }).moved);
    expect([moved < 0.02 || moved, problems]).toEqual([true, []]);
    // Waits until pending requests have finished, before the page closes.
    await fresh.unrouteAll({ behavior: 'wait' });
    await context.close();
  },
);

describe('the header', () => {
  test('cuts names at 12 characters, and gives screen readers the full names', async () => {
    await go(tenantPath('/overview'));
    const header = page.getByRole('banner');
    await header.getByText('Society of A…', { exact: true }).waitFor({ state: 'visible' });
    await header.getByText('Ada King, Co…', { exact: true }).waitFor({ state: 'visible' });
    await header.getByRole('button', { name: 'Account of Ada King, Countess of Lovelace' }).waitFor();
    for (const link of ['Documentation', 'Blog', 'Community'])
      await header.getByRole('link', { name: link }).waitFor({ state: 'visible' });
  });

  test('shows no sign-in link until the session is known', async () => {
    const stranger = await visitor(browser);
    for (const [one, path] of [
      [ada, '/fp/databases'],
      [stranger, '/fp/databases'],
    ] as const) {
      const gate: { open?: () => void } = {};
      const held = new Promise<void>((resolve) => {
        gate.open = resolve;
      });
      const asked = one.page.waitForRequest('**/auth/get-session');
      await one.page.route('**/auth/get-session', async (route) => {
        await held;
        return route.fallback();
      });
      await one.page.goto(product.url + path);
      await asked;
      const header = one.page.getByRole('banner');
      await header.getByRole('button', { name: /^Switch to/ }).waitFor({ state: 'visible' });
      const ways = header.getByRole('link', { name: 'Sign in' });
      const account = header.getByRole('button', { name: /^Account of/ });
      expect([await ways.count(), await account.count()]).toEqual([0, 0]);
      gate.open?.();
      await (one === ada ? account : ways).waitFor({ state: 'visible' });
      await one.page.unroute('**/auth/get-session');
    }
    expect(stranger.problems).toEqual([]);
    await stranger.context.close();
  });

  test('applies the saved darkMode as a class before the first paint', async () => {
    await go('/fp/databases');
    await page.evaluate(() => localStorage.setItem('darkMode', 'false'));
    await page.reload();
    await page.getByRole('button', { name: 'Switch to dark mode' }).click();
    const look = () =>
      page.evaluate(() => [document.documentElement.className, localStorage.getItem('darkMode')]);
    await expect.poll(look).toEqual(['dark', 'true']);
    await page.reload({ waitUntil: 'commit' });
    await page.waitForFunction(() => document.body !== null);
    await expect.poll(async () => (await look())[0]).toBe('dark');
    await page.getByRole('button', { name: 'Switch to light mode' }).click();
    await expect.poll(look).toEqual(['', 'false']);
  });

  test('shows the sidebar as a drawer on a small screen, closed by Escape or a link', async () => {
    await page.setViewportSize({ width: 375, height: 740 });
    await go(tenantPath('/overview'));
    const link = sidebar().getByRole('link', { name: LONG_LEDGER });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await link.waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Open menu');
    await page.getByRole('button', { name: 'Open menu' }).click();
    await link.click();
    await link.waitFor({ state: 'hidden' });
  });

  test('turns off animations for users who prefer reduced motion', async () => {
    await page.setViewportSize({ width: 375, height: 740 });
    const durationOf = async (reducedMotion: 'reduce' | 'no-preference') => {
      await page.emulateMedia({ reducedMotion });
      await go(tenantPath('/overview'));
      await page.getByRole('button', { name: 'Open menu' }).click();
      await sidebar().getByRole('link', { name: LONG_LEDGER }).waitFor({ state: 'visible' });
      return sidebar().evaluate((one) => getComputedStyle(one).animationDuration);
    };
    expect(await durationOf('no-preference')).toBe('0.18s');
    expect(await durationOf('reduce')).toBe('0.001s');
  });

  test('lists the databases of a tenant on its pages on a small screen', async () => {
    await page.setViewportSize({ width: 375, height: 740 });
    const list = page.getByRole('main').getByRole('list', { name: 'Databases of this tenant' });
    for (const below of ['/overview', '/ledgers']) {
      await go(tenantPath(below));
      await list.getByRole('link', { name: LONG_LEDGER }).click();
      await at(new RegExp(`/ledgers/${ids.ledger}/documents$`));
    }
  });

  test('cuts local names at 20 characters, and lists the pages of each database', async () => {
    await go(`/fp/databases/${LONG_LOCAL}`);
    await sidebar().getByText('groceries-of-the-who…', { exact: true }).waitFor({ state: 'visible' });
    for (const name of ['All Documents', 'History', 'Query'])
      await sidebar().getByRole('link', { name, exact: true }).waitFor({ state: 'visible' });
    await sidebar().getByText('Saved Queries').waitFor({ state: 'visible' });
  });
});
