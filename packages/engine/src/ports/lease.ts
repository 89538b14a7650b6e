/** Leases: of the tabs or processes that ask for one name, one does a work for all of them. */

export interface LeaseEvents {
  /** This one holds the lease from now on. */
  taken(): void;
  /** Another one has taken it, because this one did not stir for some seconds. */
  lost(): void;
  /** What the holder says of its work, for those that wait for the lease; asked for again and again. */
  words(): string;
  /** What the holder said. */
  heard(words: string): void;
}

export interface Lease {
  /** Resolves when it is known whether somebody else holds it; a lease that is free is taken by then. */
  readonly settled: Promise<void>;
  /** There are new words: those that wait hear them soon. */
  tell(): void;
  /** Stops asking; a lease that is held is free at once. */
  release(): Promise<void>;
}

/**
 * A holder that ends is replaced at once where that can be seen, and one that is frozen within five seconds: so for a moment there may be two holders, and
 * a lease only saves work. What must not happen twice is guarded where it is written.
 */
export interface Leases {
  /** Asks for the lease, and goes on asking. @param name of lower-case letters, digits and dashes */
  seek(database: string, name: string, events: LeaseEvents): Lease;
}
