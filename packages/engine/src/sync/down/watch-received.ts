/**
 * Stores what the remote reports about its entries: when it received each of them, and from whom.
 * `db.history` and `db.verify` show this. Attaching loads this code with other rarely used code.
 */
import type { ReceivedEntry as Reported } from '@fixpoint/protocol/storage';
import { isPossible, type ReceivedEntry, readReceived, receivedRow } from '../../commit/verify/arrivals.ts';
import { REMOTES } from '../../store/names.ts';
import type { EntryContent } from '../ledger/ledger-sealing.ts';
import type { Listed } from '../ledger/listed-entries.ts';
import type { Session } from '../sync-session.ts';

/** Rows are stored together, because each write of the store takes as long as a commit. */
const SAVE_MS = 250;

type Watched = Pick<Session, 'commits' | 'platform' | 'memory' | 'signal'>;
type Told = Reported & { readonly base: number };

/** Returns the list of entries with functions that also store when the remote received them. */
export function watchReceived(listed: Listed, { commits, platform, memory, signal }: Watched): Listed {
  const remote = memory.prefix.slice(REMOTES.length, -1);
  /** Reports of the remote about entries whose heads aren't known yet, by CID. */
  const reported = new Map<string, Told>();
  const unsaved = new Map<string, Told & Pick<EntryContent, 'head'>>();
  let stored: Promise<{ readonly cids: Set<string>; readonly base: number }> | undefined;
  /** Up to this number, this device has received all entries that the remote lists. */
  let base = 0;
  let isListing = false;
  let stop: (() => void) | undefined;

  async function load() {
    const rows = await readReceived(commits.remembered, remote).catch((cause) => {
      // Reported once. Rows of later entries are still useful.
      platform.report(cause);
      return new Map<string, ReceivedEntry>();
    });
    return { cids: new Set(rows.keys()), base: [...rows.values()].reduce((a, b) => Math.max(a, b.base), 0) };
  }

  async function save(): Promise<void> {
    stop = undefined;
    stored ??= load();
    const before = await stored;
    const batch = [...unsaved].filter(
      ([cid, told]) => !before.cids.has(cid) && isPossible({ ...told, atMs: Date.parse(told.at) }),
    );
    unsaved.clear();
    const rows = batch.map(([cid, { seq, at, account, head, base: own }]) => {
      before.cids.add(cid);
      // After a restart, the remote lists everything from the start.
      const from = seq > before.base ? Math.max(own, before.base) : own;
      return receivedRow(remote, cid, { seq, base: from, atMs: Date.parse(at), account, head });
    });
    if (rows.length > 0) await commits.markUploaded([], rows);
  }

  function note(cid: string, { head }: EntryContent): void {
    const told = reported.get(cid);
    if (told === undefined || head.length === 0) return;
    reported.delete(cid);
    unsaved.set(cid, { ...told, head });
    stop ??= platform.time.after(SAVE_MS, () => {
      save().catch((cause) => (signal.aborted ? undefined : platform.report(cause)));
    });
  }

  signal.addEventListener('abort', () => stop?.());
  return {
    ...listed,
    take: (listing) => {
      listed.take(listing);
      if (!isListing) base = listing.after ?? base;
      isListing = listing.more === true;
      for (const one of listing.received ?? []) reported.set(one.cid, { ...one, base });
      if (!isListing) base = Math.max(base, listing.cursor ?? 0);
    },
    read: (cid, content) => {
      listed.read(cid, content);
      note(cid, content);
    },
    told: (cid, content, answer) => {
      listed.told(cid, content, answer);
      for (const one of answer?.received ?? []) if (one.cid === cid) reported.set(cid, { ...one, base });
      note(cid, content);
    },
  };
}
