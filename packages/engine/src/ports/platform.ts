import type { ByteStore, Durability } from './byte-store.ts';
import type { Channel } from './channel.ts';
import type { ExistingPlace, ExistingStore, ExistingTarget } from './existing-store.ts';
import type { KeyBag } from './key-bag.ts';
import type { Leases } from './lease.ts';
import type { Network } from './network.ts';
import type { OpeningLimits } from './opening-limits.ts';
import type { Random } from './random.ts';
import type { Time } from './time.ts';

/** Everything that a database needs from its environment. */
export interface Platform {
  /** @throws FixpointError CORRUPT, STORE_LOCKED, STORE_UNREADABLE */
  openStore(name: string, durability: Durability): Promise<ByteStore>;
  /** Removes a store that cannot be opened because it is damaged. */
  destroyStore?(name: string): Promise<void>;
  /**
   * Returns the database of the format's first implementation under this name, if there is one.
   * @throws FixpointError STORE_FAILED, STORE_UNREADABLE
   */
  existingStore?(name: string, place: ExistingPlace): Promise<ExistingStore | undefined>;
  /**
   * Platforms on which the engine can't write databases of that implementation don't have this
   * method.
   */
  existingTarget?(name: string, place: ExistingPlace): ExistingTarget;
  readonly keyBag: KeyBag;
  readonly time: Time;
  readonly random: Random;
  readonly network: Network;
  channel(name: string): Channel;
  /** Undefined if nobody else can have a database open. */
  readonly leases?: Leases;
  /** Reports errors that no caller receives, such as the failure of a subscriber. */
  report(error: unknown): void;
  /** Only tests set this; see {@link OpeningLimits}. */
  readonly openingLimits?: OpeningLimits | undefined;
  /** Default base for attach; undefined when the platform has no setting. */
  readonly storageUrl: string | undefined;
}
