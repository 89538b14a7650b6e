import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/**
 * Passes the list of files to the service worker. When a file changes, the worker's code changes
 * too, so browsers fetch the worker again. Omits the documentation, because it is large.
 * @param except other files that are used too rarely to be cached
 */
export const listFiles = (root: string, serviceWorker: string, except: readonly string[] = []): Plugin => ({
  name: 'list-files',
  apply: 'build',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const worker = bundle[serviceWorker];
    if (worker?.type !== 'chunk') return this.error('the service worker was not built');
    const fixed = readdirSync(join(root, 'public'));
    const made = Object.keys(bundle).filter(
      (name) =>
        ![serviceWorker, ...except].includes(name) && !name.startsWith('docs/') && !name.endsWith('.map'),
    );
    const files = ['index.html', ...fixed, ...made].map((name) => `/${name}`);
    const unique = [...new Set(files)].sort();
    const version = createHash('sha256').update(JSON.stringify(unique)).digest('hex').slice(0, 16);
    worker.code = `const FILES=${JSON.stringify(unique)},VERSION=${JSON.stringify(version)};${worker.code}`;
  },
});
