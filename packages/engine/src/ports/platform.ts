import type { ByteStore, Durability } from './byte-store.ts';
import type { Channel } from './channel.ts';
import type { ExistingPlace, ExistingStore, ExistingTarget } from './existing-store.ts';
import type { KeyBag } from './key-bag.ts';
import type { Leases } from './lease.ts';
import type { Network } from './network.ts';
import type { Random } from './random.ts';
import type { Time } from './time.ts';

/** All of the outside that a database needs. */
export interface Platform {
  /** @throws FixpointError CORRUPT, STORE_LOCKED, STORE_UNREADABLE */
  openStore(name: string, durability: Durability): Promise<ByteStore>;
  /** Removes a store that cannot be opened because it is damaged. */
  destroyStore?(name: string): Promise<void>;
  /** The database of the format's first implementation that lies at this place under this name, if there is one. @throws FixpointError STORE_FAILED, STORE_UNREADABLE */
  existingStore?(name: string, place: ExistingPlace): Promise<ExistingStore | undefined>;
  /** Absent where that implementation keeps databases otherwise. */
  existingTarget?(name: string, place: ExistingPlace): ExistingTarget;
  readonly keyBag: KeyBag;
  readonly time: Time;
  readonly random: Random;
  readonly network: Network;
  channel(name: string): Channel;
  /** Absent where nobody else can have a database open. */
  readonly leases?: Leases;
  /** Reports what nobody else can be told, such as the failure of a subscriber. */
  report(error: unknown): void;
  /** Where attach goes when no base is given; undefined when the platform has no setting. */
  readonly storageUrl: string | undefined;
}
