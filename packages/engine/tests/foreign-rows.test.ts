/**
 * Tests databases whose derived rows (docs/decisions/0209) are of an earlier or later state, or of
 * another copy of the database: after an older version wrote, or after a restore of some files.
 */
import { expect, test } from 'vitest';
import { openDatabase } from '../src/database/open.ts';
import { isDerived } from '../src/store/names.ts';
import { type SeededRandom, seededRandom } from '../src/testing/seeded-random.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

const MIXES = budget({ commit: 24, night: 2000, release: 20_000 });

type Values = Map<string, Uint8Array>;
type Keys = Map<string, readonly Uint8Array[]>;

interface State {
  readonly values: Values;
  readonly docs: ReadonlyMap<string, number>;
}

const open = (values: Values, keys: Keys, encrypted: boolean) =>
  openDatabase('copies', memoryPlatform(values, keys).platform, { encrypted });

/** Runs a session of random writes on a copy of the state. Returns the state after the close. */
async function session(before: State, keys: Keys, encrypted: boolean, random: SeededRandom): Promise<State> {
  const values = new Map(before.values);
  const docs = new Map(before.docs);
  const db = open(values, keys, encrypted);
  for (let steps = 1 + random.below(3); steps > 0; steps--) {
    const n = random.below(1_000_000);
    const count = 1 + random.below(60);
    const ids = Array.from({ length: count }, () => `d-${random.below(200)}`);
    await db.bulk(ids.map((_id) => ({ _id, n, text: 'x'.repeat(random.below(800)) })));
    for (const id of ids) docs.set(id, n);
    if (random.below(4) === 0) await db.compact();
  }
  await db.close();
  return { values, docs };
}

/** Replaces the derived rows that `isTaken` selects by those of another state. */
function mixed(state: State, other: State, isTaken: (key: string) => boolean): Values {
  const values = new Map(state.values);
  for (const key of state.values.keys()) if (isDerived(key) && isTaken(key)) values.delete(key);
  for (const [key, bytes] of other.values) if (isDerived(key) && isTaken(key)) values.set(key, bytes);
  return values;
}

const TAKEN: readonly ((key: string) => boolean)[] = [
  () => true,
  (key) => key === 'local/first',
  (key) => key === 'local/places',
  (key) => key.startsWith('local/places/'),
];

test.each([
  ['encrypted', true],
  ['not encrypted', false],
])(
  '[R4] reads and changes all documents, whatever state the derived rows are of, in a database that is %s',
  { timeout: patienceMs() },
  async (_, encrypted) => {
    const random = seededRandom(seed());
    const keys: Keys = new Map();
    let state: State = { values: new Map(), docs: new Map() };
    const states: State[] = [];
    for (let n = 0; n < 5; n++) {
      state = await session(state, keys, encrypted, random);
      states.push(state, await session(state, keys, encrypted, random));
    }
    states.push(await session({ values: new Map(), docs: new Map() }, new Map(), encrypted, random));
    const any = () => states[random.below(states.length)] as State;
    const ofThis = states.slice(0, -1);
    for (let mix = 0; mix < MIXES; mix++) {
      const { docs, values } = ofThis[random.below(ofThis.length)] as State;
      const copy = mixed(
        { docs, values },
        any(),
        TAKEN[random.below(TAKEN.length)] as (key: string) => boolean,
      );
      const own = new Map(keys);
      const db = open(copy, own, encrypted);
      const [id = '', n] = [...docs][random.below(docs.size)] ?? [];
      expect((await db.get(id))['n']).toBe(n);
      await db.put({ _id: 'later', n: mix });
      const { rows } = await db.allDocs<{ n: number }>();
      expect(new Map(rows.map(({ key, value }) => [key, value.n]))).toEqual(new Map(docs).set('later', mix));
      if (random.below(3) === 0) await db.compact();
      if (encrypted && random.below(3) === 0) await db.rotateKey({ rewrite: true });
      await db.close();
      const again = open(copy, own, encrypted);
      expect(await again.count()).toBe(docs.size + 1);
      expect(await again.verify()).toMatchObject({ damaged: [], missing: [] });
      await again.close();
    }
  },
);
