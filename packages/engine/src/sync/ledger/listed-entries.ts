/**
 * Tracks the entries that the remote lists now, with their heads. Shows whether the remote still
 * lists what this database has sent.
 */
import type { AnswerOf } from '@fixpoint/protocol/storage';
import type { Head } from '../../clock/event.ts';
import { GENESIS_EVENT } from '../../clock/genesis.ts';
import type { Cid } from '../../codec/cid.ts';
import type { Listing } from '../transport/connection.ts';
import type { EntryContent } from './ledger-sealing.ts';

export interface Listed {
  /** Adds a listing. A complete listing replaces the earlier ones. */
  take(listing: Listing): void;
  /** Records the content of a listed entry. */
  read(entry: string, content: EntryContent): void;
  /** Records an entry that this database sent and the remote acknowledged. */
  told(entry: string, content: EntryContent, answer?: Pick<AnswerOf<'resPutMeta'>, 'received'>): void;
  /**
   * Returns whether each event of the head is in the head of a listed entry. All listed heads were
   * merged before, so a missing event can't be an ancestor of a listed head.
   */
  covers(head: Head): boolean;
  heads(): readonly Head[];
  /** Returns the contents of listed entries, as far as they were read. */
  contents(): readonly EntryContent[];
  /**
   * Records a head that was read from the archive of an entry, because the entry omits its head.
   */
  spoken(head: Head): void;
  /**
   * Returns the number of the newest complete listing until this listing is compared with what was
   * sent; then returns undefined.
   */
  doubt(): number | undefined;
  /** Ends this doubt, unless there is a newer one. */
  compared(doubt: number): void;
}

export function createListed(): Listed {
  /** Contents by the CID of the entry; undefined until the entry was read. */
  const entries = new Map<string, EntryContent | undefined>();
  let spoken: Head[] = [];
  let events: Set<Cid> | undefined;
  let doubts = 1;
  let doubt: number | undefined = doubts;

  const contents = () => [...entries.values()].filter((content) => content !== undefined);
  const heads = () => [...contents().map(({ head }) => head), ...spoken];
  function set(entry: string, content: EntryContent): void {
    entries.set(entry, content);
    events = undefined;
  }

  return {
    take: ({ anew, metas }) => {
      if (anew) {
        entries.clear();
        spoken = [];
        events = undefined;
        doubts += 1;
        doubt = doubts;
      }
      for (const { cid } of metas) if (!entries.has(cid)) entries.set(cid, undefined);
    },
    read: (entry, content) => (entries.has(entry) ? set(entry, content) : undefined),
    told: set,
    covers: (head) => {
      events ??= new Set(heads().flat());
      return head.every((event) => event === GENESIS_EVENT || events?.has(event));
    },
    heads,
    contents,
    spoken: (head) => {
      spoken.push(head);
      events = undefined;
    },
    doubt: () => doubt,
    compared: (ended) => {
      if (doubt === ended) doubt = undefined;
    },
  };
}
