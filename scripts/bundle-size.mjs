/**
 * How much script a browser loads, minified and gzipped (kB of 1,000 bytes): the engine without and with sync, and the console up to its
 * first screen. What is imported only when it is needed is not counted. Why these budgets: docs/decisions/0030.
 */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './ready.mjs';

const ENTRY = 'measured.js';

/** What a page of this one module loads; `base` is the folder whose packages it knows. */
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
    // Not as a library, whose white space vite leaves, and whose exports cut what is loaded later into pieces.
    build: {
      target: 'es2022',
      rollupOptions: { input: ENTRY, preserveEntrySignatures: 'allow-extension' },
    },
  });
  return loadedBytes(output, ({ isEntry }) => isEntry);
}

/** The screens that somebody may come to first, by their routes. */
const FIRST_SCREENS = [['login'], ['cloud', 'cloud._index'], ['databases', 'databases._index']];

/** The page's own script and that of the largest first screen; the service worker loads behind them. */
async function consoleBytes() {
  const [output] = await bundled({ root: join(root, 'packages/console') });
  const sizes = FIRST_SCREENS.map((routes) =>
    loadedBytes(output, ({ isEntry, name }) => (isEntry && name === 'index') || routes.includes(name)),
  );
  return Math.max(...sizes);
}

/** vite is loaded here alone, because this file is read before packages are installed. */
async function bundled(config) {
  const { build } = await import('vite');
  const quiet = { ...config, logLevel: 'error', build: { ...config.build, write: false, minify: true } };
  return [await build(quiet)].flat();
}

/** Gzipped size of the scripts that are loaded with those that match. */
function loadedBytes({ output }, isStart) {
  const chunks = new Map(
    output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]),
  );
  const loaded = new Set([...chunks.values()].filter(isStart).map(({ fileName }) => fileName));
  for (const name of loaded)
    for (const other of chunks.get(name).imports) if (chunks.has(other)) loaded.add(other);
  if (loaded.size === 0) throw new Error('nothing was built');
  let sum = 0;
  for (const name of loaded) sum += gzipSync(chunks.get(name).code, { level: 9 }).length;
  return sum;
}

const PARTS = [
  {
    name: 'the engine without sync',
    budget: 38_800,
    measure: () => scriptBytes("export { fixpoint } from 'fixpoint'"),
  },
  {
    name: 'the engine with sync',
    budget: 55_000,
    measure: () => scriptBytes("export { fixpoint, toCloud } from 'fixpoint'"),
  },
  {
    name: 'the page of an engine in a worker',
    budget: 5_700,
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
    process.stdout.write(
      `${isWithin ? 'ok  ' : 'FAIL'} ${name}: ${kB(bytes)} gzipped, of at most ${kB(budget)}\n`,
    );
    results.push({ passed: isWithin ? 1 : 0, failed: isWithin ? 0 : 1 });
  }
  return results;
}
