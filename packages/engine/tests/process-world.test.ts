/**
 * Several processes write, compact, query and rotate the key of one folder at the same time, in
 * simulated time on a simulated disk.
 */
import './sync-crypto.fixture.ts';
import { expect, test } from 'vitest';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { openNodeStore } from '../src/platform/node/node-store.ts';
import { type SeededRandom, seededRandom } from '../src/testing/seeded-random.ts';
import { simulatedDisk } from '../src/testing/simulated-disk.ts';
import { type SimulatedTime, simulatedTime } from '../src/testing/simulated-time.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { FOLDER } from './disk.fixture.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';
import { slowFiles } from './slow-disk.fixture.ts';

const RUNS = budget({ commit: 25, night: 2000, release: 20_000 });
/** Seeds of runs in which an earlier version lost data or failed. */
const KNOWN = [781, 5174];
const PROCESSES = 3;
const STEPS = 30;
/**
 * Length of a text. An archive of a few dozen such documents is so long that it is stored in a
 * separate file.
 */
const TEXT_BYTES = 3000;
const HEARD_MS = 2000;

function newWorld(random: SeededRandom) {
  const time = simulatedTime();
  const disk = simulatedDisk();
  const keys = new Map<string, readonly Uint8Array[]>();
  const reports: unknown[] = [];
  const report = (error: unknown) => void reports.push(error);
  const start = () => {
    const files = slowFiles(disk.files, time, random);
    return openDatabase('notes', {
      ...memoryPlatform(new Map(), keys).platform,
      openStore: (_, durability) => openNodeStore(FOLDER, durability, files, time, report),
      time,
      random,
      report,
    });
  };
  return { time, reports, start };
}

/** Runs one process. Returns the last number that it wrote to each of its documents. */
async function work(db: Database, who: string, random: SeededRandom): Promise<Map<string, number>> {
  const promised = new Map<string, number>();
  for (let step = 0; step < STEPS; step++) {
    const kind = random.below(20);
    if (kind === 0) await db.compact();
    else if (kind <= 2) await db.rotateKey({ rewrite: true });
    else if (kind === 3) await db.query('n');
    else {
      const _id = `${who}-${random.below(STEPS)}`;
      await db.put({ _id, n: step, text: Buffer.from(random.bytes(TEXT_BYTES)).toString('latin1') });
      promised.set(_id, step);
    }
  }
  return promised;
}

async function numbersOf(time: SimulatedTime, db: Database): Promise<Map<string, unknown>> {
  const { rows } = await time.run(db.allDocs<{ n: number }>());
  return new Map(rows.map(({ key, value }) => [key, value.n]));
}

test('[R9] loses no acknowledged write and reports no damage, whatever processes of one database do', {
  timeout: patienceMs(),
}, async () => {
  const seeds = [...KNOWN, ...Array.from({ length: RUNS }, (_, n) => seed() + n)];
  for (const n of seeds) {
    const random = seededRandom(n);
    const { time, reports, start } = newWorld(random);
    const databases = Array.from({ length: PROCESSES }, start);
    const promised = await time.run(
      Promise.all(databases.map((db, at) => work(db, `p${at}`, seededRandom(n + at)))),
    );
    const all = new Map(promised.flatMap((one) => [...one]));
    // Each process checks for writes of the other processes ten times a second.
    await time.pass(HEARD_MS);
    for (const db of databases) expect(await numbersOf(time, db), `seed ${n}`).toEqual(all);
    for (const db of databases) await time.run(db.close());
    const again = start();
    expect(await numbersOf(time, again), `seed ${n}`).toEqual(all);
    expect(await time.run(again.verify()), `seed ${n}`).toMatchObject({ damaged: [], missing: [] });
    await time.run(again.close());
    expect(reports, `seed ${n}`).toEqual([]);
  }
});
