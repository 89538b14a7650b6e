/**
 * The differences between the two kinds of ledger: how objects and meta entries are sealed and
 * named, and the content of the list of keys.
 */
import type { MetaEntry } from '@fixpoint/protocol/storage';
import type { Head } from '../../clock/event.ts';
import type { Block } from '../../codec/block.ts';
import type { Cid } from '../../codec/cid.ts';
import type { RemoteMerge } from '../../commit/merge-remote.ts';
import type { Said } from '../../crypto/announced-devices.ts';

/**
 * The kind of a ledger: only approved devices can open its content (`sealed`), or the cloud can,
 * too (`open-key`).
 */
export type LedgerKind = 'open-key' | 'sealed';
/**
 * Returns whether a text of a `keys` list is a record of a sealed ledger, of this version or
 * another.
 */
export const isRecordText = (text: string): boolean => text.startsWith('S');

/** The remote's store of an object: archives of blocks, or of attached files. */
export type ObjectStore = 'car' | 'file';

/**
 * Archives that contain the blocks of one commit or upload. The archive with the header is first.
 */
export type ArchiveGroup = readonly Cid[];

/** The content of a meta entry. */
export interface EntryContent {
  /** The archive group, header first. */
  readonly group: readonly [Cid, ...Cid[]];
  /**
   * The head that the header contains, as the writer of the entry claims. Empty when the entry
   * omits it.
   */
  readonly head: Head;
}

export interface SealedBody {
  /** The object's name at the gateway. */
  readonly name: string;
  readonly body: Uint8Array;
}

export interface LedgerSealing {
  readonly kind: LedgerKind;
  /** Returns whether this device can read and write the ledger. */
  isReady(): boolean;
  seal(store: ObjectStore, cid: Cid, plain: Uint8Array): Promise<SealedBody>;
  /** Returns the name of an object; undefined until it is known. */
  nameOf(cid: Cid): string | undefined;
  /**
   * Opens an object, and checks that the hash of its plain bytes matches the CID.
   * @throws FixpointError CORRUPT, KEY_UNKNOWN, FORMAT_NEWER
   */
  open(store: ObjectStore, cid: Cid, body: Uint8Array): Promise<Uint8Array>;
  /**
   * Returns the mark, a block to add to an archive that a meta will name.
   * @param groups the groups that the header of that archive lists
   * @param files file archives to name in the mark, in addition to those that weren't announced yet
   */
  mark(groups: readonly ArchiveGroup[], files?: readonly Cid[]): Block;
  /** Returns whether something is still to be announced that only a mark can announce. */
  hasToTell(): boolean;
  /**
   * Makes the next mark announce everything again, because the remote lost earlier announcements.
   */
  tellAgain(): void;
  /** Records that the mark was sent. */
  told(): void;
  /**
   * Learns from the mark in an archive, if the archive has one. Returns the file archives that the
   * mark names.
   */
  readMark(archive: Uint8Array): readonly Cid[];
  /** Merges a head of the ledger into the database, as far as the ledger's members accept it. */
  merge(merge: RemoteMerge): Promise<void>;
  makeEntry(archive: Cid, head: Head): Promise<MetaEntry>;
  /** Reads an entry. @throws FixpointError CORRUPT, KEY_UNKNOWN, FORMAT_NEWER */
  readEntry(entry: MetaEntry): Promise<EntryContent>;
  /** Returns the texts to add to the list of keys with each entry. */
  keys(): readonly string[];
  /**
   * Learns the list of keys and what the remote reports about it. Returns whether any key is new
   * here.
   */
  learn(texts: readonly string[], said: Said): Promise<boolean>;
}
