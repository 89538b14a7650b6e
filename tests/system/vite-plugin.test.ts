/**
 * The console in the dev server of an application, in a real browser, and the examples that include
 * the console.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { createServer, defaultClientConditions, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixpointConsole } from '../../packages/vite-plugin/src/index.ts';
import { makeDatabase } from './local.fixture.ts';
import { chooseIn, launchChromium, removeFolder, temporaryFolder, visitor } from './product.fixture.ts';

const options = { configFile: false, logLevel: 'error' } as const;
const resolve = { conditions: ['fixpoint-source', ...defaultClientConditions] };
const folder = temporaryFolder();
const consoleFolder = 'packages/console/dist';
let browser: Browser;
let notes: ViteDevServer;
let url: string;
let port: number;

beforeAll(async () => {
  browser = await launchChromium();
  notes = await createServer({
    root: 'examples/react-notes',
    cacheDir: join(folder, 'vite'),
    logLevel: 'error',
    resolve,
    server: { host: '127.0.0.1', port: 0, hmr: { port: 0 } },
  });
  await notes.listen();
  const address = notes.httpServer?.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
  url = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  await browser?.close();
  await notes?.close();
  removeFolder(folder);
});

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly location: string | undefined;
  readonly policy: string;
  readonly body: string;
}

/** Sends the path unchanged. `fetch` would normalise the path. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((done, failed) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let body = '';
      response.setEncoding('latin1');
      response.on('data', (part: string) => {
        body += part;
      });
      response.on('end', () =>
        done({
          status: response.statusCode ?? 0,
          type: String(response.headers['content-type'] ?? ''),
          location: response.headers.location,
          policy: String(response.headers['content-security-policy'] ?? ''),
          body,
        }),
      );
    });
    sent.on('error', failed).end();
  });
}

test('shows writes of an application live in the console on the same origin', async () => {
  const { page, context, problems, shot } = await visitor(browser, { serviceWorkers: 'allow' });
  await page.goto(url);
  await page.getByLabel('Note').fill('written by the application');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('listitem').filter({ hasText: 'written by the application' }).waitFor();

  const shown = await context.newPage();
  shown.on('pageerror', (error) => problems.push(`console page: ${error.message}`));
  shown.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console page: ${message.text()}`);
  });
  await shown.goto(`${url}/fp`);
  expect(new URL(shown.url()).pathname).toBe('/fp/databases');
  await shown.getByRole('list', { name: 'Databases of this browser' }).getByText('notes').click();
  await shown.getByText('written by the application').first().waitFor();

  // Changes appear live, without a reload.
  await page.getByLabel('Note').fill('a second one');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await shown.getByText('a second one').first().waitFor();
  await shown.reload();
  await shown.getByText('a second one').first().waitFor();
  await shot('vite-plugin-application');

  // The page loads the worker for typed map functions from below the mount.
  await shown.goto(`${url}/fp/databases/notes/query`);
  await shown.getByRole('button', { name: 'Query', exact: true }).click();
  await shown.getByText(/^2 rows in [\d,]+ ms/).waitFor();

  const workers = await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  expect(workers).toBe(0);
  // The page didn't try to register a service worker. If the page had tried, it would have recorded
  // a failure, because the dev server has no such file.
  expect(await shown.evaluate(() => document.documentElement.dataset['offline'])).toBeUndefined();
  expect(problems).toEqual([]);
  await context.close();
});

test('shows no links to the cloud when there is no server, and reports the missing server on cloud pages', async () => {
  const { page, context, problems } = await visitor(browser);
  page.on('dialog', (dialog) => void dialog.accept());
  await makeDatabase(page, url, 'gone-soon', []);
  const header = page.getByRole('banner');
  await header.getByRole('button', { name: /^Switch to/ }).waitFor({ state: 'visible' });
  expect(await page.getByRole('link', { name: /^(Cloud|Sign in)$/ }).count()).toBe(0);
  await chooseIn(page, 'Database actions', 'Delete Database');
  await page.waitForURL(`${url}/fp/databases`);
  await page.getByLabel('Name of your first database').waitFor({ state: 'visible' });
  await header.getByRole('link', { name: 'Fixpoint' }).click();
  await page.waitForURL(`${url}/fp/databases`);
  await page.goto(`${url}/fp/cloud`);
  await page.getByText('Couldn’t find a Fixpoint server at this address.').waitFor({ state: 'visible' });
  await page.getByRole('link', { name: 'Local databases' }).click();
  await page.waitForURL(`${url}/fp/databases`);
  expect(problems).toEqual([]);
  await context.close();
});

describe('requests below /fp', () => {
  test('serves each file of the console with its type', async () => {
    const types: Record<string, string> = {
      js: 'text/javascript',
      css: 'text/css',
      svg: 'image/svg+xml',
      wasm: 'application/wasm',
      woff2: 'font/woff2',
    };
    const names = readdirSync(join(consoleFolder, 'assets')).filter((name) => !name.endsWith('.map'));
    expect(names.length).toBeGreaterThan(20);
    for (const name of [...names.map((each) => `assets/${each}`), 'favicon.svg', 'theme.js']) {
      const { status, type, body } = await ask(`/fp/${name}`);
      expect([name, status]).toEqual([name, 200]);
      expect([name, type.split(';')[0]]).toEqual([name, types[name.split('.').at(-1) ?? '']]);
      expect([name, body === readFileSync(join(consoleFolder, name), 'latin1')]).toEqual([name, true]);
    }
  });

  test('serves the same page for each console path, with files below the mount', async () => {
    for (const path of ['/fp/databases', '/fp/databases/a/docs/b.c?x=1', '/fp/cloud']) {
      const { status, type, body, policy } = await ask(path);
      expect([path, status, type]).toEqual([path, 200, 'text/html; charset=utf-8']);
      expect(policy).toContain("script-src 'self'");
      expect(body.match(/(src|href)="\/(?!fp\/)/g)).toBeNull();
      expect(body).toContain('data-mounted');
    }
    const unknown = await ask('/fp/nowhere', { accept: 'text/html' });
    expect([unknown.status, unknown.type]).toEqual([404, 'text/html; charset=utf-8']);
  });

  test('keeps the policy of the worker that runs typed functions', async () => {
    const names = readdirSync(join(consoleFolder, 'assets'));
    const name = names.find((each) => each.startsWith('map-worker'));
    const wasm = names.filter((each) => each.endsWith('.wasm'));
    expect(wasm).toHaveLength(1);
    const policyFor = (origin: string) =>
      `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src ${origin}/fp/assets/${wasm[0]}`;
    expect((await ask(`/fp/assets/${name}`)).policy).toBe(policyFor(url));
    const forwarded = { 'x-forwarded-host': 'notes.example', 'x-forwarded-proto': 'https' };
    expect((await ask(`/fp/assets/${name}`, forwarded)).policy).toBe(policyFor('https://notes.example'));
    const odd = { 'x-forwarded-host': "x; script-src 'unsafe-inline'" };
    expect((await ask(`/fp/assets/${name}`, odd)).policy).toBe(policyFor(url));
  });

  test('[S8] runs a typed map function below the mount', async () => {
    const { page, context, problems } = await visitor(browser);
    await makeDatabase(page, url, 'mapped', [{ _id: 'a', n: 1 }]);
    await page.goto(`${url}/fp/databases/mapped/query`);
    await page.getByRole('button', { name: 'Query', exact: true }).click();
    await page.getByText(/^1 row in/).waitFor({ state: 'visible' });
    expect(problems).toEqual([]);
    await context.close();
  });

  test("serves no path outside the console's folder", async () => {
    const ways = [
      '/fp/../package.json',
      '/fp/../../../package.json',
      '/fp/assets/../../package.json',
      '/fp/%2e%2e/package.json',
      '/fp/..%2fpackage.json',
      '/fp/assets/..%2f..%2fpackage.json',
      '/fp/..\\package.json',
      '/fp//package.json',
      '/fp/%00',
      '/fp/assets',
      '/fp/index.html',
      '/fp/sw.js',
    ];
    for (const way of ways) {
      const { status, body } = await ask(way);
      expect([way, status, body]).toEqual([way, 404, 'Not found']);
    }
  });

  test('rejects requests for other host names, like the dev server', async () => {
    expect((await ask('/fp/databases', { host: 'elsewhere.example' })).status).toBe(403);
  });

  test('leaves all other requests to the application', async () => {
    expect((await ask('/', { accept: 'text/html' })).body).toContain('<title>Notes</title>');
    expect((await ask('/fpx', { accept: 'text/html' })).body).toContain('<title>Notes</title>');
    expect((await ask('/fp', {}, 'PUT')).location).toBeUndefined();
    expect((await ask('/fp', {})).location).toBe('/fp/databases');
    expect((await ask('/fp/databases', {}, 'HEAD')).body).toBe('');
  });
});

test('reports a folder without a built console', async () => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  cpSync('examples/plain-javascript/index.html', join(folder, 'index.html'));
  const server = await createServer({
    ...options,
    root: folder,
    plugins: [fixpointConsole({ folder: empty })],
    server: { host: '127.0.0.1', port: 0, hmr: { port: 0 } },
    optimizeDeps: { noDiscovery: true },
  });
  try {
    await server.listen();
    const address = server.httpServer?.address();
    const at = typeof address === 'object' && address !== null ? address.port : 0;
    const answer = await fetch(`http://127.0.0.1:${at}/fp/databases`);
    expect([answer.status, await answer.text()]).toEqual([404, `No built console is in ${empty}`]);
  } finally {
    await server.close();
  }
});

test.each(['react-notes', 'plain-javascript'])(
  'builds the example %s for production, without the console',
  async (name) => {
    const out = join(folder, name);
    const { NODE_ENV: _, ...env } = process.env;
    const command = ['node_modules/vite/bin/vite.js', 'build', `examples/${name}`, '--outDir', out];
    await promisify(execFile)(process.execPath, [...command, '--logLevel', 'error'], { env });
    const files = readdirSync(out, { recursive: true, encoding: 'utf8' });
    expect(files).toContain('index.html');
    const texts = files
      .filter((file) => /\.(html|js)$/.test(file))
      .map((file) => readFileSync(join(out, file), 'utf8'));
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.filter((text) => text.includes('/fp/databases')).length).toBe(0);
  },
);

test('keeps the list of the plain page after a reload', async () => {
  const server = await createServer({
    ...options,
    root: 'examples/plain-javascript',
    cacheDir: join(folder, 'vite-plain'),
    resolve,
    server: { host: '127.0.0.1', port: 0, hmr: { port: 0 } },
  });
  const { page, context, problems } = await visitor(browser);
  try {
    await server.listen();
    const address = server.httpServer?.address();
    await page.goto(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`);
    await page.getByLabel('What to buy').fill('Milk');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Milk' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Bought Milk' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Milk' }).waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  } finally {
    await context.close();
    await server.close();
  }
});
