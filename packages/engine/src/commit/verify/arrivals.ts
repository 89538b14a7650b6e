/**
 * When a remote received events, and from which account. The remote reports this for entries, so it
 * holds for all events that an entry brought. Each entry has a row `received/<remote>/<entry>`:
 * JSON `{v: 1, seq, base, at, account, head}`. Losing a row is harmless.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { textOf, utf8 } from '../../base/bytes.ts';
import type { ClockEvent } from '../../clock/event.ts';
import { type Cid, parseCid } from '../../codec/cid.ts';
import type { ByteStore, StoreChange } from '../../ports/byte-store.ts';

const RECEIVED = 'received/';
const VERSION = 1;
/** The latest time that a `Date` can contain. */
const TIME_MS_MAX = 8.64e15;
/** Ids of users are shown in terminals, so they must not contain control characters. */
const ACCOUNT = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,200}$/u;

/** When a remote received an event, and from whom. Only the remote claims this. */
export interface Arrival {
  /**
   * Milliseconds since 1970, by the remote's clock: when it received the first entry with the event
   * that this device knows of. The remote may have received the event earlier, in an entry that
   * was replaced before this device saw it.
   */
  readonly atMs: number;
  /**
   * The id of the user whose device sent the event to the remote, which needn't be its author.
   * Absent if several users may have sent it first.
   */
  readonly account?: string;
}

/** An entry of a remote, and the head that it brought. */
export interface ReceivedEntry {
  /** Number of the entry at the remote. */
  readonly seq: number;
  /** Number up to which this device had received all entries when the remote listed this one. */
  readonly base: number;
  readonly atMs: number;
  readonly account: string;
  readonly head: readonly Cid[];
}

/** @param remote the id of the remote */
export const receivedRow = (
  remote: string,
  cid: string,
  { seq, base, atMs, account, head }: ReceivedEntry,
): StoreChange => ({
  key: `${RECEIVED}${remote}/${cid}`,
  bytes: utf8(JSON.stringify({ v: VERSION, seq, base, at: atMs, account, head })),
});

/** Returns whether what a remote, or a stored row, says about an entry can be true. */
export const isPossible = ({ seq, base, atMs, account }: Omit<ReceivedEntry, 'head'>): boolean =>
  // With larger numbers, counting from one to the next doesn't end.
  [seq, base].every((number) => Number.isSafeInteger(number) && number >= 0) &&
  Math.abs(atMs) <= TIME_MS_MAX &&
  ACCOUNT.test(account);

type ReadPrefix = ByteStore['readPrefix'];
type ReadParents = (cid: Cid) => Promise<Pick<ClockEvent, 'parents'>>;

/** Returns the entries of a remote by their CID. Without a remote, returns those of all remotes. */
export async function readReceived(
  readPrefix: ReadPrefix,
  remote?: string,
): Promise<ReadonlyMap<string, ReceivedEntry>> {
  const found = new Map<string, ReceivedEntry>();
  const prefix = remote === undefined ? RECEIVED : `${RECEIVED}${remote}/`;
  for (const [key, bytes] of await readPrefix(prefix)) {
    const entry = decodeRow(bytes);
    if (entry !== undefined) found.set(key.slice(prefix.length), entry);
  }
  return found;
}

/** Returns undefined for a row of a later version, or a damaged one. */
function decodeRow(bytes: Uint8Array): ReceivedEntry | undefined {
  try {
    const { v, seq, base, at, account, head } = JSON.parse(textOf(bytes)) as Record<string, unknown>;
    if (v !== VERSION || typeof account !== 'string' || !Array.isArray(head)) return undefined;
    const told = { seq: Number(seq), base: Number(base), atMs: Number(at), account };
    return isPossible(told) ? { ...told, head: head.map(parseCid) } : undefined;
  } catch {
    return undefined;
  }
}

interface Label {
  /** The first entry with the event. */
  readonly first: ReceivedEntry;
  /** The lowest base of the entries with the event that another account put. */
  othersBase: number;
}

/** The events that the entries of one remote brought. */
class RemoteArrivals {
  readonly #labels = new Map<Cid, Label>();
  readonly #seqs = new Set<number>();
  #last = 0;

