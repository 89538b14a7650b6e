/** Leases: of the tabs or processes that request the same name, one works for all. */

export interface LeaseEvents {
  /** Called when this one acquires the lease. */
  taken(): void;
  /** Called when another one took the lease, because this one was unresponsive for some seconds. */
  lost(): void;
  /** Returns the holder's status for the waiting ones; called repeatedly. */
  words(): string;
  /** Receives the holder's status. */
  heard(words: string): void;
}

export interface Lease {
  /** Resolves once it is known whether another one holds it; a free lease is acquired by then. */
  readonly settled: Promise<void>;
  /** Announces a new status: the waiting ones receive it soon. */
  tell(): void;
  /** Stops requesting; a held lease is released at once. */
  release(): Promise<void>;
}

/**
 * A holder that ends is replaced at once where others can see that, and a frozen one within five
 * seconds. For a moment there may be two holders, so a lease only saves work. Anything that must
 * not happen twice needs a guard where it is written.
 */
export interface Leases {
  /** Requests the lease until stopped. @param name of lower-case letters, digits and dashes */
  seek(database: string, name: string, events: LeaseEvents): Lease;
}
