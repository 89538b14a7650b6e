import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, removeFolder, temporaryFolder, visitor } from './product.fixture.ts';

/** A red pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

declare const roundTrip: (bytes: number) => Promise<{ same: boolean; parts: number; name: string }>;

const folder = temporaryFolder();
let browser: Browser;
let server: Server;
let url: string;

beforeAll(async () => {
  const script = await pageScript();
  server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(
      isScript
        ? script
        : '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script>',
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`;
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  server?.close();
  removeFolder(folder);
});

async function pageScript(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['fixpoint-source', 'module', 'browser', 'default'] },
    define: { 'process.env.NODE_ENV': '"development"' },
    build: {
      write: false,
      minify: false,
      lib: { entry: 'tests/system/files-page.tsx', formats: ['es'] },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((one) =>
    'output' in one ? one.output : [],
  );
  const chunk = outputs.find((one) => one.type === 'chunk' && one.isEntry);
  if (chunk?.type !== 'chunk') throw new Error('no page was built');
  return chunk.code;
}

test('shows and saves a chosen picture, and shows the picture from the database after a reload', async () => {
  const { page, problems } = await visitor(browser);
  const picture = join(folder, 'red.png');
  writeFileSync(picture, Buffer.from(PICTURE, 'base64'));
  await page.goto(url);
  await page.setInputFiles('input', picture);
  const width = (alt: string) =>
    page.getByAltText(alt).evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth);
  await expect.poll(() => width('chosen')).toBe(1);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('1 saved').waitFor();
  await expect.poll(() => width('stored')).toBe(1);
  await page.reload();
  await expect.poll(() => width('stored')).toBe(1);
  expect(problems).toEqual([]);
});

test('stores and reads a long file as several parts in IndexedDB', async () => {
  const { page, problems } = await visitor(browser);
  await page.goto(url);
  expect(await page.evaluate(() => roundTrip(9_000_000))).toEqual({ same: true, parts: 3, name: 'film.mp4' });
  expect(problems).toEqual([]);
});
