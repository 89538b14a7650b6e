import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

const cloud = process.env.FIXPOINT_CLOUD ?? 'http://127.0.0.1:7371';

const SERVICE_WORKER = 'sw.js';

/** Tells the service worker which files there are; any change of one of them changes the worker, and so makes browsers fetch it anew. */
const listFiles = (): Plugin => ({
  name: 'list-files',
  apply: 'build',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const worker = bundle[SERVICE_WORKER];
    if (worker?.type !== 'chunk') return this.error('the service worker was not built');
    const fixed = readdirSync(join(import.meta.dirname, 'public'));
    const made = Object.keys(bundle).filter((name) => name !== SERVICE_WORKER && !name.endsWith('.map'));
    const files = ['index.html', ...fixed, ...made].map((name) => `/${name}`);
    const unique = [...new Set(files)].sort();
    const version = createHash('sha256').update(JSON.stringify(unique)).digest('hex').slice(0, 16);
    worker.code = `const FILES=${JSON.stringify(unique)},VERSION=${JSON.stringify(version)};${worker.code}`;
  },
});

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), listFiles()],
  resolve: { conditions: ['fixpoint-source', ...defaultClientConditions] },
  worker: { format: 'es' },
  // Scripts find each other beside themselves, so that the same files also work below `/fp/` of an application's dev server.
  experimental: {
    renderBuiltUrl: (_file, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  // The policy of the page lets no data: address be loaded.
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    rolldownOptions: {
      input: {
        index: join(import.meta.dirname, 'index.html'),
        sw: join(import.meta.dirname, 'src/offline/service-worker.ts'),
      },
      output: {
        entryFileNames: ({ name }) => (name === 'sw' ? SERVICE_WORKER : 'assets/[name]-[hash].js'),
      },
    },
  },
  server: {
    host: 'localhost',
    proxy: {
      '/api': cloud,
      '/auth': cloud,
      '/obj': cloud,
      '/.well-known': cloud,
      '/ws': { target: cloud, ws: true },
      // Requests to the gateway are PUTs of exactly this path; pages below it are the console's own.
      '^/fp$': cloud,
    },
  },
});
