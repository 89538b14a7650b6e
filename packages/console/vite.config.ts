import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { documentation } from './build/documentation/documentation.ts';
import { listFiles } from './build/list-files.ts';
import { preloadPages } from './build/preload-pages.ts';
import { LICENSES_FILE, thirdPartyLicenses } from './build/third-party-licenses.ts';

const cloud = process.env['FIXPOINT_CLOUD'] ?? 'http://127.0.0.1:7371';

const SERVICE_WORKER = 'sw.js';
const PRELOAD = 'preload.js';
/** The search of the documentation. */
const SEARCH = 'docs/search.js';
/** Self-contained scripts, each built as one file with a fixed name. */
const ALONE: Record<string, string> = { sw: SERVICE_WORKER, preload: PRELOAD, search: SEARCH };
const isOfThem = /\/src\/(offline\/service-worker|preload\/|documentation\/)|\/minisearch\//;
/**
 * Modules that nearly every page uses, without the parts of `ui/` that need a large library, or
 * that no first screen shows.
 */
const FRAME =
  /lucide-react|\/src\/(ui\/(?!overlays\/(?:confirm-dialog|dialog|menu|picker|sheet)|shortcut-groups|progress|text\/qr-image)|leaving\/|local\/|features\/(commands|layout|session)\/)/;

/** Modules that many pages share, but no first screen. */
const LATER =
  /lucide-react\/dist\/esm\/icons\/(?:braces|brackets|calendar|chart-column|download|git-merge|hard-drive|hash|link-2|list-tree|pencil|rotate-ccw|scissors|sliders-horizontal|table|toggle-left|type)|\/src\/(?:ui\/(?:badge|facts|row-list|use-is-narrow|use-is-wide|use-settled|forms\/segments|pages\/(?:settings|tabs|use-address-choice)|text\/moment|theme\/text-scale)|local\/(?:ask|can-write|confirmed-connection|document-counts|document-path|elsewhere-access|lock)|features\/(?:connect\/connect-links|keys\/use-known-kind|sync\/use-storage|transfer\/save-file))(?=\.)/;

const repository = join(import.meta.dirname, '../..');
const licenses = thirdPartyLicenses(repository);

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    tailwindcss(),
    preloadPages(PRELOAD),
    licenses.page(),
    documentation(repository),
    listFiles(import.meta.dirname, SERVICE_WORKER, [LICENSES_FILE]),
  ],
  resolve: { conditions: ['fixpoint-source', ...defaultClientConditions] },
  worker: { format: 'es', plugins: () => [licenses.worker()] },
  // Scripts resolve each other relatively, so that the same files also work below `/fp/` of an
  // application's dev server.
  experimental: {
    renderBuiltUrl: (_file, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  // The page's content policy forbids data: addresses.
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    // `npm run check` measures the scripts that pages load. Large chunks load on demand.
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      input: {
        index: join(import.meta.dirname, 'index.html'),
        sw: join(import.meta.dirname, 'src/offline/service-worker.ts'),
        preload: join(import.meta.dirname, 'src/preload/preload.ts'),
        search: join(import.meta.dirname, 'src/documentation/search.ts'),
      },
      output: {
        entryFileNames: ({ name }) => ALONE[name] ?? 'assets/[name]-[hash].js',
        // Few files, because each costs a request and browsers send six in parallel.
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], test: (id) => !isOfThem.test(id), priority: 2 },
            { name: 'frame', test: (id) => FRAME.test(id) && !LATER.test(id), minShareCount: 3, priority: 1 },
            { name: 'later', test: LATER, minShareCount: 2 },
          ],
        },
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
      // Only this exact path is the gateway; the paths below it are pages of the console.
      '^/fp$': cloud,
    },
  },
});
