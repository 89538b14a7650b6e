/**
 * Power loss and killed processes at each phase of the log in front of commits: while rows are
 * stored, while a commit contains them, while the next open commits them, and while another process
 * adopts them.
 */
import './loaded-ahead.fixture.ts';
import './sync-crypto.fixture.ts';
import { expect, test } from 'vitest';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { openNodeStore } from '../src/platform/node/node-store.ts';
import type { Durability } from '../src/ports/byte-store.ts';
import { type SeededRandom, seededRandom } from '../src/testing/seeded-random.ts';
import { type SimulatedDisk, simulatedDisk } from '../src/testing/simulated-disk.ts';
import { type SimulatedTime, simulatedTime } from '../src/testing/simulated-time.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { FOLDER } from './disk.fixture.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';
import { mortalFiles } from './mortal-files.fixture.ts';

const POINTS = budget({ commit: 240, night: 10_000, release: 100_000 });
const POINTS_PER_RUN = 40;
const IDS = ['a', 'b', 'c', 'd'];

type Content = ReadonlyMap<string, number>;

/** A write, with the numbers of disk calls before its start and before its acknowledgement. */
interface Write {
  readonly startedAt: number;
  readonly acknowledgedAt: number;
  /** The documents of this process after the write. */
  readonly content: Content;
}

/** One process, which writes only the documents whose ids start with its name. */
interface Process {
  readonly db: Database;
  readonly writes: Write[];
  kill(): Promise<void>;
}

interface World {
  readonly disk: SimulatedDisk;
  readonly time: SimulatedTime;
  readonly random: SeededRandom;
  readonly durability: Durability;
  readonly keys: Map<string, readonly Uint8Array[]>;
}

function start({ disk, time, random, durability, keys }: World, writes: Write[] = []): Process {
  const { files, kill } = mortalFiles(disk.files);
  let isAlive = true;
  const after: SimulatedTime['after'] = (ms, fn) => time.after(ms, () => (isAlive ? fn() : undefined));
  const own = { ...time, after };
  const platform = {
    ...memoryPlatform(new Map(), keys).platform,
    openStore: () => openNodeStore(FOLDER, durability, files, own, () => undefined),
    time: own,
    random,
  };
  return {
    db: openDatabase('db', platform, { durability, commitEachWrite: false }),
    writes,
    kill: () => {
      isAlive = false;
      return kill();
    },
  };
}

/** Runs one write: of a document, a deletion, or several documents at once. */
async function write({ disk, time, random }: World, { db, writes }: Process, who: string): Promise<void> {
  const content = new Map(writes.at(-1)?.content);
  const startedAt = disk.calls.length;
  const n = writes.length;
  const ids = IDS.slice(random.below(IDS.length)).map((id) => `${who}-${id}`);
  const [first = ''] = ids;
  const kind = random.below(6);
  let acknowledgedAt = Number.NaN;
  const done = (writing: Promise<unknown>) =>
    time.run(
      writing.then(() => {
        acknowledgedAt = disk.calls.length;
      }),
    );
  if (kind === 0) await done(db.del(first));
  else if (kind === 1) await done(db.bulk(ids.map((_id) => ({ _id, n }))));
  else await done(db.put({ _id: first, n }));
  if (kind === 0) content.delete(first);
  else for (const id of kind === 1 ? ids : [first]) content.set(id, n);
  writes.push({ startedAt, acknowledgedAt, content });
}

async function work(world: World, process: Process, who: string): Promise<void> {
  const { random, time } = world;
  for (let steps = 2 + random.below(8); steps > 0; steps--) {
    await write(world, process, who);
    // Sometimes lets a commit begin, or waits for one.
    if (random.below(4) === 0) await time.pass(random.below(12));
    if (random.below(8) === 0) await time.run(process.db.head());
  }
}

/** Runs processes one after another. Each one is closed or killed, perhaps with pending writes. */
async function oneByOne(world: World): Promise<ReadonlyMap<string, readonly Write[]>> {
  const writes: Write[] = [];
  for (let session = 0; session < 3; session++) {
    const process = start(world, writes);
    await work(world, process, 'p');
    if (world.random.below(3) === 0) await world.time.run(process.db.close());
    else await process.kill();
  }
  return new Map([['p', writes]]);
}

/**
 * Kills a process with pending writes after another one opened the database, which then adopts
 * them.
 */
async function beside(world: World): Promise<ReadonlyMap<string, readonly Write[]>> {
  const [one, two] = [start(world), start(world)];
  await world.time.run(one.db.ready());
  for (let n = world.random.below(5); n >= 0; n--) await write(world, one, 'p');
  await world.time.run(two.db.ready());
  await one.kill();
  await work(world, two, 'q');
  await world.time.pass(1500);
  await work(world, two, 'q');
  await two.kill();
  return new Map([
    ['p', one.writes],
    ['q', two.writes],
  ]);
}

/** Opens the disk after a power loss, and returns the documents of each process. */
async function contentAfter(disk: SimulatedDisk, world: World): Promise<(who: string) => Content> {
  const time = simulatedTime(world.time.now());
  const { db } = start({ ...world, disk, time });
  const { rows } = await time.run(db.allDocs<{ n: number }>());
  expect(await time.run(db.verify())).toMatchObject({ damaged: [], missing: [] });
  await time.run(db.put({ _id: 'later' }));
  await time.run(db.close());
  expect(rows.filter(({ key }) => key === 'later')).toEqual([]);
  return (who) =>
    new Map(rows.flatMap(({ key, value }) => (key.startsWith(who) ? [[key, value.n] as const] : [])));
}

const textOf = (content: Content) => JSON.stringify([...content].sort());

test.each([
  ['strict', 'one process after another is killed', oneByOne],
  ['strict', 'a process is killed and another one adopts its writes', beside],
  ['relaxed', 'one process after another is killed', oneByOne],
] as const)(
  '[R1][R2] keeps all acknowledged writes, and each bulk as a whole, at a power loss (%s) while %s',
  {
    timeout: patienceMs(),
  },
  async (durability, _, run) => {
    const random = seededRandom(seed());
    for (let done = 0; done < POINTS; done += POINTS_PER_RUN) {
      const world = { disk: simulatedDisk(), time: simulatedTime(), random, durability, keys: new Map() };
      const all = await run(world);
      for (let point = 0; point < Math.min(POINTS, POINTS_PER_RUN); point++) {
        const calls = random.below(world.disk.calls.length + 1);
        const found = await contentAfter(world.disk.afterPowerLoss(calls, random), world);
        for (const [who, writes] of all) {
          const started = writes.filter(({ startedAt }) => startedAt <= calls).length;
          // In relaxed mode, the latest writes may be lost, but no others.
          const kept =
            durability === 'relaxed' ? 0 : writes.filter((one) => one.acknowledgedAt <= calls).length;
          const allowed = [new Map(), ...writes.map(({ content }) => content)].slice(kept, started + 1);
          // Compare texts, because `toContainEqual` doesn't look into maps.
          expect(allowed.map(textOf), `${who} at call ${calls}`).toContain(textOf(found(who)));
        }
      }
    }
  },
);
