/** The first steps of a new user, the console without a network, and the printed console. */
import { describe, expect, test } from 'vitest';
import { faultsOf, LOOKS, makeDatabase, typeText } from './local.fixture.ts';
import { signUpAt } from './people.fixture.ts';
import { chooseIn, visitor } from './product.fixture.ts';
import { ada, browser, LONG_LEDGER, LONG_LOCAL, page, product, withShell } from './shell.fixture.ts';

const WHO = ['/auth/get-session', '/auth/token', 'reqEnsureUser'];
const { at, go, ids, openPalette, sidebar, tenantPath } = withShell({ serviceWorkers: 'allow' });

describe('for a new user', () => {
  test('saves a first document in four clicks', async () => {
    const stranger = await visitor(browser);
    const { page: first } = stranger;
    let clicks = 0;
    const click = async (name: string) => {
      clicks += 1;
      await first
        .getByRole('main')
        .getByRole('link', { name })
        .or(first.getByRole('main').getByRole('button', { name, exact: true }))
        .first()
        .click();
    };
    await first.goto(product.url);
    await click('work with local databases');
    await first.getByLabel('Name of your first database').fill('groceries');
    await click('Create');
    await click('New Document');
    await first.getByRole('textbox', { name: /document/i }).waitFor({ state: 'visible' });
    // The editor of a new document has the focus, and its cursor is between the braces.
    await first.keyboard.insertText('"item": "milk"');
    await click('Save');
    await first.waitForURL(/\/docs\/(?!new)[^/]+$/);
    await first.getByText('Saved in this browser.').waitFor({ state: 'visible' });
    await expect
      .poll(() => first.getByRole('textbox', { name: /document/i }).innerText())
      .toMatch(/"item": "milk"/);
    expect(clicks).toBeLessThanOrEqual(4);
    expect(stranger.problems).toEqual([]);
    await stranger.context.close();
  });

  test.each([
    ['/login', /login-/, 'Sign in'],
    ['/fp/databases', /databases\._index-/, 'Local databases'],
    ['/fp/databases/new', /databases\.new-/, /New/],
  ])('requests each file for %s only once, before the first script runs', async (path, own, heading) => {
    const stranger = await visitor(browser);
    let asked: string[] = [];
    stranger.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const START = '**/assets/index-*.js';
    await stranger.page.route(START, (route) => route.abort());
    await stranger.page.goto(product.url + path, { waitUntil: 'load' });
    for (const part of [own, /fixpoint\.json$/])
      await expect.poll(() => asked).toContainEqual(expect.stringMatching(part));
    const ahead = asked.filter((each) => !each.includes('/index-'));
    await stranger.page.unroute(START);
    asked = [];
    await stranger.page.goto(product.url + path);
    await stranger.page.getByRole('heading', { level: 1, name: heading }).waitFor();
    for (const each of ahead) expect(asked.filter((other) => other === each)).toEqual([each]);
    await stranger.context.close();
  });

  test('requests session, token and user once, before the first script runs', async () => {
    const grace = await visitor(browser);
    await signUpAt(grace.page, product.url, 'grace@example.com', 'Grace');
    let asked: string[] = [];
    grace.page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      const call = pathname === '/api' ? (request.postDataJSON() as { type: string }).type : pathname;
      if (WHO.includes(call)) asked.push(call);
    });
    const START = '**/assets/index-*.js';
    await grace.page.route(START, (route) => route.abort());
    await grace.page.goto(`${product.url}/fp/cloud`, { waitUntil: 'load' });
    await expect.poll(() => asked).toEqual(WHO);
    await grace.page.unroute(START);
    asked = [];
    await grace.page.goto(`${product.url}/fp/cloud`);
    await grace.page.getByRole('heading', { level: 1, name: 'Welcome to Fixpoint' }).waitFor();
    expect(asked).toEqual(WHO);
    await grace.context.close();
  });

  test('requests nothing twice when the preload script is late', async () => {
    const context = await browser.newContext({ serviceWorkers: 'block' });
    const late = await context.newPage();
    const asked: string[] = [];
    late.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const gate: { open?: () => void } = {};
    const held = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    await late.route('**/preload.js', async (route) => {
      await held;
      return route.fallback();
    });
    await late.goto(`${product.url}/login`, { waitUntil: 'commit' });
    await late.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    gate.open?.();
    await late.waitForLoadState('load');
    await late.evaluate(() => new Promise(requestAnimationFrame));
    expect(asked.filter((each) => each.endsWith('/fixpoint.json'))).toHaveLength(1);
    await context.close();
  });

  test('reports a script that failed to load, and loads the script on retry', async () => {
    const context = await browser.newContext({ serviceWorkers: 'block' });
    const first = await context.newPage();
    await makeDatabase(first, product.url, 'groceries', [{ _id: 'milk' }]);
    const PART = '**/assets/code-editor-*.js';
    await first.route(PART, (route) => route.abort());
    await first.goto(`${product.url}/fp/databases/groceries/docs/milk`);
    await first.getByText('Couldn’t load part of the console.').waitFor({ state: 'visible' });
    expect(await first.getByRole('navigation').first().isVisible()).toBe(true);
    await first.unroute(PART);
    await first.getByRole('button', { name: 'Try again' }).click();
    await first.getByRole('textbox', { name: /document/i }).waitFor({ state: 'visible' });
    await context.close();
  });

  test('reports an unreachable server on a page that was never loaded, with links back and forward', async () => {
    const context = await browser.newContext({ serviceWorkers: 'block' });
    const first = await context.newPage();
    await makeDatabase(first, product.url, 'herbs', [{ _id: 'mint' }]);
    const PAGE = /\/databases\.connect-/;
    await first.route(PAGE, (route) => route.abort());
    await first.goto(`${product.url}/fp/databases/herbs`);
    await first.getByRole('link', { name: 'mint', exact: true }).waitFor({ state: 'visible' });
    await context.setOffline(true);
    await first.getByRole('link', { name: 'Connect', exact: true }).click();
    await first.getByText('Couldn’t load part of the console.').waitFor({ state: 'visible' });
    await first.getByRole('button', { name: 'Try again' }).click();
    await first.getByText('The server doesn’t answer. Try again later.').waitFor({ state: 'visible' });
    for (const look of LOOKS) {
      await first.setViewportSize(look);
      await first.screenshot({ path: `artefacts/not-loaded-${look.width}.png` });
      expect(await faultsOf(first)).toEqual([]);
    }
    await first.getByRole('button', { name: 'Back' }).click();
    await first.getByRole('link', { name: 'mint', exact: true }).waitFor({ state: 'visible' });
    await first.goForward();
    await first.getByText('Couldn’t load part of the console.').waitFor({ state: 'visible' });
    await context.setOffline(false);
    await first.unroute(PAGE);
    await first.getByRole('button', { name: 'Try again' }).click();
    await first.getByRole('heading', { level: 1, name: 'Connect' }).waitFor({ state: 'visible' });
    await context.close();
  });

  test('installs as an app, and opens without a network', async () => {
    await go('/fp/databases');
    const devtools = await page.context().newCDPSession(page);
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    // A browser window without a profile can't install apps, so this error is ignored.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual(
      [],
    );
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await page.context().setOffline(true);
    await page.getByText('You’re offline.').waitFor({ state: 'visible' });
    await go(`/fp/databases/${LONG_LOCAL}`);
    await page.getByText('milk').first().waitFor({ state: 'visible' });
    await page.getByRole('button', { name: /^Account of Ada King/ }).waitFor({ state: 'visible' });
    await openPalette();
    await page.keyboard.press('Escape');
    await page.context().setOffline(false);
    await page.getByText('You’re offline.').waitFor({ state: 'hidden' });
    ada.problems.splice(0);
  });

  test('shows cached cloud data without a network, and syncs when the network is back', async () => {
    const documents = tenantPath(`/ledgers/${ids.ledger}/documents`);
    await go(`${documents}/new`);
    await typeText(page, /document/i, '{"_id": "known", "title": "Known before"}');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await at(/\/documents\/known$/);
    await go(documents);
    await page.getByRole('main').getByText('In sync').waitFor({ state: 'visible' });
    await page.context().setOffline(true);
    await go(documents);
    // Chromium may say that a page which loads without a network is online.
    await page
      .getByText('Couldn’t reach the server. This page shows the data that was loaded last.')
      .or(page.getByText(/^You’re offline\./))
      .waitFor({ state: 'visible' });
    await page.getByText('Known before').waitFor({ state: 'visible' });
    await sidebar().getByRole('link', { name: LONG_LEDGER }).waitFor({ state: 'visible' });
    await page
      .getByRole('main')
      .getByText(/^Offline/)
      .waitFor({ state: 'visible' });
    await go(`${documents}/new`);
    await typeText(page, /document/i, '{"_id": "unsent"}');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await at(/\/documents\/unsent$/);
    await chooseIn(page, 'Database actions', 'Sync and storage');
    const sync = page.getByRole('region', { name: 'Sync', exact: true });
    await sync.getByText('Oldest unsent change').waitFor({ state: 'visible' });
    await sync.getByText('less than a minute').waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await go(documents);
    const mark = (id: string, on = page) =>
      on
        .getByRole('row')
        .filter({ has: on.getByRole('link', { name: id, exact: true }) })
        .getByRole('img', { name: /^Not sent yet/ });
    await mark('unsent').waitFor({ state: 'visible' });
    expect(await mark('known').count()).toBe(0);
    await ada.shot('ledger-unsent');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete known' }).click();
    await page.getByText('Deleted document known.').waitFor({ state: 'visible' });
    // Deleted documents are listed only in the table of changes.
    const history = await page.context().newPage();
    await history.goto(product.url + tenantPath(`/ledgers/${ids.ledger}/history?view=documents`));
    for (const id of ['known', 'unsent']) await mark(id, history).waitFor({ state: 'visible' });
    await page.context().setOffline(false);
    await page.getByRole('main').getByText('In sync').waitFor({ state: 'visible' });
    await mark('unsent').waitFor({ state: 'hidden' });
    for (const id of ['known', 'unsent']) await mark(id, history).waitFor({ state: 'hidden' });
    await history.getByRole('link', { name: 'known', exact: true }).waitFor({ state: 'visible' });
    await history.close();
    await page.getByRole('link', { name: 'unsent', exact: true }).waitFor({ state: 'visible' });
    await page
      .getByText('Couldn’t reach the server. This page shows the data that was loaded last.')
      .waitFor({ state: 'hidden' });
    ada.problems.splice(0);
  });

  test('prints the page without its frame, in the light theme', async () => {
    await go(`/fp/databases/${LONG_LOCAL}`);
    const actions = page
      .getByRole('main')
      .getByRole('button', { name: /^(Database actions|More table actions|Filter)$/ });
    await expect.poll(() => actions.count()).toBe(3);
    await page.evaluate(() => document.documentElement.classList.add('dark'));
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => actions.count()).toBe(0);
    await page.getByRole('banner').waitFor({ state: 'hidden' });
    await sidebar().waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(245, 247, 246)',
    );
    await page.emulateMedia({ media: 'screen', reducedMotion: 'reduce' });
  });
});
