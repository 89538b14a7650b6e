/** Leases let one tab or process do work for all tabs or processes that request the same name. */

export interface LeaseEvents {
  /** Called when this tab or process acquires the lease. */
  taken(): void;
  /**
   * Called when another tab or process took the lease, because this one was unresponsive for some
   * seconds.
   */
  lost(): void;
  /** Returns this holder's status, for the tabs and processes that wait. Called repeatedly. */
  words(): string;
  /** Receives the holder's status. */
  heard(words: string): void;
}

export interface Lease {
  /**
   * Resolves once it is known whether another tab or process holds the lease. A free lease is
   * acquired by then.
   */
  readonly settled: Promise<void>;
  /**
   * Announces that the status changed. Tabs and processes that wait receive the new status soon.
   */
  tell(): void;
  /** Stops requesting the lease, and releases a held lease at once. */
  release(): Promise<void>;
}

/**
 * If a holder ends, another tab or process replaces it at once, on platforms that detect the end. A
 * frozen holder is replaced within five seconds. For a moment there may be two holders, so a lease
 * only saves work. Anything that must not happen twice needs a guard in the write itself.
 */
export interface Leases {
  /** Requests the lease until stopped. @param name of lower-case letters, digits and dashes */
  seek(database: string, name: string, events: LeaseEvents): Lease;
}
