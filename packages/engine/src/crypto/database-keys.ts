import { FixpointError } from '@fixpoint/protocol';
import type { KeyBag } from '../ports/key-bag.ts';
import type { Random } from '../ports/random.ts';
import { type DataKey, dataKey, type Keys } from './keys.ts';

const KEY_BYTES = 16;

/** The keys of one database; other replicas' keys join them by sync. */
export interface DatabaseKeys {
  keys(): Keys;
  /** Adds keys to open archives with; resolves when they are durable. */
  learn(keys: readonly DataKey[]): Promise<void>;
}

/**
 * Loads the keys, or makes the first one when the database is new. The key is durable before anything is sealed with it.
 * @throws FixpointError KEY_UNKNOWN when the database has content but its key is gone
 */
export async function openDatabaseKeys(
  database: string,
  bag: KeyBag,
  random: Random,
  hasContent: boolean,
): Promise<DatabaseKeys> {
  let materials = await bag.load(database);
  if (materials.length === 0) {
    if (hasContent) throw new FixpointError('KEY_UNKNOWN', `the key of ${database} is gone`);
    materials = [random.bytes(KEY_BYTES)];
    await bag.save(database, materials);
  }
  let known = keysOf(materials.map(dataKey));
  return {
    keys: () => known,
    learn: async (keys) => {
      const fresh = keys.filter(({ id }) => !known.all.has(id));
      if (fresh.length === 0) return;
      const all = keysOf([known.current, ...known.all.values(), ...fresh]);
      await bag.save(
        database,
        [...all.all.values()].map(({ material }) => material),
      );
      known = all;
    },
  };
}

function keysOf(keys: readonly DataKey[]): Keys {
  const all = new Map(keys.map((key) => [key.id, key]));
  const [current] = keys;
  if (current === undefined) throw new FixpointError('MISSING_STORE_KEY');
  return { current, all };
}
