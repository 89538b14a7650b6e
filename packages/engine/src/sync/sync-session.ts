import type { AnswerOf, MetaEntry } from '@fixpoint/protocol/storage';
import type { Commits } from '../commit/commits-interface.ts';
import type { Platform } from '../ports/platform.ts';
import type { EntryContent, LedgerSealing } from './ledger/ledger-sealing.ts';
import type { Listed } from './ledger/listed-entries.ts';
import type { RemoteMemory } from './ledger/remote-memory.ts';
import type { Connection, Listing, Target } from './transport/connection.ts';

/** State shared by the parts of one attachment. */
export interface Session {
  readonly commits: Commits;
  readonly platform: Platform;
  readonly target: Target;
  readonly memory: RemoteMemory;
  readonly listed: Listed;
  /**
   * Missing blocks, as error messages, for which all archives of the remote were already searched.
   */
  readonly searched: Set<string>;
  /** Aborted when the database is detached. */
  readonly signal: AbortSignal;
  /**
   * Returns how this ledger seals and names data.
   * @throws FixpointError CONNECTION_NOT_OPEN until the remote has responded
   */
  sealing(): LedgerSealing;
  /**
   * Learns the kind and the keys of the ledger from a listing. Called before other code uses the
   * listing. Returns whether a key is new.
   * @throws FixpointError LEDGER_KIND
   */
  settle(listing: Listing): Promise<boolean>;
  /**
   * Rotates the key if needed before anything is sent, so that devices of members who left can't
   * open the new data.
   */
  renewKey(): Promise<void>;
  /** Returns whether the kind of the ledger is known and this device may read and write. */
  isReady(): boolean;
  /**
   * Uploads objects again that the remote lacks, as far as this device has their content. Returns
   * whether this device had counted any of them as held by the remote.
   */
  heal(objects: readonly string[]): Promise<boolean>;
  /** Records an object that is missing or damaged at the remote. */
  faulty(object: string): void;
  /** Returns the connection if it is open. */
  connection(): Connection | undefined;
  /**
   * Records an entry that the remote acknowledged.
   * @param answer has the entry's place in the history of the ledger
   */
  told(entry: MetaEntry, content: EntryContent, answer: AnswerOf<'resPutMeta'>): void;
}
