/** Replicas in memory that send each other their events directly, without a gateway. */
import './loaded-ahead.fixture.ts';
import { setImmediate } from 'node:timers/promises';
import { readCar } from '../src/archive/car.ts';
import type { Collections, DatabaseWith } from '../src/collections/collection-types.ts';
import type { Core } from '../src/database/core.ts';
import type { DatabaseOptions } from '../src/database/database.ts';
import { insideOf } from '../src/database/inside.ts';
import { openDatabase } from '../src/database/open.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import type { SimulatedTime } from '../src/testing/simulated-time.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

/** A handle, its shared state, and its errors. */
export interface Peer<C extends Collections> {
  readonly db: DatabaseWith<C>;
  readonly core: Core;
  readonly reports: unknown[];
  readonly time: SimulatedTime;
}

let names = 0;

export async function openPeer<C extends Collections>(
  collections: C,
  { values, options: more = {} }: { values?: Map<string, Uint8Array>; options?: DatabaseOptions } = {},
): Promise<Peer<C>> {
  names += 1;
  const reports: unknown[] = [];
  const { platform: inMemory, time } = memoryPlatform(values);
  const platform = {
    ...inMemory,
    random: seededRandom(names),
    report: (error: unknown) => void reports.push(error),
  };
  const options: DatabaseOptions = { encrypted: false, commitEachWrite: true, stamps: false, ...more };
  const open = (given: DatabaseOptions) => openDatabase(`peer-${names}`, platform, given);
  const [first] = Object.values(collections);
  const handle = first === undefined ? open(options) : first.openAll(open, options, collections);
  const core = (await insideOf(handle)?.open()) as Core;
  return { db: handle as unknown as DatabaseWith<C>, core, reports, time };
}

type Any = Pick<Peer<Collections>, 'core'>;

/** Sends everything that `from` has, and `to` lacks. */
export async function send({ core: from }: Any, { core: to }: Any): Promise<void> {
  const { head } = from.commits.snapshot();
  if (head.length === 0) return;
  const lacking = from.commits.archiveIds().filter((cid) => !to.commits.hasArchive(cid));
  const archives = await Promise.all(
    lacking.map(async (cid) => {
      const bytes = await from.commits.plainArchive(cid);
      return { cid, bytes, blocks: readCar(bytes).blocks };
    }),
  );
  await to.commits.mergeRemote({ head, archives, remember: [] });
}

export const headOf = ({ core }: Any): string => core.commits.snapshot().head.join();

/** Gives work in the background some turns. */
export async function pause(turns = 1): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await setImmediate();
}

/**
 * Lets all peers exchange events until they have equal heads for some rounds. Returns the number of
 * rounds. Throws if they don't converge.
 */
export async function converge(peers: readonly Any[], roundsMax = 40): Promise<number> {
  let equal = 0;
  for (let round = 1; round <= roundsMax; round++) {
    for (const from of peers) for (const to of peers) if (from !== to) await send(from, to);
    await pause(8);
    const isEqual = new Set(peers.map(headOf)).size === 1;
    equal = isEqual ? equal + 1 : 0;
    if (equal === 3) return round;
  }
  throw new Error(`no convergence in ${roundsMax} rounds`);
}
