import type { ByteStore, Durability } from './byte-store.ts';
import type { Platform } from './platform.ts';

/** A value of the option `store`: where databases are stored instead of the default place. */
export interface StoreChoice {
  /** Returns the platform with that store. Returns the same platform at each call. */
  platform(usual: Platform): Platform;
}

/** Opens the stores of databases. */
export interface StoreOpener {
  /**
   * Opens the store of a database, and creates it if it doesn't exist.
   * @throws FixpointError CORRUPT, STORE_LOCKED, STORE_UNREADABLE, STORE_FAILED
   */
  openStore(name: string, durability: Durability): Promise<ByteStore>;
  /** Removes a store that can't be opened because it is damaged. */
  destroyStore?(name: string): Promise<void>;
}

/**
 * Returns a value for the option `store` of `fixpoint`, so that databases are in stores that you
 * implement. Keep it, and pass the same value each time: handles share a database only then. The
 * keys of databases stay where they are by default. If several processes open a database in Node,
 * each of them syncs it.
 */
export function ownStore({ openStore, destroyStore }: StoreOpener): StoreChoice {
  const platforms = new WeakMap<Platform, Platform>();
  return {
    platform: (usual) => {
      const known = platforms.get(usual);
      if (known !== undefined) return known;
      // The files of leases are in the folder of a database, which doesn't exist here.
      const { leases: _, destroyStore: __, ...rest } = usual;
      const platform = { ...rest, openStore, ...(destroyStore && { destroyStore }) };
      platforms.set(usual, platform);
      return platform;
    },
  };
}
