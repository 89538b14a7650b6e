/**
 * The differences between the two kinds of ledger: how objects and meta entries are sealed and
 * named, and what the list of keys holds.
 */
import { isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import type { Head } from '../../clock/event.ts';
import { type Block, encodeBlock } from '../../codec/block.ts';
import type { Cid } from '../../codec/cid.ts';
import type { Commits } from '../../commit/open.ts';
import type { Said } from '../../crypto/announced.ts';
import { keyText, parseKeyText } from '../../crypto/keys.ts';
import { open, seal } from '../../crypto/seal.ts';
import { decodeMetaEntry, type EntryContent, encodeMetaEntry } from './meta-entry-codec.ts';
import type { ArchiveGroup } from './remote-memory.ts';

/** Who can open what is sent: only approved devices (`sealed`), or the cloud too (`open-key`). */
export type LedgerKind = 'open-key' | 'sealed';
/** The remote's store of an object: archives of blocks, or of attached files. */
export type ObjectStore = 'car' | 'file';

export interface SealedBody {
  /** The object's name at the gateway. */
  readonly name: string;
  readonly body: Uint8Array;
}

export interface LedgerSealing {
  readonly kind: LedgerKind;
  /** Whether this device can read and write the ledger. */
  isReady(): boolean;
  seal(store: ObjectStore, cid: Cid, plain: Uint8Array): Promise<SealedBody>;
  /** Returns the name of an object; undefined until it is known. */
  nameOf(cid: Cid): string | undefined;
  /** Opens an object. @throws FixpointError CORRUPT, KEY_UNKNOWN, FORMAT_NEWER */
  open(store: ObjectStore, cid: Cid, body: Uint8Array): Promise<Uint8Array>;
  /**
   * Returns the mark block for an archive that a meta will name and whose header lists these
   * groups.
   * @param files archives to name besides those not announced yet
   */
  mark(groups: readonly ArchiveGroup[], files?: readonly Cid[]): Block;
  /** Whether there is news that only a mark can announce. */
  hasToTell(): boolean;
  /** Announces everything again, as the remote lost it. */
  tellAgain(): void;
  /** Records that the mark was sent. */
  told(): void;
  /**
   * Learns from the mark in an archive, if there is one. Returns the file archives that it names.
   */
  readMark(archive: Uint8Array): readonly Cid[];
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

/**
 * Returns archives sealed as the format specifies, under their own names; the list has plain keys.
 */
export function openKeySealing({ keys }: Commits): LedgerSealing {
  return {
    kind: 'open-key',
    isReady: () => true,
    seal: async (_store, cid, plain) => ({ name: cid, body: await seal(plain, keys.keys().current, cid) }),
    nameOf: (cid) => cid,
    open: (_store, _cid, body) => open(body, keys.keys().all),
    // Names the key, so that replicas with equal content and different keys send archives of
    // different names. Under one name, the second would be refused, or replace the first and stay
    // unreadable until the metas with both keys arrive.
    mark: () => encodeBlock({ sealedWith: keys.keys().current.idBytes }),
    hasToTell: () => false,
    tellAgain: () => undefined,
    told: () => undefined,
    readMark: () => [],
    makeEntry: async (archive, head) => encodeMetaEntry([archive], [], head),
    readEntry: async (entry) => decodeMetaEntry(entry),
    keys: () => [...keys.keys().all.values()].map(keyText),
    learn: async (texts) => {
      const parsed = texts.flatMap(keyOf);
      const isNews = parsed.some(({ id }) => !keys.keys().all.has(id));
      if (isNews) await keys.learn(parsed);
      return isNews;
    },
  };
}

/**
 * Keys of other members arrive with the metas. Skips texts that aren't keys: they can't open
 * anything.
 */
function keyOf(text: string) {
  try {
    return [parseKeyText(text)];
  } catch (cause) {
    if (isFixpointError(cause)) return [];
    throw cause;
  }
}
