import type { FixpointError } from '@fixpoint/protocol';
import type { Commits } from '../commit/open.ts';
import type { LedgerDevice, LedgerKeyring } from '../crypto/ledger-keys.ts';
import type { Platform } from '../ports/platform.ts';
import type { LedgerKind } from './ledger-sealing.ts';

/**
 * Where a sync stands; `refused`: the remote does not want it as it is, and only a new token or another ledger helps. `store-lost`: the data of this device
 * was removed while the database was open, so nothing syncs any more; the error of the status is STORE_LOST.
 */
export type SyncState = 'offline' | 'connecting' | 'catching-up' | 'in-sync' | 'refused' | 'store-lost';

/** Where a sync stands, and what still waits. */
export interface SyncStatus {
  readonly state: SyncState;
  /** Archives that wait to be sent. */
  readonly toSend: number;
  /** Archives that wait to be fetched; those that cannot be read stay among them and are tried again. */
  readonly toFetch: number;
  /** Entries of the ledger that nobody can read. They stop nothing; an admin of the ledger can remove them. Missing where there are none. */
  readonly rejected?: number;
  /** Why the state is `refused`, `offline` or `store-lost`, or why something waits, where that is known. */
  readonly error?: FixpointError;
}

/** A database that syncs with a ledger. */
export interface Attached {
  /** Where the sync stands now. */
  status(): SyncStatus;
  /** Calls back after each change of the status. */
  onStatus(fn: (status: SyncStatus) => void): () => void;
  /**
   * Resolves when all that is durable here at the call is at the remote, and all that the remote lists at the call is here. Doesn't wait for later writes. Waits while offline.
   * @throws FixpointError when the remote refuses, when something there stays unreadable, CONNECTION_NOT_OPEN after `detach`
   */
  synced(): Promise<void>;
  /**
   * What the ledger holds, as it says when it is asked: all that it lists is listed anew, over a connection for that alone.
   * @throws FixpointError when it cannot be reached, or refuses
   */
  held(): Promise<LedgerHoldings>;
  /**
   * Lists the entries of the ledger that don't sync, and why, as the server says now.
   * @throws FixpointError when the server cannot be reached, or refuses
   */
  withheld(): Promise<readonly WithheldEntry[]>;
  /**
   * Removes entries from the ledger for everybody. What only they held is lost.
   * @throws FixpointError FORBIDDEN unless you are an admin of the tenant, or why the server cannot be reached
   */
  removeEntries(cids: readonly string[]): Promise<void>;
  /** What kind of ledger it is; undefined until the remote was heard. */
  kind(): LedgerKind | undefined;
  /** Devices and keys of a sealed ledger. */
  readonly devices: LedgerDevices;
  /** Ends the sync. The database keeps what it has, and what was not sent waits for the next attachment. */
  detach(): Promise<void>;
}

/** An entry of a ledger that doesn't sync. */
export interface WithheldEntry {
  /** Names the entry. Damaged entries may have any text here, also none. */
  readonly cid: string;
  /**
   * `malformed`: nobody can read it. `unreadable`: this device can't. `absent`: objects that it needs are missing or damaged at the server.
   * `files`: no entry; files of documents are missing.
   */
  readonly why: string;
  /** The objects that are missing or damaged, where that is why. */
  readonly objects?: readonly string[];
  /** The id of the user who wrote it. Only admins of the tenant hear it. */
  readonly author?: string;
  /** When the server received it, in ms since 1970. */
  readonly since?: number;
}

/** What a ledger holds, as far as it can be known here: it lists entries, which say a head and name archives, and neither sizes nor times. */
export interface LedgerHoldings {
  /** Entries that are listed: of each device that wrote, its last. */
  readonly entries: number;
  /** Those whose head could not be read; what they hold is not part of `head`. */
  readonly unread: number;
  /** The head that the entries come to. Those of its events that are not here are in `missing`. */
  readonly head: readonly string[];
  /** Heads of entries that are not on this device. */
  readonly missing: readonly string[];
  /** Commits of this device that no head there follows; undefined while there are heads that are missing here, or unread: what those follow is not known. Where histories meet far back, some may be counted that one does follow. */
  readonly unsent: number | undefined;
  /** Objects that the store of the ledger lacks, or has damaged, although entries need them. */
  readonly absent: number;
  /** Archives that the entries lead to. */
  readonly archives: number;
  /** How long they are together before they are sealed, without those of `unsized`. */
  readonly bytes: number;
  /** Archives whose length was never learned here. */
  readonly unsized: number;
  /** Archives that others were merged from. They stay at the remote. */
  readonly replaced: number;
  /** When this device first knew of one of the archives, in ms since 1970; undefined without archives. */
  readonly knownSince: number | undefined;
}

/** The devices that hold the keys of a sealed ledger. @throws FixpointError LEDGER_KIND when the ledger is not sealed, what the remote refuses */
export interface LedgerDevices {
  /** Whether this device was let in. */
  isApproved(): boolean;
  /** What this device knows of the keys, without asking the remote; undefined while it knows nothing, or another tab or process syncs. */
  keyring(): Promise<LedgerKeyring | undefined>;
  /** What somebody carries to a device that was let in, which then lets this one in by `approve`. */
  code(): Promise<string>;
  /** All devices that hold the keys, and the recovery codes that open them; with the user who announced each, and when. */
  list(): Promise<readonly LedgerDevice[]>;
  /** Gives all keys to the device with this code. @throws FixpointError REQUEST_INVALID when the code is mistyped, NOT_FOUND when that device does not ask */
  approve(code: string): Promise<void>;
  /**
   * From now on a new key seals what is sent, which all devices get but these. What they had they keep.
   * @throws FixpointError FORBIDDEN for a device of another user who has access, unless you are an admin of the tenant
   */
  remove(ids: readonly string[]): Promise<void>;
  /** A code that opens the ledger when all devices are lost; to be kept where no thief of a device looks. Earlier codes go on opening. */
  newRecoveryCode(): Promise<string>;
  /** Lets this device in with a recovery code. @throws FixpointError REQUEST_INVALID, KEY_UNKNOWN */
  recover(code: string): Promise<void>;
}

/** Where a database can be attached to; made by `toCloud`. */
export interface Remote {
  /** The same for each tab and process that is attached to the same ledger; where it is missing, each attachment stands for itself. */
  idOn?(platform: Platform): string | undefined;
  /** Called by the database. */
  attach(commits: Commits, platform: Platform): Promise<Attached>;
}
