import type { FixpointError } from '@fixpoint/protocol';
import type { Commits } from '../commit/commits-interface.ts';
import type { LedgerDevice, LedgerKeyring } from '../crypto/ledger-keys.ts';
import type { Platform } from '../ports/platform.ts';
import type { LedgerKind } from './ledger/ledger-sealing.ts';

/**
 * The state of a sync. `refused`: the remote refuses, and only a new token or another ledger helps.
 * `store-lost`: the data of this device was removed while the database was open. Nothing syncs any
 * more, and the error of the status is STORE_LOST.
 */
export type SyncState = 'offline' | 'connecting' | 'catching-up' | 'in-sync' | 'refused' | 'store-lost';

/** The state of a sync, and the number of pending archives. */
export interface SyncStatus {
  readonly state: SyncState;
  /** Archives pending upload. */
  readonly toSend: number;
  /** Archives pending download. Unreadable ones are included and retried. */
  readonly toFetch: number;
  /**
   * Entries of the ledger that nobody can read. They block nothing; an admin of the ledger can
   * remove them. Absent when there are none.
   */
  readonly rejected?: number;
  /**
   * The reason why the state is `refused`, `offline` or `store-lost`, or why something is pending,
   * if known.
   */
  readonly error?: FixpointError;
}

/** A database that syncs with a ledger. */
export interface Attached {
  /** Returns the current status. */
  status(): SyncStatus;
  /** Calls back after each change of the status. */
  onStatus(fn: (status: SyncStatus) => void): () => void;
  /**
   * Resolves when everything durable here at the call is at the remote, and everything the remote
   * lists at the call is here. Doesn't wait for later writes. Waits while offline.
   * @throws FixpointError when the remote refuses, when something there stays unreadable,
   * CONNECTION_NOT_OPEN after `detach`
   */
  synced(): Promise<void>;
  /**
   * Returns the content of the ledger, from a complete listing over a separate connection.
   * @throws FixpointError when it can't be reached, or refuses
   */
  held(): Promise<LedgerHoldings>;
  /**
   * Lists the entries of the ledger that don't sync, with the reasons that the server gives now.
   * @throws FixpointError when the server cannot be reached, or refuses
   */
  withheld(): Promise<readonly WithheldEntry[]>;
  /**
   * Removes entries from the ledger for everybody. Content that only they held is lost.
   * @throws FixpointError FORBIDDEN unless you are an admin of the tenant, or the reason why the
   * server cannot be reached
   */
  removeEntries(cids: readonly string[]): Promise<void>;
  /** The kind of the ledger; undefined until the remote responded. */
  kind(): LedgerKind | undefined;
  /** Devices and keys of a sealed ledger. */
  readonly devices: LedgerDevices;
  /**
   * Ends the sync. The database keeps its data, and pending uploads wait for the next attachment.
   */
  detach(): Promise<void>;
}

/** An entry of a ledger that doesn't sync. */
export interface WithheldEntry {
  /** Identifies the entry. Damaged entries may have any text here, or none. */
  readonly cid: string;
  /**
   * `malformed`: nobody can read it. `unreadable`: this device can't. `absent`: objects that it
   * needs are missing or damaged at the server. `files`: not an entry; files of documents are
   * missing.
   */
  readonly why: string;
  /** The missing or damaged objects, if they are the reason. */
  readonly objects?: readonly string[];
  /** The id of the user who wrote it. Only admins of the tenant receive it. */
  readonly author?: string;
  /** When the server received it, in ms since 1970. */
  readonly since?: number;
}

/**
 * The content of a ledger, as far as this device can know. The ledger lists entries, which have a
 * head and name archives, but no sizes or times.
 */
export interface LedgerHoldings {
  /** Listed entries: the last one of each device that wrote. */
  readonly entries: number;
  /** Entries whose head couldn't be read; `head` doesn't include them. */
  readonly unread: number;
  /** The merged head of the entries. `missing` has those of its events that aren't here. */
  readonly head: readonly string[];
  /** Heads of entries that aren't on this device. */
  readonly missing: readonly string[];
  /**
   * Commits of this device that no head there follows. Undefined while heads are missing here or
   * unread, because their ancestors are unknown. When histories meet far back, it may include some
   * that a head does follow.
   */
  readonly unsent: number | undefined;
  /** Objects that entries need and that are missing or damaged in the ledger's store. */
  readonly absent: number;
  /** Archives that the entries lead to. */
  readonly archives: number;
  /** Their total length before sealing, without those in `unsized`. */
  readonly bytes: number;
  /** Archives of unknown length. */
  readonly unsized: number;
  /** Archives that were merged into others. They stay at the remote. */
  readonly replaced: number;
  /**
   * When this device first learned of one of the archives, in ms since 1970; undefined without
   * archives.
   */
  readonly knownSince: number | undefined;
}

/**
 * The devices that hold the keys of a sealed ledger.
 * @throws FixpointError LEDGER_KIND when the ledger isn't sealed, and the refusals of the remote
 */
export interface LedgerDevices {
  /** Returns whether this device is approved. */
  isApproved(): boolean;
  /**
   * Returns the state of the keys on this device, without a request to the remote. Undefined while
   * nothing is known, or another tab or process syncs.
   */
  keyring(): Promise<LedgerKeyring | undefined>;
  /** Returns the code to enter on an approved device, which then calls `approve` with it. */
  code(): Promise<string>;
  /**
   * Lists the devices that hold the keys, and the recovery codes that open them, with the user who
   * announced each, and when.
   */
  list(): Promise<readonly LedgerDevice[]>;
  /**
   * Gives all keys to the device with this code.
   * @throws FixpointError REQUEST_INVALID when the code is mistyped, NOT_FOUND when that device
   * doesn't ask
   */
  approve(code: string): Promise<void>;
  /**
   * Seals with a new key from now on, which all devices except these receive. The removed devices
   * keep the keys that they had.
   * @throws FixpointError FORBIDDEN for a device of another user who has access, unless you are an
   * admin of the tenant
   */
  remove(ids: readonly string[]): Promise<void>;
  /**
   * Creates a code that opens the ledger when all devices are lost. Keep it where a thief of a
   * device wouldn't look. Earlier codes stay valid.
   */
  newRecoveryCode(): Promise<string>;
  /**
   * Approves this device with a recovery code.
   * @throws FixpointError REQUEST_INVALID, KEY_UNKNOWN
   */
  recover(code: string): Promise<void>;
}

/** A ledger that a database can attach to; created by `toCloud`. */
export interface Remote {
  /**
   * Returns an id shared by tabs and processes attached to the same ledger. If absent, attachments
   * don't share a connection.
   */
  idOn?(platform: Platform): string | undefined;
  /** Called by the database. */
  attach(commits: Commits, platform: Platform): Promise<Attached>;
}
