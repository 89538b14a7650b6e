/** Connects local databases with a server that doesn't serve the console. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createServer, defaultClientConditions, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixpointConsole } from '../../packages/vite-plugin/src/index.ts';
import { makeDatabase } from './local.fixture.ts';
import { makeTenant, signUpAt, writeDocument } from './people.fixture.ts';
import {
  type Product,
  removeFolder,
  startProduct,
  temporaryFolder,
  type Visitor,
  visitor,
  withProduct,
} from './product.fixture.ts';

const data = temporaryFolder();
const resolve = { conditions: ['fixpoint-source', ...defaultClientConditions] };
let here: Product;
let other: Product;
let app: ViteDevServer;
let appUrl: string;
let ada: Visitor;
let page: Page;

withProduct(async ({ product, browser }) => {
  here = product;
  ada = await visitor(browser);
  page = ada.page;
});

beforeAll(async () => {
  other = await startProduct(data, 0, {});
  await signUpAt(page, other.url, 'ada@example.com', 'Ada');
  await makeTenant(other, page, 'Language Lab');
  app = await createServer({
    root: 'examples/react-notes',
    configFile: false,
    plugins: [fixpointConsole()],
    cacheDir: join(data, 'vite'),
    logLevel: 'error',
    resolve,
    server: { host: '127.0.0.1', port: 0, hmr: { port: 0 } },
  });
  await app.listen();
  const address = app.httpServer?.address();
  appUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});

afterAll(async () => {
  await app?.close();
  await other?.end('SIGTERM');
  removeFolder(data);
});

const button = (name: string | RegExp) => page.getByRole('main').getByRole('button', { name });
const shown = (text: string | RegExp) =>
  page.getByRole('main').getByText(text).first().waitFor({ state: 'visible' });

/** Connects a database on the console's pages, and allows it at the other server. */
async function connect(url: string, localName: string): Promise<void> {
  await page.goto(`${url}/fp/databases/connect`);
  await page.getByLabel('Local name').fill(localName);
  await page.getByLabel('Endpoint').fill(other.url);
  await button('Connect').click();
  await button(/^Continue at/).click();
  await page.waitForURL(`${other.url}/fp/cloud/api/token?**`);
  await shown(new URL(url).origin);
  await button('Allow access').click();
  await page.waitForURL(`${url}/fp/databases/${localName}`);
  await shown(`${localName} is in sync with the cloud`);
}

/**
 * Expects that a database of the other server has a text, and writes a document there. Uses a page
 * of its own, which stays open, because a page that is left may not have sent its writes.
 */
async function writeThere(name: string, text: string, doc: object): Promise<void> {
  const there = await ada.context.newPage();
  await there.goto(`${other.url}/fp/cloud`);
  await there.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await there.waitForURL(/\/ledgers\/[^/]+\/documents/);
  await there.getByRole('main').getByText(text).first().waitFor({ state: 'visible' });
  const ledger = there.url().replace(/\/documents.*/, '');
  await writeDocument(there, `${ledger}/documents/new`, doc);
}

describe('a local database that connects to another server', () => {
  test('syncs after the user allowed it there, in both directions, and after a reload', async () => {
    await makeDatabase(page, here.url, 'words', [{ _id: 'from-here', name: 'Ghotuo' }]);
    await connect(here.url, 'words');
    await writeThere('words', 'Ghotuo', { _id: 'from-there', name: 'Alumu' });
    await page.goto(`${here.url}/fp/databases/words`);
    await shown('Alumu');
    await ada.shot('connect-elsewhere');
  });

  test('extends its token at the other server once half of its ten minutes are over', async () => {
    const stored = () => page.evaluate(() => localStorage.getItem('fixpoint:access:words') ?? '');
    const { token, arrivedAtMs, ...access } = JSON.parse(await stored());
    const earlier = { ...access, token, arrivedAtMs: arrivedAtMs - 6 * 60_000 };
    await page.evaluate(
      (note) => localStorage.setItem('fixpoint:access:words', note),
      JSON.stringify(earlier),
    );
    await page.reload();
    await expect.poll(async () => JSON.parse(await stored()).token).not.toBe(token);
    await shown('Alumu');
  });

  test('keeps writes while access has ended, and sends them after one click', async () => {
    await page.evaluate(() => {
      const note = JSON.parse(localStorage.getItem('fixpoint:access:words') ?? '{}');
      localStorage.setItem('fixpoint:access:words', JSON.stringify({ ...note, arrivedAtMs: 0 }));
    });
    await writeDocument(page, `${here.url}/fp/databases/words/docs/new`, { _id: 'waits', name: 'Bete' });
    await page.goto(`${here.url}/fp/databases/words`);
    await shown(/^Access to .* kept on this device \(1 to send\)/);
    await button(/^Renew at/).click();
    await shown('In sync');
    await page.getByRole('main').getByText('The access of words has ended').waitFor({ state: 'detached' });
  });

  test('gets no token that this tab didn’t ask for, and no address keeps one', async () => {
    const before = await page.evaluate(() => localStorage.getItem('fixpoint:access:words'));
    await page.goto(`${here.url}/fp/databases/connect?fpToken=x.e30.y&state=guessed&localName=words`);
    await shown(/^This page got a token that it didn’t ask for/);
    expect(page.url()).toBe(`${here.url}/fp/databases/connect`);
    expect(await page.evaluate(() => localStorage.getItem('fixpoint:access:words'))).toBe(before);
  });

  test('stops syncing when the user disconnects, and both keep their documents', async () => {
    await page.goto(`${here.url}/fp/databases/words`);
    await shown('Ghotuo');
    await button('Database actions').click();
    await page.getByRole('menuitem', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText(/^words disconnected/).waitFor();
    await shown('Alumu');
    expect(await page.evaluate(() => localStorage.getItem('fixpoint:access:words'))).toBeNull();
  });
});

test('syncs an application’s own database with a server, on the console of its dev server', async () => {
  await page.goto(appUrl);
  await page.getByLabel('Note').fill('written by the application');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('listitem').filter({ hasText: 'written by the application' }).waitFor();
  await connect(appUrl, 'notes');
  await writeThere('notes', 'written by the application', { _id: 'n', text: 'written there', at: 1 });
  await page.goto(`${appUrl}/fp/databases/notes`);
  await shown('written there');
  expect(ada.problems).toEqual([]);
});
