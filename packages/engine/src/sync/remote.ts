import type { FixpointError } from '@fixpoint/protocol';
import type { Commits } from '../commit/open.ts';
import type { LedgerDevice, LedgerKeyring } from '../crypto/ledger-keys.ts';
import type { Platform } from '../ports/platform.ts';
import type { LedgerKind } from './ledger-sealing.ts';

/** Where a sync stands; `refused`: the remote does not want it as it is, and only a new token or another ledger helps. */
export type SyncState = 'offline' | 'connecting' | 'catching-up' | 'in-sync' | 'refused';

/** Where a sync stands, and what still waits. */
export interface SyncStatus {
  readonly state: SyncState;
  /** Archives that wait to be sent. */
  readonly toSend: number;
  /** Archives that wait to be fetched; those that cannot be read stay among them and are tried again. */
  readonly toFetch: number;
  /** Why the state is `refused` or `offline`, or why something waits, where that is known. */
  readonly error?: FixpointError;
}

/** A database that syncs with a ledger. */
export interface Attached {
  /** Where the sync stands now. */
  status(): SyncStatus;
  /** Calls back after each change of the status. */
  onStatus(fn: (status: SyncStatus) => void): () => void;
  /**
   * Resolves when all that is durable here now is at the remote, and what the remote has now is here. Waits while offline.
   * @throws FixpointError when the remote refuses, when something there stays unreadable, CONNECTION_NOT_OPEN after `detach`
   */
  synced(): Promise<void>;
  /** What kind of ledger it is; undefined until the remote was heard. */
  kind(): LedgerKind | undefined;
  /** Devices and keys of a sealed ledger. */
  readonly devices: LedgerDevices;
  /** Ends the sync. The database keeps what it has, and what was not sent waits for the next attachment. */
  detach(): Promise<void>;
}

/** The devices that hold the keys of a sealed ledger. @throws FixpointError LEDGER_KIND when the ledger is not sealed, what the remote refuses */
export interface LedgerDevices {
  /** Whether this device was let in. */
  isApproved(): boolean;
  /** What this device knows of the keys, without asking the remote; undefined while it knows nothing, or another tab or process syncs. */
  keyring(): Promise<LedgerKeyring | undefined>;
  /** What somebody carries to a device that was let in, which then lets this one in by `approve`. */
  code(): Promise<string>;
  /** All devices that hold the keys, and the recovery codes that open them. */
  list(): Promise<readonly LedgerDevice[]>;
  /** Gives all keys to the device with this code. @throws FixpointError REQUEST_INVALID when the code is mistyped, NOT_FOUND when that device does not ask */
  approve(code: string): Promise<void>;
  /** From now on a new key seals what is sent, which all devices get but these. What they had they keep. */
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
