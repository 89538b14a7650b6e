/**
 * Decides what a gateway accepts into the list `keys` of a ledger with a log
 * (docs/internals/membership-rules.md, "The gateway").
 */
import { type EntryId, type LogEntry, personNamedBy, rotationOf } from './entry.ts';

/** Maximum numbers of new entries of an account (G4). */
const ADMIN_DAILY_MAX = 2000;
const DAILY_MAX = 200;
const ACCOUNT_MAX = 2000;
const ACCOUNT_CHARS_MAX = 1_000_000;
/** The rights of an account at the gateway. */
export type PutterRight = 'read' | 'write' | 'admin';
/**
 * Size from which on a list is full for accounts with this right (G4). Those with more rights have
 * room left, so that they can rotate the key and remove people.
 */
const FULL: Readonly<Record<PutterRight, LogSize>> = {
  read: { count: 8_000, chars: 3_000_000 },
  write: { count: 10_000, chars: 4_000_000 },
  admin: { count: Number.POSITIVE_INFINITY, chars: 8_000_000 },
};
/**
 * Maximum number of entries that an account puts in a day into a list that is full for it. Without
 * them, somebody could fill the list so that nobody can remove them.
 */
const RESERVE_DAILY: Readonly<Record<PutterRight, number>> = { read: 2, write: 4, admin: 16 };

/** A number of entries, and their length. */
export interface LogSize {
  readonly count: number;
  readonly chars: number;
}

export interface Putter {
  readonly right: PutterRight;
  /** How many entries the account put in the last day. */
  readonly putToday: number;
  /** The entries that the account ever put. */
  readonly put: LogSize;
}

/**
 * Returns whether an admin may put rotations into a list that is full (G4). Each admin has a
 * reserve of their own. Otherwise one admin could use up the reserve of those who remove them.
 * @param rotationsToday how many rotations the account put in the last day, with the new ones
 */
export const hasRotationReserve = (rotationsToday: number): boolean => rotationsToday <= RESERVE_DAILY.admin;

/** Returns the limit that further entries of an account exceed. @param stored all in the list */
export function limitFault(
  added: LogSize,
  { right, putToday, put }: Putter,
  stored: LogSize,
): GatewayRule | undefined {
  const today = putToday + added.count;
  const isOverOwn =
    right === 'admin'
      ? today > ADMIN_DAILY_MAX
      : today > DAILY_MAX ||
        put.count + added.count > ACCOUNT_MAX ||
        put.chars + added.chars > ACCOUNT_CHARS_MAX;
  const isFull =
    stored.count + added.count > FULL[right].count || stored.chars + added.chars > FULL[right].chars;
  const isOver = isOverOwn || (isFull && today > RESERVE_DAILY[right]);
  return isOver && added.count > 0 ? 'G4' : undefined;
}

export interface StoredLog {
  /** The ids of all entries in the list. */
  readonly ids: Pick<ReadonlySet<EntryId>, 'has' | 'size'>;
  readonly start: EntryId | undefined;
}

export type GatewayRule = 'G1' | 'G2' | 'G3' | 'G4' | 'G5';

/**
 * Returns the rule that a request to put entries breaks.
 * @param entries valid new entries, each of which follows those that it names
 * @param mayStart whether the caller may start and withdraw a log (G2)
 */
export function putFault(
  entries: readonly LogEntry[],
  mayStart: boolean,
  stored: StoredLog,
): GatewayRule | undefined {
  const added = new Set<EntryId>();
  let { start } = stored;
  for (const entry of entries) {
    if (entry.kind === 'start') {
      if (!mayStart || start !== undefined) return 'G2';
      start = entry.id;
    } else if (!namedBy(entry).every((id) => stored.ids.has(id) || added.has(id))) return 'G1';
    added.add(entry.id);
  }
  return undefined;
}

function namedBy(entry: LogEntry): EntryId[] {
  if (entry.kind === 'join') return [...entry.prev];
  const cosigner = entry.kind === 'code' ? entry.with?.entry : undefined;
  const others = [entry.by.entry, entry.own, personNamedBy(entry), cosigner];
  return [...entry.prev, ...others].filter((id) => id !== undefined);
}

/**
 * Returns whether a rotation breaks a rule: in a ledger with a log, it is accepted only together
 * with an entry that contains its hash (G5).
 * @param hash the sha-256 of the text of the record
 * @param entries the entries of the same request
 */
export function rotationFault(
  hash: string,
  entries: readonly LogEntry[],
  { start }: StoredLog,
): GatewayRule | undefined {
  const isNamed = entries.some((entry) => rotationOf(entry)?.record === hash);
  return start === undefined || isNamed ? undefined : 'G5';
}

/**
 * Returns whether a request starts a log with a data key that another one follows already (G2). The
 * founder then hasn't read a rotation, which may have removed somebody.
 * @param superseded the ids of the keys that other keys in the list follow
 */
export const startsWithOldKey = (entries: readonly LogEntry[], superseded: ReadonlySet<string>): boolean =>
  entries.some((entry) => entry.kind === 'start' && superseded.has(entry.dataKey));

/** Returns whether an entry may be deleted: only `start`, by an admin, and only alone (G2, G3). */
export function deletionFault(
  id: EntryId,
  mayStart: boolean,
  { ids, start }: StoredLog,
): GatewayRule | undefined {
  if (id !== start) return 'G3';
  return mayStart && ids.size === 1 ? undefined : 'G2';
}

/** Returns entries in an order in which each one follows those that it names. */
export function inOrder(entries: readonly LogEntry[]): LogEntry[] {
  const waiting = new Map(entries.map((entry) => [entry.id, entry]));
  const ordered: LogEntry[] = [];
  const open = entries.toReversed();
  for (let entry = open.at(-1); entry !== undefined; entry = open.at(-1)) {
    let isReady = true;
    if (waiting.has(entry.id))
      for (const id of namedBy(entry)) {
        const named = waiting.get(id);
        // The seat of `start` is in `start` itself.
        if (named === undefined || named === entry) continue;
        isReady = false;
        open.push(named);
      }
    if (!isReady) continue;
    open.pop();
    if (waiting.delete(entry.id)) ordered.push(entry);
  }
  return ordered;
}
