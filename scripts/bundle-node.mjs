/**
 * Bundles the entries of packages that Node loads into few files. Node needs about half a
 * millisecond for each file that it loads, and the packages have hundreds of files. The entries of
 * a package share chunks, so that all of them use the same state. With `--watch`, bundles again
 * after each change.
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './ready.mjs';

/** Source files below `src` by the names of the bundled files. */
export const ENTRIES = {
  protocol: { index: 'index.ts', admin: 'admin/index.ts', storage: 'storage/index.ts' },
  engine: {
    index: 'entries/node.ts',
    fireproof: 'entries/fireproof-node.ts',
    bridge: 'entries/bridge.ts',
    feed: 'entries/feed.ts',
    live: 'entries/live.ts',
    rows: 'entries/rows.ts',
    sandbox: 'entries/sandbox.ts',
    simulation: 'testing/index.ts',
    sqlite: 'entries/sqlite.ts',
    store: 'testing/store.ts',
    testing: 'testing/fake-cloud.ts',
    worker: 'entries/worker.ts',
  },
};

/**
 * Returns whether an import isn't bundled. Bundles valibot, of which the schemas use a small part,
 * because loading all of it takes longer than loading the engine.
 */
const isExternal = (id) => !/^[./\0]/.test(id) && id !== 'valibot';

/**
 * The program that `npm start` runs. Its folder is as deep as that of a compiled module, so that
 * relative paths to data files stay valid.
 */
export const SERVER = 'packages/cloud/dist/server/node/main.js';
/**
 * Packages that the bundle doesn't contain, because they have native parts or start threads from
 * their own files.
 */
const SERVER_LOADS = ['@fixpoint/protocol', 'libsql', 'nats', 'nodemailer', 'pg', 'pg-native', 'pino', 'ws'];

/**
 * Bundles the server with nearly all packages that it uses, because loading their hundreds of files
 * takes longer than everything else at the start.
 */
async function bundleServer(build, isWatching) {
  await build({
    configFile: false,
    root: join(root, 'packages/cloud'),
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: true,
      watch: isWatching ? {} : null,
      target: 'node20',
      outDir: dirname(join(root, SERVER)),
      emptyOutDir: true,
      sourcemap: true,
      rollupOptions: {
        external: (id) => SERVER_LOADS.some((name) => id === name || id.startsWith(`${name}/`)),
        input: { main: join(root, 'packages/cloud/src/main.ts') },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
}

async function bundleForNode(isWatching) {
  // Imported on demand, because a test that needs only `ENTRIES` imports this file.
  const { build } = await import('vite');
  await bundleServer(build, isWatching);
  for (const [name, entries] of Object.entries(ENTRIES)) {
    const folder = join(root, 'packages', name);
    const outDir = join(folder, 'dist', 'node');
    rmSync(outDir, { recursive: true, force: true });
    await build({
      configFile: false,
      root: folder,
      logLevel: 'error',
      ssr: { noExternal: ['valibot'] },
      build: {
        ssr: true,
        watch: isWatching ? {} : null,
        target: 'node20',
        outDir,
        // Node prints the line that throws an uncaught error, which must not be the whole file.
        minify: false,
        sourcemap: true,
        rollupOptions: {
          external: isExternal,
          input: Object.fromEntries(
            Object.entries(entries).map(([entry, file]) => [entry, join(folder, 'src', file)]),
          ),
          output: {
            entryFileNames: '[name].js',
            chunkFileNames: 'chunks/[name]-[hash].js',
          },
        },
      },
    });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleForNode(process.argv.includes('--watch'));
