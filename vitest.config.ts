import { defineConfig } from 'vitest/config';
import { mutantPlugin } from './scripts/mutation/plugin.mjs';

/** React 18 beside React 19, which the workspace has. The build of the testing library that can be given another React is the one of ES modules. */
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
  { find: /^react-dom\/(client|test-utils)$/, replacement: older('react-dom/$1.js') },
];

/**
 * How long a test and a hook may take before they count as hung: longer than any takes on a machine that is ten times busier than usual. What hangs is
 * rare, and a run that fails because the machine was busy costs more than a wait.
 */
const PATIENCE = { testTimeout: 300_000, hookTimeout: 300_000 };
const SHORT_PATIENCE = { testTimeout: 120_000, hookTimeout: 120_000 };

/** Tests that fail now and then, with inputs that nobody has seen since, are of no use. */
const SEEDED = [
  {
    find: /^fast-check$/,
    replacement: new URL('./tests/fast-check.fixture.ts', import.meta.url).pathname,
  },
];

/** Sources are read directly: no build is needed to test. */
const conditions = ['fixpoint-source'];

/** They replace modules, and need their own copies of those that load them. */
const MOCKED = ['packages/**/*.mocked.test.ts'];

/** Tests of the cloud that run once more on PostgreSQL, with a bucket and NATS where they are there too: see `npm run services`. */
const scaleOut = {
  extends: true as const,
  test: {
    name: 'scale-out',
    include: [
      'packages/cloud/src/{admin,identity,maintenance,rights,tables}/**/*.test.ts',
      'packages/cloud/src/gateway/following/fan-out.test.ts',
      'packages/cloud/tests/{gateway,sockets,objects,revocation,factors}.test.ts',
      'packages/cloud/tests/{admin-contract,accounts,providers,interleaved}.test.ts',
    ],
    // The matrix of rights is the same on every database, and long.
    exclude: ['packages/cloud/src/admin/access.test.ts', '**/node_modules/**', ...MOCKED],
    env: { TEST_DATABASE: 'postgres' },
    ...SHORT_PATIENCE,
  },
};

/** Worlds and inputs made from seeds: they need a processor and nothing else. */
const SIMULATED = [
  'packages/engine/tests/{compaction,convergence,fuzz,fuzz-gestalt,fuzz-sealed,model,power-loss,process-world,query-model,restated-rows,stored-indexes,trace}.test.ts',
  'packages/cloud/tests/fuzz.test.ts',
  'tests/faults/{clocks,liveness,restored,subscriptions,synced,tokens}.test.ts',
];

/** Each of their tests makes a database: too slow for the round before a commit. */
const WITH_TABLES = ['packages/cloud/src/{admin,identity,gateway,maintenance,rights,tables}/**/*.test.ts'];

/** Large inputs or slow keys: seconds for each file, so they aren't part of the round before a commit. */
const LARGE = [
  'packages/engine/src/clock/long-histories.test.ts',
  'packages/engine/src/crypto/key-history.test.ts',
  'packages/engine/src/platform/node/file-key-bag.test.ts',
  'packages/cloud/src/objects/s3-objects.test.ts',
];

/** One file with one change in it, for scripts/mutation.mjs. */
const mutant = process.env['FIXPOINT_MUTANT'];

export default defineConfig({
  plugins: mutant === undefined ? [] : [mutantPlugin(mutant)],
  resolve: { conditions: [...conditions, 'node', 'import', 'module', 'default'], alias: SEEDED },
  // Not `import`: Node is given these for what packages require, too, and would hand them modules in place of what they ask for.
  ssr: { resolve: { conditions: [...conditions, 'node', 'module', 'default'] } },
  test: {
    // Test files share one process and its loaded modules: starting one and loading them for each file took a quarter of the time.
    isolate: false,
    unstubGlobals: true,
    unstubEnvs: true,
    // A busy machine takes its time; a test that fails waits no longer than its own limit.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'tests/architecture/**/*.test.ts'],
          exclude: ['**/*.browser.test.ts', '**/node_modules/**', ...WITH_TABLES, ...LARGE, ...MOCKED],
          ...SHORT_PATIENCE,
        },
      },
      {
        extends: true,
        test: {
          name: 'dom',
          include: ['packages/*/src/**/*.test.tsx'],
          exclude: ['**/node_modules/**', ...MOCKED],
          environment: 'happy-dom',
          ...SHORT_PATIENCE,
        },
      },
      {
        extends: true,
        test: {
          name: 'tables',
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
        test: { name: 'mocked', include: MOCKED, isolate: true, ...PATIENCE },
      },
      ...(process.env['FIXPOINT_TEST_POSTGRES'] === undefined ? [] : [scaleOut]),
    ],
  },
});
