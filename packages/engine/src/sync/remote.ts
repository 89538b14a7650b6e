import type { FixpointError } from '@fixpoint/protocol';
import type { Commits } from '../commit/open.ts';
import type { Platform } from '../ports/platform.ts';

export type SyncState = 'offline' | 'connecting' | 'catching-up' | 'in-sync' | 'refused';

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
  status(): SyncStatus;
  /** Calls back after each change of the status. */
  onStatus(fn: (status: SyncStatus) => void): () => void;
  /**
   * Resolves when all that is durable here now is at the remote, and what the remote has now is here. Waits while offline.
   * @throws FixpointError when the remote refuses, when something there stays unreadable, CONNECTION_NOT_OPEN after `detach`
   */
  synced(): Promise<void>;
  detach(): Promise<void>;
}

/** Where a database can be attached to; made by `toCloud`. */
export interface Remote {
  attach(commits: Commits, platform: Platform): Promise<Attached>;
}
