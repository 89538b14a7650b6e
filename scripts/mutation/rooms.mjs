/**
 * The critical code, which is the code that could lose or leak data, in named parts (rooms), each
 * with its tests. Quick tests are listed first; slower tests follow for changes that quick tests
 * miss.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../ready.mjs';

const engine = (...paths) => paths.map((path) => `packages/engine/${path}`);
const cloud = (...paths) => paths.map((path) => `packages/cloud/${path}`);

export const ROOMS = [
  {
    name: 'clock',
    files: /^packages\/engine\/src\/clock\//,
    tests: [
      engine('src/clock/', 'tests/golden/clock.test.ts', 'src/database/time-travel.test.ts'),
      engine('tests/history.test.ts', 'tests/convergence.test.ts', 'tests/model.test.ts'),
    ],
  },
  {
    name: 'crypto',
    files: /^packages\/engine\/src\/crypto\//,
    tests: [
      engine(
        'src/crypto/',
        'src/store/sealed-rows.test.ts',
        'tests/golden/crypto.test.ts',
        'tests/keys.test.ts',
      ),
      engine(
        'tests/golden/stores.test.ts',
        'tests/modes.test.ts',
        'tests/sealed-ledger.test.ts',
        'tests/fuzz-sealed.test.ts',
      ),
    ],
  },
  {
    name: 'store',
    files: /^packages\/engine\/src\/store\//,
    tests: [
      engine(
        'src/store/',
        'src/archive/',
        'src/database/open.test.ts',
        'tests/modes.test.ts',
        'tests/verify.test.ts',
      ),
      engine(
        'tests/storage-damage.test.ts',
        'tests/compaction.test.ts',
        'tests/files',
        'tests/retention.test.ts',
        'tests/golden/released.test.ts',
      ),
    ],
  },
  {
    name: 'commit',
    files: /^packages\/engine\/src\/commit\//,
    tests: [
      engine(
        'src/commit/',
        'src/database/',
        'tests/verify.test.ts',
        'tests/files',
        'tests/commit-rows.test.ts',
      ),
      engine(
        'tests/wrong-root.test.ts',
        'tests/malicious-member.test.ts',
        'tests/compaction-beside-writers.test.ts',
        'tests/processes.test.ts',
        'tests/news-of-others.test.ts',
        'tests/process-world.test.ts',
        'tests/compaction.test.ts',
        'tests/model.test.ts',
        'tests/retention.test.ts',
        'tests/readers-and-compaction.test.ts',
        'tests/power-loss.test.ts',
        'tests/sync-compaction.test.ts',
        'tests/sync-files.test.ts',
      ),
    ],
  },
  {
    name: 'recovery',
    files: /^packages\/engine\/src\/platform\/node\/(log\/|lock-holder|large-values|durable-file)/,
    tests: [
      engine('src/platform/node/'),
      engine(
        'tests/power-loss.test.ts',
        'tests/restated-rows.test.ts',
        'tests/storage-damage.test.ts',
        'tests/storage-faults.test.ts',
        'tests/full-disk.test.ts',
        'tests/lost-files.test.ts',
        'tests/modes.test.ts',
        'tests/golden/released.test.ts',
      ),
    ],
  },
  {
    name: 'platform',
    files:
      /^packages\/engine\/src\/platform\/(browser\/|node\/(?!log\/|lock-holder|large-values|durable-file))/,
    tests: [
      engine('src/platform/'),
      engine(
        'tests/keys.test.ts',
        'tests/modes.test.ts',
        'tests/lease.test.ts',
        'tests/existing-faults.test.ts',
        'tests/processes.test.ts',
        'tests/threads.test.ts',
        'tests/full-disk.test.ts',
        'tests/bridge.test.ts',
        'tests/golden/',
      ),
      ['tests/interop/existing-stores.test.ts', 'tests/system/tabs.test.ts'],
    ],
  },
  {
    name: 'sync',
    files: /^packages\/engine\/src\/sync\//,
    tests: [
      engine('src/sync/', 'tests/sync.test.ts', 'tests/sync-faults.test.ts', 'tests/sync-endpoints.test.ts'),
      engine(
        'tests/sync-',
        'tests/held.test.ts',
        'tests/upload-checks.test.ts',
        'tests/ledger-kind.test.ts',
        'tests/known-entries.test.ts',
        'tests/malicious-member.test.ts',
        'tests/sealed-ledger.test.ts',
        'tests/files',
        'tests/fuzz-sealed.test.ts',
        'tests/fuzz-gestalt.test.ts',
      ),
      [
        'tests/faults/many-entries.test.ts',
        'tests/faults/lost-objects.test.ts',
        'tests/faults/restored.test.ts',
        'tests/faults/synced.test.ts',
        'tests/faults/recovery-codes.test.ts',
        'tests/faults/removed-members.test.ts',
        'tests/faults/liveness.test.ts',
        'tests/faults/tokens.test.ts',
        'tests/faults/clocks.test.ts',
        'tests/faults/subscriptions.test.ts',
        'tests/interop/engine-gateway.test.ts',
        'tests/interop/files-gateway.test.ts',
        'tests/interop/sealed-gateway.test.ts',
      ],
    ],
  },
  {
    name: 'gateway',
    files: /^packages\/cloud\/src\/gateway\/(?!require-ledger\.ts)/,
    tests: [
      cloud('src/gateway/', 'tests/gateway.test.ts', 'tests/sockets.test.ts', 'tests/metas.test.ts'),
      cloud(
        'tests/ledger-keys.test.ts',
        'tests/key-policy.test.ts',
        'tests/withheld.test.ts',
        'tests/narrow-tokens.test.ts',
        'tests/objects.test.ts',
        'tests/refusals.test.ts',
        'tests/revocation.test.ts',
        'tests/fuzz.test.ts',
        'tests/proxy.test.ts',
        'tests/observe.test.ts',
        'tests/interleaved.test.ts',
        'tests/many-sockets.test.ts',
      ),
      [
        'tests/faults/many-entries.test.ts',
        'tests/faults/lost-objects.test.ts',
        'tests/faults/restored.test.ts',
        'tests/faults/removed-members.test.ts',
        'tests/faults/liveness.test.ts',
        'tests/faults/tokens.test.ts',
        'tests/interop/protocol-client.test.ts',
        'tests/interop/fireproof-gateway.test.ts',
        'tests/interop/sealed-gateway.test.ts',
      ],
    ],
  },
  {
    name: 'tables',
    files: /^packages\/cloud\/src\/tables\/(?!migrations)/,
    tests: [
      cloud('src/tables/', 'src/gateway/', 'tests/metas.test.ts', 'tests/ledger-keys.test.ts'),
      cloud('src/admin/', 'src/identity/', 'src/rights/', 'src/tokens/', 'tests/accounts.test.ts'),
      cloud(
        'tests/gateway.test.ts',
        'tests/key-policy.test.ts',
        'tests/withheld.test.ts',
        'tests/new-access.test.ts',
        'tests/mail-refusal.test.ts',
        'tests/objects.test.ts',
        'tests/revocation.test.ts',
        'tests/interleaved.test.ts',
        'tests/admin-contract.test.ts',
        'tests/factors.test.ts',
        'tests/process.test.ts',
      ),
    ],
  },
  {
    name: 'rights',
    files:
      /^packages\/cloud\/src\/(rights\/|gateway\/require-ledger\.ts|objects\/(signed-url|object-name)\.ts|tokens\/cloud-tokens\.ts)/,
    tests: [
      cloud(
        'src/rights/',
        'src/gateway/require-ledger.test.ts',
        'src/objects/signed-url.test.ts',
        'src/tokens/',
      ),
      cloud(
        'src/gateway/following/fan-out.test.ts',
        'src/admin/sharing.test.ts',
        'src/admin/api-tokens.test.ts',
        'tests/ledger-keys.test.ts',
        'tests/refusals.test.ts',
        'tests/objects.test.ts',
        'tests/revocation.test.ts',
      ),
    ],
  },
];

const sources = readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })
  .map((path) => `packages/${path}`)
  .filter((path) => /\/src\/.*\.ts$/.test(path) && !/node_modules|\/dist\/|\.(test|fixture)\.ts$/.test(path));

/** Returns the files of a room. */
export const filesOf = ({ files }) => sources.filter((path) => files.test(path));
