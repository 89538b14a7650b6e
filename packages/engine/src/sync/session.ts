import type { AnswerOf, MetaEntry } from '@fixpoint/protocol/storage';
import type { Commits } from '../commit/open.ts';
import type { Platform } from '../ports/platform.ts';
import type { LedgerSealing } from './ledger-sealing.ts';
import type { Listed } from './listed.ts';
import type { EntryContent } from './meta-entry.ts';
import type { RemoteMemory } from './remote-memory.ts';
import type { Connection, Listing, Target } from './transport/connection.ts';

/** What the parts of one attachment share. */
export interface Session {
  readonly commits: Commits;
  readonly platform: Platform;
  readonly target: Target;
  readonly memory: RemoteMemory;
  readonly listed: Listed;
  /** Of missing blocks, by what the error says: all that the remote has was looked through for them. */
  readonly searched: Set<string>;
  /** Aborted when the database is detached. */
  readonly signal: AbortSignal;
  /** What the kind of the ledger says; once the remote was heard. */
  sealing(): LedgerSealing;
  /** Takes what the remote lists before anything else is done with it. Gives whether a key is new. @throws FixpointError LEDGER_KIND */
  settle(listing: Listing): Promise<boolean>;
  /** Before anything is sent: what is sent from now on is not for devices of members who are gone. */
  renewKey(): Promise<void>;
  /** Whether the kind is known and this device may read and write. */
  isReady(): boolean;
  /** Uploads objects again that the remote lacks, as far as this device has what was in them. Whether it had counted on one. */
  heal(objects: readonly string[]): Promise<boolean>;
  /** Notes an object that the remote doesn't have, or has damaged. */
  faulty(object: string): void;
  /** The connection that can be used now. */
  connection(): Connection | undefined;
  /** Notes an entry that the remote acknowledged. @param answer says where it stands in the history of the ledger */
  told(entry: MetaEntry, content: EntryContent, answer: AnswerOf<'resPutMeta'>): void;
}
