/** The open-key kind of ledger: archives and keys as existing clients of the protocol send them. */
import { isFixpointError } from '@fixpoint/protocol';
import { encodeBlock } from '../../codec/block.ts';
import type { Commits } from '../../commit/commits-interface.ts';
import { keyText, parseKeyText } from '../../crypto/keys.ts';
import { openArchive, seal } from '../../crypto/seal.ts';
import type { LedgerSealing } from './ledger-sealing.ts';
import { decodeMetaEntry, encodeMetaEntry } from './meta-entry-codec.ts';

/**
 * Returns the sealing of an open-key ledger. Archives are sealed as the format specifies, and named
 * by their CIDs. The list of keys contains the plain keys.
 */
export function openKeySealing({ keys, mergeRemote: merge }: Commits): LedgerSealing {
  return {
    kind: 'open-key',
    isReady: () => true,
    seal: async (_store, cid, plain) => ({ name: cid, body: await seal(plain, keys.keys().current, cid) }),
    nameOf: (cid) => cid,
    open: (_store, cid, body) => openArchive(body, keys.keys().all, cid),
    // The mark names the key, so that replicas with equal content and different keys give their
    // archives different names. Under the same name, the remote would reject the second archive, or
    // replace the first one and leave it unreadable until the metas with both keys arrive.
    mark: () => encodeBlock({ sealedWith: keys.keys().current.idBytes }),
    hasToTell: () => false,
    tellAgain: () => undefined,
    told: () => undefined,
    readMark: () => [],
    merge,
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
 * Decodes a key that arrived with a meta. Texts that aren't keys are skipped, because they can't
 * open anything.
 */
function keyOf(text: string) {
  try {
    return [parseKeyText(text)];
  } catch (cause) {
    if (isFixpointError(cause)) return [];
    throw cause;
  }
}
