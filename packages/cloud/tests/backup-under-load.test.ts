/** Backs up servers while clients write, and restores each backup. */
import { appendFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { budget, patienceMs } from '../../engine/tests/budget.fixture.ts';
import { type CloudConfig, checkServer, restore } from '../src/index.ts';
import { S3 } from '../src/objects/s3.fixture.ts';
import { POSTGRES } from '../src/tables/postgres.fixture.ts';
import {
  emptyServer,
  type Kind,
  lackingIn,
  runBackup,
  startedServer,
  startLoad,
  tornIn,
} from './backup.fixture.ts';
import { temporaryFolder } from './cloud.fixture.ts';
import { build } from './process.fixture.ts';

beforeAll(build);

const ROUNDS = budget({ commit: 2, night: 20, release: 20 });
const PER_SECOND = 200;
/** Each database has one writer, so this is also the number of writes in transit. */
const LEDGERS = 32;
const ROUNDS_OF_SERVER = 4;

/** Writes the figures of a round to the file that the environment names. */
async function report(figures: object): Promise<void> {
  const file = process.env['FIXPOINT_BACKUP_FIGURES'];
  if (file !== undefined) await appendFile(file, `${JSON.stringify(figures)}\n`);
}

const secondsSince = (start: number): number => (performance.now() - start) / 1000;

/** Makes backups of several servers one after another, so that their data stays small. */
async function backsUpAndRestores(kind: Kind): Promise<void> {
  for (let round = 0; round < ROUNDS; round += ROUNDS_OF_SERVER)
    await onOneServer(kind, round, Math.min(ROUNDS, round + ROUNDS_OF_SERVER));
}

async function onOneServer(kind: Kind, first: number, end: number): Promise<void> {
  const { config, server, url, ledgers } = await startedServer(kind, LEDGERS);
  const to = { kind: 'folder', path: await temporaryFolder() } as const;
  const load = await startLoad(url, ledgers, PER_SECOND);
  for (let round = first; round < end; round += 1) {
    load.pause(false);
    const earlier = load.acknowledged.length;
    const starting = performance.now();
    await expect.poll(() => load.acknowledged.length).toBeGreaterThan(earlier + PER_SECOND);
    const before = load.acknowledged.slice();
    const rateBefore = (before.length - earlier) / secondsSince(starting);
    const backingUp = performance.now();
    const made = await runBackup(config, to.path);
    const backupSeconds = secondsSince(backingUp);
    const writesDuring = load.acknowledged.length - before.length;
    load.pause(true);
    const fresh = await emptyServer(kind);
    const restoring = performance.now();
    const restored = await restore(fresh, { ...to, path: `${to.path}/${made.id}` }, undefined);
    const restoreSeconds = secondsSince(restoring);
    expect(restored).toEqual(made);
    expect(await lackingIn(fresh, before)).toEqual([]);
    expect(await tornIn(fresh)).toEqual([]);
    const { proven } = await requireClean(fresh);
    expect(proven).toBeGreaterThan(0);
    await report({
      kind,
      round,
      acknowledged: before.length,
      writesDuring,
      rateBefore,
      rateDuring: writesDuring / backupSeconds,
      backupSeconds,
      restoreSeconds,
      proven,
      ...made,
    });
  }
  await load.stop();
  expect(await lackingIn(config, load.acknowledged)).toEqual([]);
  await requireClean(config);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
}

async function requireClean(config: CloudConfig) {
  const checked = await checkServer(config);
  expect(checked).toMatchObject({ tables: [], missing: [], damaged: [], orphans: [] });
  return checked;
}

test(
  `[R14] restores each of ${ROUNDS} backups made beside writers, with every write acknowledged before, from SQLite and a folder`,
  () => backsUpAndRestores('sqlite'),
  patienceMs(),
);

describe.skipIf(POSTGRES === undefined || S3 === undefined)(
  'on PostgreSQL and a bucket (skipped without FIXPOINT_TEST_POSTGRES and FIXPOINT_TEST_S3)',
  () => {
    test(
      `[R14] restores each of ${ROUNDS} backups made beside writers, with every write acknowledged before`,
      () => backsUpAndRestores('postgres'),
      patienceMs(),
    );
  },
);
