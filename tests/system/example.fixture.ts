/** Builds examples from the sources of the packages, and serves them as `vite preview` does. */
import { join } from 'node:path';
import { build, defaultClientConditions, preview } from 'vite';
import { vi } from 'vitest';

export interface ServedExample {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * @param folder where the built files go
 * @param port the port to serve at; 0 for any free port
 * @param env settings that the example reads during its build
 */
export async function servedExample(
  name: string,
  folder: string,
  port = 0,
  env: Readonly<Record<string, string>> = {},
): Promise<ServedExample> {
  const root = `examples/${name}`;
  const outDir = join(folder, name);
  const resolve = { conditions: ['fixpoint-source', ...defaultClientConditions] };
  // Like `vite build` in a shell. The plugins build for development under vitest's `NODE_ENV`.
  for (const [key, value] of Object.entries({ ...env, NODE_ENV: 'production' })) vi.stubEnv(key, value);
  await build({ root, logLevel: 'error', resolve, build: { outDir, emptyOutDir: true } });
  const server = await preview({
    configFile: false,
    root,
    logLevel: 'error',
    build: { outDir },
    preview: { host: '127.0.0.1', port, strictPort: port !== 0 },
  });
  const address = server.httpServer.address();
  const served = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${served}`, close: () => server.close() };
}