  /** Returns whether entries with these numbers can be added to those that were added before. */
  follows(entries: readonly ReceivedEntry[]): boolean {
    return entries.every(({ seq }) => seq > this.#last || this.#seqs.has(seq));
  }

  /** Adds entries, and the events that they lead to. */
  async add(entries: readonly ReceivedEntry[], read: ReadParents, isOpen: (cid: Cid) => boolean) {
    for (const entry of [...entries].sort((a, b) => a.seq - b.seq)) {
      if (this.#seqs.has(entry.seq)) continue;
      this.#seqs.add(entry.seq);
      this.#last = entry.seq;
      await this.#walk(entry, read, isOpen);
    }
  }

  async #walk(entry: ReceivedEntry, read: ReadParents, isOpen: (cid: Cid) => boolean): Promise<void> {
    const waiting = [...entry.head];
    for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop())
      if (isOpen(cid) && this.#note(cid, entry))
        for (const parent of await parentsOf(cid, read)) waiting.push(parent);
  }

  /** Returns whether the ancestors of the event must be visited. */
  #note(cid: Cid, entry: ReceivedEntry): boolean {
    const label = this.#labels.get(cid);
    if (label === undefined) {
      this.#labels.set(cid, { first: entry, othersBase: Number.POSITIVE_INFINITY });
      return true;
    }
    if (label.first.account === entry.account || entry.base >= label.othersBase) return false;
    label.othersBase = entry.base;
    // The first entry of an ancestor has the same number, or a lower one.
    return entry.base < label.first.seq;
  }

  of(cid: Cid): Arrival | undefined {
    const label = this.#labels.get(cid);
    if (label === undefined) return undefined;
    const { atMs, account, seq } = label.first;
    // Entries that this device never saw were replaced by later ones of the same writer. So another
    // account may have been first only if a later entry of it has the event, too, and if an unseen
    // entry is older.
    const isSure = label.othersBase >= seq || !this.#hasUnseen(label.first);
    return { atMs, ...(isSure && { account }) };
  }

  #hasUnseen({ base, seq }: ReceivedEntry): boolean {
    for (let number = base + 1; number < seq; number++) if (!this.#seqs.has(number)) return true;
    return false;
  }
}

async function parentsOf(cid: Cid, read: ReadParents): Promise<readonly Cid[]> {
  try {
    return (await read(cid)).parents;
  } catch (cause) {
    // Compaction dropped the event, or this device doesn't have it.
    if (isFixpointError(cause, 'MISSING_BLOCK')) return [];
    throw cause;
  }
}

/** Finds when remotes received events. Keeps what it found, so later calls read only new events. */
export class Arrivals {
  readonly #readPrefix: ReadPrefix;
  readonly #read: ReadParents;
  readonly #isOpen: (cid: Cid) => boolean;
  readonly #remotes = new Map<string, RemoteArrivals>();
  /** Serializes calls of `advance`. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param isOpen returns whether an event is considered, so that a search ends earlier */
  constructor(readPrefix: ReadPrefix, read: ReadParents, isOpen: (cid: Cid) => boolean = () => true) {
    this.#readPrefix = readPrefix;
    this.#read = read;
    this.#isOpen = isOpen;
  }

  /** Reads the rows that were stored since the last call. @throws FixpointError CORRUPT */
  advance(): Promise<void> {
    const done = this.#last.then(() => this.#readRows());
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #readRows(): Promise<void> {
    const byRemote = new Map<string, ReceivedEntry[]>();
    for (const [name, entry] of await readReceived(this.#readPrefix)) {
      const remote = name.slice(0, name.indexOf('/'));
      const entries = byRemote.get(remote) ?? [];
      byRemote.set(remote, entries);
      entries.push(entry);
    }
    for (const [remote, entries] of byRemote) {
      const known = this.#remotes.get(remote);
      const arrivals = known?.follows(entries) ? known : new RemoteArrivals();
      await arrivals.add(entries, this.#read, this.#isOpen);
      this.#remotes.set(remote, arrivals);
    }
  }

  /** Returns the earliest arrival of an event; undefined if no remote reported one. */
  of(cid: Cid): Arrival | undefined {
    const found = [...this.#remotes.values()].flatMap((remote) => remote.of(cid) ?? []);
    return found.sort((a, b) => a.atMs - b.atMs)[0];
  }
}
