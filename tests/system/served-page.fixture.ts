/** Serves a page whose only content is a script, for engine tests in a real browser. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build, defaultClientConditions, type Rollup } from 'vite';

export interface ServedPage {
  readonly url: string;
  /** Paths, with queries, that browsers requested. */
  readonly requested: readonly string[];
  close(): void;
}

/**
 * Bundles `script`, which is a path relative to this file, and serves it until `close` is called.
 */
export async function servedPage(script: string): Promise<ServedPage> {
  const input = fileURLToPath(new URL(script, import.meta.url));
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['fixpoint-source', ...defaultClientConditions] },
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: { input, output: { entryFileNames: 'page.js' } },
    },
  });
  const scripts = new Map(
    (built as Rollup.RollupOutput).output.map((file) => [
      `/${file.fileName}`,
      file.type === 'chunk' ? file.code : file.source,
    ]),
  );
  const requested: string[] = [];
  const server = createServer(({ url: path = '/' }, response) => {
    requested.push(path);
    const found = scripts.get(path);
    response.setHeader('content-type', found === undefined ? 'text/html' : 'text/javascript');
    response.end(
      found ?? '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requested, close: () => void server.close() };
}
