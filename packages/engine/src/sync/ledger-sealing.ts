/** What the two kinds of ledger do differently: how objects and meta entries are sealed and named, and what stands in the list of keys. */
import { isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import type { Head } from '../clock/event.ts';
import { type Block, encodeBlock } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import type { Commits } from '../commit/open.ts';
import type { Said } from '../crypto/announced.ts';
import { keyText, parseKeyText } from '../crypto/keys.ts';
import { open, seal } from '../crypto/seal.ts';
import { decodeMetaEntry, type EntryContent, encodeMetaEntry } from './meta-entry.ts';
import type { ArchiveGroup } from './remote-memory.ts';

/** Who can open what is sent: approved devices alone (`sealed`), or the cloud too (`open-key`). */
export type LedgerKind = 'open-key' | 'sealed';
/** The store of the remote that an object lies in: archives of blocks, or of attached files. */
export type ObjectStore = 'car' | 'file';

export interface SealedBody {
  /** What the gateway calls it. */
  readonly name: string;
  readonly body: Uint8Array;
}

export interface LedgerSealing {
  readonly kind: LedgerKind;
  /** Whether this device can read and write the ledger. */
  isReady(): boolean;
  seal(store: ObjectStore, cid: Cid, plain: Uint8Array): Promise<SealedBody>;
  /** Undefined while nobody told it. */
  nameOf(cid: Cid): string | undefined;
  /** @throws FixpointError CORRUPT, KEY_UNKNOWN, FORMAT_NEWER */
  open(store: ObjectStore, cid: Cid, body: Uint8Array): Promise<Uint8Array>;
  /** A block for an archive that a meta will name and whose header lists these groups. @param files archives that it is to name besides those that nobody was told of */
  mark(groups: readonly ArchiveGroup[], files?: readonly Cid[]): Block;
  /** Whether there is something that only a mark can tell the others. */
  hasToTell(): boolean;
  /** The remote forgot: all is to be told again. */
  tellAgain(): void;
  /** The mark was sent. */
  told(): void;
  /** Takes what the mark in an archive tells, if it has one. Gives the file archives that it names. */
  readMark(archive: Uint8Array): readonly Cid[];
  makeEntry(archive: Cid, head: Head): Promise<MetaEntry>;
  /** @throws FixpointError CORRUPT, KEY_UNKNOWN, FORMAT_NEWER */
  readEntry(entry: MetaEntry): Promise<EntryContent>;
  /** What to put into the list of keys with each entry. */
  keys(): readonly string[];
  /** Takes the list of keys, and what the remote says of it. Gives whether one of them is new here. */
  learn(texts: readonly string[], said: Said): Promise<boolean>;
}

/** Archives as the format seals them, under their own names; the keys are in the list as they are. */
export function openKeySealing({ keys }: Commits): LedgerSealing {
  return {
    kind: 'open-key',
    isReady: () => true,
    seal: async (_store, cid, plain) => ({ name: cid, body: await seal(plain, keys.keys().current, cid) }),
    nameOf: (cid) => cid,
    open: (_store, _cid, body) => open(body, keys.keys().all),
    // It names the key: replicas that wrote the same send archives of different names, each sealed with its own key. Under one name the second would be
    // refused, or replace the first, and be locked for everybody until the metas with both keys have arrived.
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

/** Keys of other members come with the metas. A text that is none is left out: it can open nothing. */
function keyOf(text: string) {
  try {
    return [parseKeyText(text)];
  } catch (cause) {
    if (isFixpointError(cause)) return [];
    throw cause;
  }
}
