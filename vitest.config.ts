import { defineConfig } from 'vitest/config';
import { mutantPlugin } from './scripts/mutation/plugin.mjs';

/**
 * Resolves React 18 for the project `react-18`. All other projects use the workspace's React 19.
 * Only the ES module build of the testing library accepts another React.
 */
const older = (path: string) => new URL(`./tests/react-18/node_modules/${path}`, import.meta.url).pathname;
const OLDER_REACT = [
  {
    find: /^@testing-library\/react$/,
    replacement: new URL(
      './node_modules/@testing-library/react/dist/@testing-library/react.esm.js',
      import.meta.url,
    ).pathname,
  },
  { find: /^react$/, replacement: older('react/index.js') },
  { find: /^react\/jsx-(dev-)?runtime$/, replacement: older('react/jsx-$1runtime.js') },
  { find: /^react-dom$/, replacement: older('react-dom/index.js') },
  { find: /^react-dom\/(client|server|test-utils)$/, replacement: older('react-dom/$1.js') },
];

/**
 * Resolves the parts of Svelte and Solid for browsers. Without these, tests would load their parts
 * for servers, as Node does.
 */
const client = (path: string) => new URL(`./node_modules/${path}`, import.meta.url).pathname;
const CLIENTS = [
  { find: /^solid-js$/, replacement: client('solid-js/dist/solid.js') },
  { find: /^svelte\/(reactivity|store)$/, replacement: client('svelte/src/$1/index-client.js') },
];

/**
 * Milliseconds after which a test or a hook counts as hung: longer than any of them takes on a
 * machine that is ten times busier than usual. Hangs are rare, and a run that fails on a busy
 * machine costs more than a wait.
 */
const PATIENCE = { testTimeout: 300_000, hookTimeout: 300_000 };
const SHORT_PATIENCE = { testTimeout: 120_000, hookTimeout: 120_000 };

/** Uses a fixed seed, because a failure with random inputs is useless if nobody can repeat it. */
const SEEDED = [
  {
    find: /^fast-check$/,
    replacement: new URL('./tests/fast-check.fixture.ts', import.meta.url).pathname,
  },
];

/** Loads sources directly, so that tests need no build. */
const conditions = ['fixpoint-source'];

/**
 * Keeps temporary files in memory for tests that don't depend on disks, if `scripts/test.mjs` found
 * enough memory. `processes` and `system` write to the disk.
 */
const memory = process.env['FIXPOINT_TEST_MEMORY'];
const inMemory = memory === undefined ? {} : { TMPDIR: memory };

const setup = (name: string) => new URL(`./tests/${name}.setup.ts`, import.meta.url).pathname;

/** Tests that replace modules. They need their own copies of all modules that load these. */
const MOCKED = ['packages/**/*.mocked.test.ts'];

/**
 * Tests of code that reaches the database only through its tables, whose own tests always run on
 * PostgreSQL.
 */
const ABOVE_TABLES = [
  'packages/cloud/src/{admin,identity}/**/*.test.ts',
  'packages/cloud/tests/{accounts,factors,gateway,providers,sockets}.test.ts',
];

/**
 * Tests of the cloud that also run on PostgreSQL, with a bucket and NATS if they are available: see
 * `npm run services`.
 */
const scaleOut = {
  extends: true as const,
  test: {
    name: 'scale-out',
    include: [
      'packages/cloud/src/{maintenance,rights,tables}/**/*.test.ts',
      'packages/cloud/src/gateway/following/fan-out.test.ts',
      'packages/cloud/tests/{admin-contract,interleaved,log-policy,objects,revocation}.test.ts',
      ...(process.env['FIXPOINT_BUDGET'] === 'commit' ? [] : ABOVE_TABLES),
    ],
    // The matrix of rights is long, and the same on every database.
    exclude: ['packages/cloud/src/admin/access.test.ts', '**/node_modules/**', ...MOCKED],
    env: { TEST_DATABASE: 'postgres', ...inMemory },
    ...SHORT_PATIENCE,
  },
};

/** Simulations and generated inputs, which need only a processor. */
const SIMULATED = [
  'packages/engine/tests/{compaction,convergence,fuzz,fuzz-gestalt,fuzz-sealed,model,pending-power-loss,power-loss,process-world,query-model,restated-rows,stored-indexes,trace}.test.ts',
  'packages/cloud/tests/fuzz.test.ts',
  'tests/faults/{clocks,liveness,restored,subscriptions,synced,tokens}.test.ts',
];

