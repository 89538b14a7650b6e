/**
 * Decides from a membership log what a device does with its keys
 * (docs/internals/membership-rules.md, "Keys" and "Start").
 */
import { type ErrorCode, FixpointError } from '@fixpoint/protocol';
import type { EntryId, LogEntry, SeatName, SignedEntry } from '@fixpoint/protocol/storage';
import type { LedgerFork, LedgerLog } from '../../crypto/ledger-keys.ts';
import { startsIn } from '../../crypto/log/listed-starts.ts';
import type { LedgerKey } from '../../crypto/sealed-object.ts';
import type { Membership } from '../../membership/evaluate.ts';
import { chosenStart, conductOf } from '../../membership/log-start.ts';
import { push } from '../../membership/push.ts';
import { safetyNumberOf } from '../../membership/safety.ts';
import type { LogView } from '../ledger/log-view.ts';

/** The keys and the seat of a device, by the log that it follows. */
export interface Followed {
  readonly view: LogView;
  /** The seat of this device; undefined if it has none, or was removed. */
  readonly seat: SeatName | undefined;
  readonly current: LedgerKey | undefined;
}

/** Returns the highest current seat of a device that receives data keys with this public key. */
export const seatOf = ({ membership }: LogView, seal: string): SeatName | undefined =>
  membership.seats.all.find((seat) => membership.isCurrent(seat) && seat.seal === seal);

/** Returns the person of a device; undefined if it has no seat. */
export const personOf = ({ view: { membership }, seat }: Followed): EntryId | undefined =>
  membership.seats.all.find((one) => one.key === seat?.key && one.entry === seat.entry)?.person;

/** Returns why a device that knows its log seals nothing. */
export function reasonToWait({ view, seat, current }: Followed): ErrorCode | undefined {
  if (view.needsUpdate) return 'FORMAT_NEWER';
  // The server withholds the log.
  if (view.key === undefined) return 'LEDGER_FORKED';
  if (seat === undefined || current === undefined) return 'DEVICE_NOT_APPROVED';
  return view.key.isStale ? 'KEY_INVALID' : undefined;
}

/**
 * Returns why a device that doesn't know the id of its log seals nothing (L3). It had a data key
 * before, so nobody can start a log without knowing this key, too.
 * @param proven the views of all logs in the list whose authors knew the current data key
 */
export function reasonOfUnknown(proven: ReadonlyMap<EntryId, LogView>): ErrorCode | undefined {
  if (proven.size === 0) return undefined;
  const chosen = chosenStart(undefined, [...proven.keys()]);
  if (chosen === undefined) return 'LEDGER_FORKED';
  const { isRotated } = proven.get(chosen.start) as LogView;
  const conduct = conductOf({ ...chosen, hadDataKey: true, hasRotation: isRotated });
  return conduct === 'wait' ? 'LEDGER_NOT_COMPARED' : undefined;
}

/**
 * Returns whether a list shows that an admin withdrew the log (G2). That is possible only while the
 * log has no other entry.
 */
export const isWithdrawn = ({ view: { membership } }: Followed, listed: readonly string[]): boolean => {
  const [start, ...others] = membership.past.entries;
  return start !== undefined && others.length === 0 && !startsIn(listed).has(start.id);
};

/** Returns what shows that there is a second log, or two copies of a device (L1, F10). */
export function forksIn({ membership, read }: Pick<LogView, 'membership' | 'read'>): LedgerFork[] {
  const { past } = membership;
  /** The first entries in each place, by the previous entry of their seat, or that of the seat. */
  const first = new Map<EntryId, SignedEntry[]>();
  const forks: LedgerFork[] = [];
  for (const entry of past.entries) {
    if (entry.kind === 'join') continue;
    const { id, by, own = by.entry } = entry;
    const isSame = (one: SignedEntry) =>
      one.own === entry.own && one.by.key === by.key && one.by.entry === by.entry;
    const other = first.get(own)?.find(isSame);
    if (other === undefined) push(first, own, entry);
    else forks.push({ kind: 'copies', sides: [other.id, id], signer: signerIn(membership, entry) });
  }
  const [start] = past.entries;
  for (const { kind, id } of read.entries)
    if (start !== undefined && kind === 'start' && past.entryOf(id) === undefined)
      forks.push(forkOfLogs(start.id, id));
  return forks;
}

/**
 * Returns the entries that others name and that aren't here, each with one of these others. An
 * honest server accepts no entry whose past it doesn't have (G1), so it withholds them.
 */
export function gapsIn({ read }: Pick<LogView, 'read'>): ReadonlyMap<EntryId, EntryId> {
  const gaps = new Map<EntryId, EntryId>();
  for (const { id, prev } of read.entries.filter((one) => one.kind !== 'start' && 'prev' in one))
    for (const one of prev) if (!read.readOf.has(one)) gaps.set(one, id);
  return gaps;
}

/** Returns that the server showed two logs. */
export const forkOfLogs = (one: EntryId, other: EntryId): LedgerFork => ({
  kind: 'logs',
  sides: [one, other],
  signer: undefined,
});

/** Returns the name of a person. */
export function nameIn({ past }: Membership, person: EntryId | undefined): string | undefined {
  const admission = person === undefined ? undefined : past.entryOf(person);
  return admission !== undefined && 'name' in admission ? admission.name : undefined;
}

/** Returns the name of the person who signed an entry. */
export const signerIn = (membership: Membership, entry: LogEntry): string | undefined =>
  nameIn(membership, membership.seats.signerOf(entry)?.person);

/** The state of this device in a log. */
export interface OwnState extends Pick<LedgerLog, 'isCompared' | 'forks' | 'waits'> {
  /** The person of this device; undefined if it isn't in the log. */
  readonly person: EntryId | undefined;
}

/**
 * Describes a log for applications.
 * @param ledger see `ledgerBytes`
 */
export function describeLog(
  id: EntryId,
  { membership }: LogView,
  ledger: Uint8Array,
  { person: own, ...state }: OwnState,
): Omit<LedgerLog, 'withoutAccess' | 'withheld'> {
  const { past, reasonOf } = membership;
  const members = membership.members.map(({ person, user, name, role, admittedBy }) => ({
    ...{ user, name, role, isYou: person === own, admittedBy: nameIn(membership, admittedBy) },
  }));
  const role = members.find(({ isYou }) => isYou)?.role;
  const ignored = past.entries.flatMap((entry) => {
    const rule = reasonOf(entry.id)?.rule;
    return rule === undefined ? [] : [{ id: entry.id, rule, signer: signerIn(membership, entry) }];
  });
  return { id, ...state, role, members, ignored, safetyNumber: safetyNumberOf(membership, ledger, id) };
}

/** @throws FixpointError */
export function throwIf(reason: ErrorCode | undefined): void {
  if (reason !== undefined) throw new FixpointError(reason, 'membership log');
}

/** Returns what differs whenever a log has other entries: they never disappear. */
export const entriesOf = ({ membership }: LogView): readonly unknown[] => [
  membership.past.entries.length,
  ...membership.heads,
];

/** Returns a function that calls another one when it is called first, and keeps the result. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
