/**
 * Decides from a membership log what a device does with its keys
 * (docs/internals/membership-rules.md, "Keys" and "Start").
 */
import { type ErrorCode, FixpointError } from '@fixpoint/protocol';
import {
  type EntryId,
  type LogEntry,
  type ReadLog,
  rotationOf,
  type SeatName,
} from '@fixpoint/protocol/storage';
import type { LedgerLog } from '../../crypto/ledger-keys.ts';
import type { LedgerKey } from '../../crypto/sealed-object.ts';
import { chosenStart, conductOf } from '../../membership/log-start.ts';
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
 * @param proven the views of all logs in the list whose authors knew a data key of this device
 */
export function reasonOfUnknown(proven: ReadonlyMap<EntryId, LogView>): ErrorCode | undefined {
  if (proven.size === 0) return undefined;
  const chosen = chosenStart(undefined, [...proven.keys()]);
  if (chosen === undefined) return 'LEDGER_FORKED';
  const view = proven.get(chosen.start) as LogView;
  const conduct = conductOf({ ...chosen, hadDataKey: true, hasRotation: hasRotation(view) });
  return conduct === 'wait' ? 'LEDGER_NOT_COMPARED' : undefined;
}

const hasRotation = ({ membership }: LogView): boolean =>
  membership.past.entries.some((entry) => rotationOf(entry) !== undefined && membership.counts(entry.id));

/** Returns whether the list shows a second log, or two copies of a device (L1, F10). */
export function isForked({ membership: { past } }: LogView, entries: ReadLog['entries']): boolean {
  const places = past.entries.flatMap((entry) =>
    entry.kind === 'join' ? [] : [`${entry.by.key} ${entry.by.entry} ${entry.own ?? ''}`],
  );
  const isSecond = (entry: LogEntry) => entry.kind === 'start' && past.entryOf(entry.id) === undefined;
  return new Set(places).size < places.length || entries.some(isSecond);
}

/** Describes a log for applications. */
export function describeLog(
  id: EntryId,
  { membership }: LogView,
  state: Pick<LedgerLog, 'isCompared' | 'isForked' | 'waits'>,
): LedgerLog {
  const { past, seats, reasonOf } = membership;
  const nameOf = (person: EntryId | undefined): string | undefined => {
    const admission = person === undefined ? undefined : past.entryOf(person);
    return admission !== undefined && 'name' in admission ? admission.name : undefined;
  };
  const members = membership.members.map(({ user, name, role, admittedBy }) => ({
    ...{ user, name, role, admittedBy: nameOf(admittedBy) },
  }));
  const ignored = past.entries.flatMap((entry) => {
    const rule = reasonOf(entry.id)?.rule;
    return rule === undefined ? [] : [{ id: entry.id, rule, signer: nameOf(seats.signerOf(entry)?.person) }];
  });
  return { id, ...state, members, ignored };
}

/** @throws FixpointError */
export function throwIf(reason: ErrorCode | undefined): void {
  if (reason !== undefined) throw new FixpointError(reason, 'membership log');
}