/** Each of these tests creates a database, which is too slow for the check before a commit. */
const WITH_TABLES = ['packages/cloud/src/{admin,identity,gateway,maintenance,rights,tables}/**/*.test.ts'];

/**
 * Large inputs or slow keys: seconds per file, so they aren't part of the check before a commit.
 */
const LARGE = [
  'packages/engine/src/clock/long-histories.test.ts',
  'packages/engine/src/crypto/key-history.test.ts',
  'packages/engine/src/platform/node/file-key-bag.test.ts',
  'packages/cloud/src/objects/s3-objects.test.ts',
];

/** Journeys through the console that also run in Firefox, by night. */
const IN_FIREFOX = [
  'by-keyboard',
  'by-keyboard-tools',
  'conflict',
  'connect',
  'connect-elsewhere',
  'documents',
  'editor',
  'files',
  'hand-off',
  'history',
  'import',
  'ledger-settings',
  'local-pages',
  'merge',
  'query',
  'sharing',
  'spreadsheet',
  'story',
];
const firefox = {
  extends: true as const,
  test: {
    name: 'firefox',
    include: IN_FIREFOX.map((name) => `tests/system/${name}.test.ts`),
    env: { TEST_BROWSER: 'firefox' },
    ...PATIENCE,
    fileParallelism: false,
  },
};

/** The change of one file that scripts/mutation.mjs tries, as JSON. */
const mutant = process.env['FIXPOINT_MUTANT'];

export default defineConfig({
  plugins: mutant === undefined ? [] : [mutantPlugin(mutant)],
  resolve: { conditions: [...conditions, 'node', 'import', 'module', 'default'], alias: SEEDED },
  // Node itself applies these conditions. Excludes `import`, because Node would also apply it to
  // `require`, which would then load ES modules, and `module`, whose files are often for bundlers.
  ssr: { resolve: { conditions: [...conditions, 'node', 'default'] } },
  test: {
    // Test files share one process and its loaded modules. A process per file took a quarter of the
    // time.
    isolate: false,
    unstubGlobals: true,
    // Keeps transformed files between runs, except with a mutant: it changes the loaded code but
    // not the file, so the cache would return the unchanged code.
    experimental: { fsModuleCache: mutant === undefined },
    unstubEnvs: true,
    setupFiles: [setup('every-file')],
    // This timeout is long, because machines can be busy. The test's own timeout still applies.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          env: inMemory,
          include: ['packages/*/src/**/*.test.ts', 'tests/architecture/**/*.test.ts'],
          exclude: ['**/*.browser.test.ts', '**/node_modules/**', ...WITH_TABLES, ...LARGE, ...MOCKED],
          ...SHORT_PATIENCE,
        },
      },
      {
        extends: true,
        resolve: { alias: CLIENTS },
        test: {
          name: 'dom',
          include: ['packages/*/src/**/*.test.tsx'],
          exclude: ['**/node_modules/**', ...MOCKED],
          environment: 'happy-dom',
          setupFiles: [setup('dom')],
          ...SHORT_PATIENCE,
        },
      },
      {
        extends: true,
        test: {
          name: 'tables',
          env: inMemory,
          include: [...WITH_TABLES, ...LARGE],
          exclude: ['**/node_modules/**', ...MOCKED],
          ...SHORT_PATIENCE,
        },
      },
      {
        extends: true,
        resolve: { alias: OLDER_REACT },
        test: {
          name: 'react-18',
          include: ['packages/react/src/**/*.test.tsx'],
          environment: 'happy-dom',
          setupFiles: [setup('dom')],
          server: { deps: { inline: [/@testing-library\/react/] } },
          env: { REACT_MAJOR: '18' },
          ...SHORT_PATIENCE,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['packages/*/tests/**/*.test.ts', 'tests/{interop,security,faults}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...SIMULATED, ...MOCKED],
          ...PATIENCE,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['packages/*/src/**/*.browser.test.ts', 'tests/system/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
          ...PATIENCE,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'simulated',
          include: SIMULATED,
          ...PATIENCE,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: { name: 'mocked', include: MOCKED, env: inMemory, isolate: true, ...PATIENCE },
      },
      ...(process.env['FIXPOINT_TEST_POSTGRES'] === undefined ? [] : [scaleOut]),
      ...(process.env['FIREFOX_PATH'] === undefined ? [] : [firefox]),
    ],
  },
});
