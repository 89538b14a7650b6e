/**
 * Says as whose event a ledger with a membership log counts each event
 * (docs/internals/membership-rules.md, "Events").
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { bytesOfHex, decodeEntry, type EntryId, type LogEntry } from '@fixpoint/protocol/storage';
import { hex, textOf } from '../../base/bytes.ts';
import { mergeHeads } from '../../clock/advance.ts';
import type { ClockEvent, Head, ReadEvent } from '../../clock/event.ts';
import { type Signature, signatureBy } from '../../clock/signature.ts';
import { decodeStamp, ENTRY_NAME_BYTES, loggedIn } from '../../clock/stamp.ts';
import { type Cid, cidFromBytes } from '../../codec/cid.ts';
import { sha256 } from '../../codec/sha256.ts';
import { evaluate, type Membership } from '../../membership/evaluate.ts';
import { type EventHistory, EventRules, type Label, type LoggedEvent } from '../../membership/events.ts';
import type { Seat } from '../../membership/seats.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import { LOG_NAME_ROW } from '../stamps.ts';

const ID_BYTES = 32;

/** As whose event a ledger with a membership log counts an event. */
export interface EventAuthor {
  /**
   * `verified`: a member with the right to write signed the event. `before the log`: the event is
   * older than the log, and the founder had it. `vouched for`: a member who may write has built on
   * it. `not accepted`: only this device has the event, or wrote it without the right to write.
   */
  readonly status: 'verified' | 'before the log' | 'vouched for' | 'not accepted';
  /**
   * The name of the member in the log: the author of a `verified` event, or the member who vouches
   * for it.
   */
  readonly name?: string;
  /** The member who added the author's device, if that was somebody else. */
  readonly addedBy?: string;
  /** The event by which the member vouches. */
  readonly by?: string;
  /** Whether the member vouched although they knew that the author had been removed. */
  readonly knew?: boolean;
}

/** Returns the author of an event that the head contains, and whether the signature is right. */
export type AuthorOf = (
  cid: Cid,
  event: ClockEvent,
  head: Head,
) => Promise<{ readonly author: EventAuthor; readonly signature: Signature }>;

/** The log that a device follows, as it was stored last. */
interface StoredLog {
  readonly start: EntryId;
  readonly membership: Membership;
}

/** Returns what the rules need to know of an event. */
export const loggedEvent = (id: Cid, { parents, by }: ClockEvent): LoggedEvent => {
  const name = loggedIn(by)?.name;
  return { id, parents, device: decodeStamp(by)?.device, names: name && hex(name) };
};

/**
 * Returns the history of events that a reader reads.
 * @throws FixpointError CORRUPT; NOT_IMPLEMENTED if this platform can't check signatures
 */
export function historyOf(read: ReadEvent): EventHistory {
  return {
    eventOf: async (id) => {
      const event = await unlessMissing(read(id as Cid));
      return event && loggedEvent(id as Cid, event);
    },
    isSignedBy: async ({ id }, key) => {
      const signature = await signatureBy(id as Cid, await read(id as Cid), bytesOfHex(key));
      if (signature === 'unchecked') throw new FixpointError('NOT_IMPLEMENTED', 'signatures');
      return signature === 'valid';
    },
    idOf: (listed) => cidFromBytes(bytesOfHex(listed)),
    latestOf: (ids) => mergeHeads(ids as Cid[], [], read),
  };
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (cause) {
    if (isFixpointError(cause, 'MISSING_BLOCK')) return undefined;
    throw cause;
  }
}

/**
 * Returns a function that finds authors by the log that a database follows now; undefined if it
 * follows none.
 * @param readRow reads a local row
 * @param remembered reads all rows with a prefix
 */
export function createLogAuthors(
  readRow: (name: string) => Promise<Uint8Array | undefined>,
  remembered: ByteStore['readPrefix'],
  read: ReadEvent,
): () => Promise<AuthorOf | undefined> {
  let known: { readonly name: string; readonly find: AuthorOf | undefined } | undefined;
  return async () => {
    const row = await readRow(LOG_NAME_ROW);
    if (row === undefined) return undefined;
    const name = hex(row);
    // A new entry of the log changes the name, or changes nothing about events.
    if (known?.name !== name) {
      const log = await storedLog(row, remembered);
      known = { name, find: log && authorsBy(log, read) };
    }
    return known.find;
  };
}

async function storedLog(
  row: Uint8Array,
  remembered: ByteStore['readPrefix'],
): Promise<StoredLog | undefined> {
  const start = hex(row.subarray(ENTRY_NAME_BYTES, ENTRY_NAME_BYTES + ID_BYTES));
  const rows = await remembered(`${textOf(row.subarray(ENTRY_NAME_BYTES + ID_BYTES))}entry/`);
  const entries: LogEntry[] = [...rows.values()].map((text) => decodeEntry(textOf(text), sha256).entry);
  if (!entries.some(({ id }) => id === start)) return undefined;
  return { start, membership: evaluate(entries, start) };
}

function authorsBy({ start, membership }: StoredLog, read: ReadEvent): AuthorOf {
  const rules = new EventRules(membership, historyOf(read), start);
  const authorIn = (label: Label | undefined): EventAuthor => {
    if (label === undefined) return { status: 'not accepted' };
    if (label.kind === 'before the log') return { status: label.kind };
    const named = nameOf(membership, label.seat);
    if (label.kind === 'verified') return { status: label.kind, ...named };
    return { status: label.kind, ...named, by: label.by, knew: label.knew };
  };
  return async (cid, event, head) => {
    const logged = loggedEvent(cid, event);
    const [label, signature] = [await rules.labelOf(logged, head), await rules.signatureOf(logged)];
    return { author: authorIn(label), signature };
  };
}

/** Returns who has a seat, and who added the seat if that was somebody else (M3). */
function nameOf({ past }: Membership, seat: Seat): { readonly name: string; readonly addedBy?: string } {
  const nameIn = (person: EntryId) => {
    const entry = past.entryOf(person);
    return entry !== undefined && 'name' in entry ? entry.name : '';
  };
  for (let one = seat.from; one !== undefined; one = one.from)
    if (one.person !== seat.person) return { name: nameIn(seat.person), addedBy: nameIn(one.person) };
  return { name: nameIn(seat.person) };
}
