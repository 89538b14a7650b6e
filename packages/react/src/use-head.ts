import type { Attached, Database, Head, LedgerKeyring, SyncStatus } from 'fixpoint';
import { liveHead, liveKeyring, liveSyncStatus } from 'fixpoint/live';
import { useStore } from './use-store.ts';

/**
 * Returns the live head of a database, and renders again after each local or remote change. Equal
 * heads mean equal content. The head is empty until the database is open.
 */
export const useHead = (database: Database): Head => useStore(liveHead(database));

/** Returns the live sync status of an attached database; undefined while it isn't attached. */
export const useSyncStatus = (attached: Attached | undefined): SyncStatus | undefined =>
  useStore(liveSyncStatus(attached));

/**
 * Returns the live state of the keys of a sealed ledger on this device, with the members, the forks
 * and the safety number of its membership log. Undefined until it is known.
 */
export const useKeyring = (attached: Attached | undefined): LedgerKeyring | undefined =>
  useStore(liveKeyring(attached));
