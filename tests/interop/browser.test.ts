/**
 * Runs `@fireproof/core` 0.24.19 from npm in a real browser. Fixpoint then imports the database
 * that this client wrote.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build, defaultClientConditions, type Rollup } from 'vite';
import { expect, onTestFinished, test } from 'vitest';
import { launchChromium } from '../system/product.fixture.ts';

type Shown = { readonly rows: unknown[]; readonly file: string; readonly head: readonly string[] };
/** Functions that the page defines. */
declare const write: (name: string) => Promise<Shown>;
declare const read: (name: string, how: 'fixpoint' | 'fireproof' | 'existing') => Promise<Shown>;
declare const change: (name: string) => Promise<void>;
declare const destroy: (name: string) => Promise<readonly string[]>;

async function pageUrl(): Promise<string> {
  const input = fileURLToPath(new URL('browser-page.fixture.ts', import.meta.url));
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['fixpoint-source', ...defaultClientConditions] },
    build: {
      write: false,
      target: 'es2022',
      minify: false,
      rolldownOptions: { input, output: { entryFileNames: 'page.js' } },
    },
  })) as Rollup.RollupOutput;
  const served = new Map(
    built.output.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]),
  );
  const server = createServer(({ url = '/' }, response) => {
    const script = served.get(url);
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.end(
      script ??
        '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('finds a database of the existing client in a browser by its name, imports it, and leaves the original unchanged', async () => {
  const url = await pageUrl();
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  await page.goto(url);
  const theirs = await page
    .evaluate(() => write('my notes'))
    .catch((cause: Error) => {
      throw new Error([...problems, cause.message].join('; '));
    });
  expect(theirs.rows).toHaveLength(21);
  expect(theirs.head.length).toBeGreaterThan(1);
  expect(theirs.file).toBe('attached');

  // Reloads the page, as happens when an application switches to Fixpoint.
  await page.reload();
  // `my notes` and `my_notes` name the same storage. A list of databases shows `my_notes`.
  expect(await page.evaluate(() => read('my_notes', 'fixpoint'))).toEqual(theirs);
  await page.evaluate(() => change('my notes'));
  await page.reload();
  const { rows } = await page.evaluate(() => read('my notes', 'fireproof'));
  expect(rows).toEqual([...theirs.rows, ['ours', 7]].sort());
  expect(await page.evaluate(() => read('my notes', 'existing'))).toEqual(theirs);
  expect(await page.evaluate(() => destroy('my_notes'))).toEqual([]);
  expect(problems).toEqual([]);
});
