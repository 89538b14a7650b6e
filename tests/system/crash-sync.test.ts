/**
 * Kills a client during a sync. The client's acknowledged writes must exist after a restart, and
 * reach other devices.
 */
import { join } from 'node:path';
import { type Cloud, defaultConfig, startCloud } from '@fixpoint/cloud';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixpoint, toCloud } from '../../packages/engine/src/entries/node.ts';
import { seededRandom } from '../../packages/engine/src/testing/seeded-random.ts';
import { budget, patienceMs, seed } from '../../packages/engine/tests/budget.fixture.ts';
import {
  expectNothingLost,
  someMoment,
  writeUntilKilled,
} from '../../packages/engine/tests/killed-writer.fixture.ts';
import { newLedger } from './ledger.fixture.ts';
import { removeFolder, temporaryFolder } from './product.fixture.ts';

const KILLS = budget({ commit: 17, night: 334, release: 1667 });
const folder = temporaryFolder();
let cloud: Cloud;

beforeAll(async () => {
  cloud = await startCloud(defaultConfig(join(folder, 'cloud')));
});

afterAll(async () => {
  await cloud?.stop();
  removeFolder(folder);
});

test('[R1] loses no acknowledged write, locally or at the ledger, when a syncing writer is killed repeatedly', {
  timeout: patienceMs(),
}, async () => {
  const { token, ...ledger } = await newLedger(cloud.url);
  const remote = async () => ({ base: cloud.url, ...ledger, token: await token() });
  const directory = join(folder, 'killed');
  const random = seededRandom(seed());
  const acknowledged: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const env = { FIXPOINT_REMOTE: JSON.stringify(await remote()) };
    const moment = someMoment(random, 40);
    acknowledged.push(...(await writeUntilKilled(directory, kill * 100_000 + 1, 'syncs', moment, env)));
    const db = fixpoint('crash', { directory });
    await expectNothingLost(db, acknowledged, 'syncs');
    await db.close();
  }
  expect(acknowledged.length).toBeGreaterThan(KILLS);

  const killed = fixpoint('crash', { directory });
  const late = fixpoint('late', { directory: join(folder, 'late') });
  for (const db of [killed, late]) await (await db.attach(toCloud(await remote()))).synced();
  await expectNothingLost(late, acknowledged, 'syncs');
  expect(await late.head()).toEqual(await killed.head());
  await Promise.all([killed.close(), late.close()]);
});
