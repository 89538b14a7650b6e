/**
 * Remembers the entries that this device signed, before it puts them. Otherwise a device whose
 * answer got lost would sign a second entry in the place of the first one, which looks like a copy
 * of the device (docs/internals/membership-rules.md, F10). Row `local/log-own/<prefix><place>`: the
 * texts of one request, or none once the server has them. `<place>` names the signing seat and its
 * previous entry, and a place is written only once, by whichever tab or process comes first.
 */
import { decodeEntry, isEntryText } from '@fixpoint/protocol/storage';
import { asArray, decode, encode } from '../../../codec/dag-cbor.ts';
import { sha256 } from '../../../codec/sha256.ts';
import type { Commits } from '../../../commit/commits-interface.ts';
import { localKey } from '../../../store/names.ts';

export type OwnTextsParts = Pick<Commits, 'local' | 'remembered'>;

export interface OwnTexts {
  /** Returns the texts that the server may not have yet. All of them belong into one request. */
  unsent(): readonly string[];
  /**
   * Makes the texts of a request durable. Returns false if another tab or process signed another
   * entry in the same place: the caller then reloads, and signs again.
   */
  claim(texts: readonly string[]): Promise<boolean>;
  /** Learns that the server has these texts. */
  sent(texts: ReadonlySet<string>): Promise<void>;
  /** Learns what other tabs signed. */
  reload(): Promise<void>;
}

export async function openOwnTexts({ local, remembered }: OwnTextsParts, prefix: string): Promise<OwnTexts> {
  const start = `log-own/${prefix}`;
  /** The texts of requests by the names of their rows. */
  let requests = new Map<string, readonly string[]>();

  async function reload(): Promise<void> {
    const rows = await remembered(localKey(start));
    requests = new Map(
      [...rows].map(([key, bytes]) => [
        start + key.slice(localKey(start).length),
        asArray(decode(bytes)).map(String),
      ]),
    );
  }

  await reload();
  return {
    unsent: () => [...new Set([...requests.values()].flat())],
    claim: async (texts) => {
      const name = start + placeOf(texts);
      const bytes = encode([...texts]);
      if (!(await local.write([{ name, bytes }], { name, bytes: undefined, coversAll: true }))) return false;
      requests.set(name, texts);
      return true;
    },
    sent: async (texts) => {
      const done = [...requests].filter(([, own]) => own.length > 0 && own.every((text) => texts.has(text)));
      if (done.length === 0) return;
      await local.write(done.map(([name]) => ({ name, bytes: encode([]) })));
      for (const [name] of done) requests.set(name, []);
    },
    reload,
  };
}

/** Returns the place of the first signed entry in a request. */
function placeOf(texts: readonly string[]): string {
  for (const text of texts.filter(isEntryText)) {
    const { entry } = decodeEntry(text, sha256);
    if (entry.kind !== 'join') return `${entry.by.key}/${entry.by.entry}/${entry.own ?? 'first'}`;
  }
  throw new Error('no signed entry');
}
