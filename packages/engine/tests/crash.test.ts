import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fixpoint } from '../src/entries/node.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { expectNothingLost, someMoment, writeUntilKilled } from './killed-writer.fixture.ts';

/**
 * Number of kills for each kind of writer: a sixth of the required number. This file has five kinds
 * of writers, and the sixth kind, a writer that syncs, is in tests/system.
 */
const KILLS = budget({ commit: 17, night: 334, release: 1667 });
/** Number of kills before a test starts a new database, because small databases open faster. */
const KILLS_OF_ONE = 50;
const base = mkdtempSync(join(tmpdir(), 'fixpoint-crash-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const options = { timeout: patienceMs() };
/** Two of three writers are also killed while writes are pending. */
const modeOf = (kill: number) => ({ COMMIT_EACH_WRITE: kill % 3 === 2 ? 'yes' : 'no' });

test.each([
  ['a writer', 'writes', 40],
  ['a writer of long bulks', 'bulks', 4],
  ['a writer that compacts at the same time', 'compacts', 40],
  ['a writer that queries an index after each write', 'queries', 20],
] as const)(
  '[R1] loses no acknowledged write and leaves no partial bulk when %s is killed again and again',
  options,
  async (_, how, writesMax) => {
    const random = seededRandom(seed());
    let acknowledged: string[] = [];
    let sum = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill % KILLS_OF_ONE === 0) acknowledged = [];
      const directory = join(base, `${how}-${Math.floor(kill / KILLS_OF_ONE)}`);
      const moment = someMoment(random, writesMax);
      const written = await writeUntilKilled(directory, kill * 100_000 + 1, how, moment, modeOf(kill));
      acknowledged.push(...written);
      sum += written.length;
      const db = fixpoint('crash', { directory });
      await expectNothingLost(db, acknowledged, how);
      await db.close();
    }
    expect(sum).toBeGreaterThan(KILLS);
  },
);

test('[R1] opens a database after the process that first opened it was killed', options, async () => {
  const random = seededRandom(seed());
  for (let kill = 0; kill < KILLS; kill++) {
    const directory = join(base, `new-${kill}`);
    const moment = { lines: 1, ms: random.below(30) };
    const acknowledged = await writeUntilKilled(directory, 1, 'writes', moment, modeOf(kill));
    const db = fixpoint('crash', { directory });
    await expectNothingLost(db, acknowledged, 'writes');
    await db.put({ _id: 'after' });
    await db.close();
    rmSync(directory, { recursive: true });
  }
});
