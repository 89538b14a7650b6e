/** Runs the engine in a worker of a real browser, on the browser's IndexedDB. */
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build, defaultClientConditions, type Rollup } from 'vite';
import { expect, test } from 'vitest';
import { launchChromium } from './product.fixture.ts';

const input = fileURLToPath(new URL('bridge-page.fixture.ts', import.meta.url));

/** Bundles the page and its worker. Returns the bundled files by path. */
async function scripts(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['fixpoint-source', ...defaultClientConditions] },
    worker: { format: 'es' },
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: { input, output: { entryFileNames: 'page.js' } },
    },
  });
  const { output } = built as Rollup.RollupOutput;
  return new Map(
    output.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]),
  );
}

test('writes, reads, pages, searches and updates documents through a worker, also of a collection', async () => {
  const served = await scripts();
  const server = createServer(({ url = '/' }, response) => {
    const script = served.get(url);
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.end(script ?? '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await launchChromium();
  try {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    await page.goto(`http://127.0.0.1:${address.port}/`);
    await expect
      .poll(async () => [...problems, await page.title()].join())
      .toBe('doc-01000 2002 200 hello NOT_FOUND 2000+1 b:21');
  } finally {
    await browser.close();
    server.close();
  }
});
