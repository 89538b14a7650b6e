/**
 * Measures how much script a browser loads, minified and gzipped (kB of 1,000 bytes): for the
 * engine with and without sync, for the page of an engine in a worker, and for the console up to
 * its first screen. Lazy imports don't count. docs/decisions/0030 explains the budgets.
 */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './ready.mjs';

const ENTRY = 'measured.js';

/**
 * Returns the gzipped size of the scripts that a page with this module loads. Resolves packages
 * from `base`.
 */
export async function scriptBytes(code, base = root) {
  const { defaultClientConditions } = await import('vite');
  const [output] = await bundled({
    configFile: false,
    root: base,
    plugins: [
      {
        name: 'measured',
        resolveId: (id) => (id.endsWith(ENTRY) ? ENTRY : undefined),
        load: (id) => (id === ENTRY ? code : undefined),
      },
    ],
    resolve: { conditions: ['fixpoint-source', ...defaultClientConditions] },
    // Builds a page instead of a library. In a library, Vite keeps white space, and creates more
    // lazy chunks because of exports.
    build: {
      target: 'es2022',
      rollupOptions: { input: ENTRY, preserveEntrySignatures: 'allow-extension' },
    },
  });
  return loadedBytes(output, ({ isEntry }) => isEntry);
}

/** The routes of the screens that users may open first. */
const FIRST_SCREENS = [['login'], ['cloud', 'cloud._index'], ['databases', 'databases._index']];

/**
 * Returns the bytes of the page's script and its largest first screen. The service worker doesn't
 * count, because it loads later.
 */
async function consoleBytes() {
  const [output] = await bundled({ root: join(root, 'packages/console') });
  const sizes = FIRST_SCREENS.map((routes) =>
    loadedBytes(output, ({ isEntry, name }) => (isEntry && name === 'index') || routes.includes(name)),
  );
  return Math.max(...sizes);
}

/** Imports Vite on demand, because this file is loaded before packages are installed. */
async function bundled(config) {
  const { build } = await import('vite');
  const quiet = { ...config, logLevel: 'error', build: { ...config.build, write: false, minify: true } };
  return [await build(quiet)].flat();
}

/** Returns the gzipped size of the matching scripts and all scripts loaded with them. */
function loadedBytes({ output }, isStart) {
  const chunks = new Map(
    output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]),
  );
  const loaded = new Set([...chunks.values()].filter(isStart).map(({ fileName }) => fileName));
  for (const name of loaded)
    for (const other of chunks.get(name).imports) if (chunks.has(other)) loaded.add(other);
  if (loaded.size === 0) throw new Error('the build has no scripts');
  let sum = 0;
  for (const name of loaded) sum += gzipSync(chunks.get(name).code, { level: 9 }).length;
  return sum;
}

const PARTS = [
  {
    name: 'the engine without sync',
    budget: 38_000,
    measure: () => scriptBytes("export { fixpoint } from 'fixpoint'"),
  },
  {
    name: 'the engine with sync',
    budget: 55_000,
    measure: () => scriptBytes("export { fixpoint, toCloud } from 'fixpoint'"),
  },
  {
    name: 'the page of an engine in a worker',
    budget: 6_400,
    measure: () => scriptBytes("export { connectEngine, toCloud } from 'fixpoint/bridge'"),
  },
  { name: 'the console up to its first screen', budget: 165_000, measure: consoleBytes },
];

const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

/** Measures all parts, prints a line for each, and counts those within their budget. */
export async function bundleChecks() {
  const results = [];
  for (const { name, budget, measure } of PARTS) {
    const bytes = await measure();
    const isWithin = bytes <= budget;
    const line = `${name}: ${kB(bytes)} gzipped, of at most ${kB(budget)}`;
    process.stdout.write(`${isWithin ? 'ok  ' : 'FAIL'} ${line}\n`);
    results.push({ passed: isWithin ? 1 : 0, failed: isWithin ? 0 : 1, failures: isWithin ? [] : [line] });
  }
  return results;
}
