import { FixpointError } from '@fixpoint/protocol';
import type { KeyBag, KeyMaterials } from '../ports/key-bag.ts';
import type { Random } from '../ports/random.ts';
import { type DataKey, dataKey, type Keys } from './keys.ts';

const KEY_BYTES = 32;

/** The keys of one database. Sync adds the keys of other replicas. */
export interface DatabaseKeys {
  keys(): Keys;
  /** Adds keys that open archives. Resolves when the keys are durable. */
  learn(keys: readonly DataKey[]): Promise<void>;
  /**
   * Creates a new key, which seals all data from now on. Resolves when the key is durable. Earlier
   * keys still open what they sealed.
   */
  rotate(): Promise<DataKey>;
  /** Forgets keys, but never the current one. */
  forget(ids: ReadonlySet<string>): Promise<void>;
  /** Reads the bag again, because another tab or process may have added a key. */
  refresh(): Promise<void>;
  /**
   * Changes the passphrase.
   * @throws FixpointError NOT_IMPLEMENTED where a passphrase can't protect keys, KEY_UPSERT
   */
  changePassphrase(passphrase: string | undefined): Promise<void>;
}

export interface DatabaseKeysOptions {
  readonly bag: KeyBag;
  readonly random: Random;
  /** Returns whether the database has sealed content. Called only when there is no key. */
  readonly hasContent: () => Promise<boolean>;
  readonly passphrase?: string | undefined;
}

/**
 * Loads the keys, or creates the first one for a new database. The key is durable before anything
 * is sealed with it.
 * @throws FixpointError MISSING_KEYBAG when the database has content and its keys are gone;
 * KEY_BAG_LOCKED, CORRUPT, KEY_NOT_EXTRACTABLE
 */
export async function openDatabaseKeys(
  database: string,
  { bag, random, hasContent, passphrase: given }: DatabaseKeysOptions,
): Promise<DatabaseKeys> {
  let passphrase = given;
  const update = async (change: (keys: KeyMaterials) => KeyMaterials) => {
    known = keysOf(await bag.update(database, change, passphrase));
  };
  let loaded = await bag.load(database, passphrase);
  if (loaded.length === 0 && (await hasContent())) {
    // Another tab or process may just have created the database. A new key is stored before any
    // content, so a second load finds the key.
    loaded = await bag.load(database, passphrase);
    if (loaded.length === 0) throw new FixpointError('MISSING_KEYBAG', database);
  }
  let known: Keys =
    loaded.length > 0
      ? keysOf(loaded)
      : // Another tab or process may be creating the first key, too. Only one key is kept.
        keysOf(
          await bag.update(
            database,
            (keys) => (keys.length > 0 ? keys : [random.bytes(KEY_BYTES)]),
            passphrase,
          ),
        );
  return {
    keys: () => known,
    learn: async (keys) => {
      const fresh = keys.filter(({ id }) => !known.all.has(id)).map(({ material }) => material);
      if (fresh.length > 0) await update((before) => [...before, ...fresh]);
    },
    rotate: async () => {
      const made = random.bytes(KEY_BYTES);
      await update((before) => [made, ...before]);
      return known.current;
    },
    forget: (ids) =>
      update((all) => all.filter((material, at) => at === 0 || !ids.has(dataKey(material).id))),
    refresh: async () => {
      const before = known;
      known = keysOf(await bag.load(database, passphrase));
      // Another tab or process forgot the current key. This tab or process may just have sealed
      // data with that key, so restore the key.
      if (!known.all.has(before.current.id)) await update((all) => [...all, before.current.material]);
    },
    changePassphrase: async (next) => {
      await bag.changePassphrase(database, passphrase, next);
      passphrase = next;
    },
  };
}

/** Returns the keys of the bag. @throws FixpointError MISSING_STORE_KEY when there is none */
function keysOf(materials: KeyMaterials): Keys {
  const all = new Map(materials.map(dataKey).map((key) => [key.id, key]));
  const [current] = all.values();
  if (current === undefined) throw new FixpointError('MISSING_STORE_KEY');
  return { current, all };
}
