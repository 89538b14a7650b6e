/**
 * Decides what a gateway accepts into the list `keys` of a ledger with a log
 * (docs/internals/membership-rules.md, "The gateway").
 */
import { type EntryId, type LogEntry, personNamedBy, rotationOf } from './entry.ts';

/** Maximum numbers of new entries of an account (G4). */
const ADMIN_DAILY_MAX = 2000;
const DAILY_MAX = 200;
const ACCOUNT_MAX = 2000;
/** Number of entries from which on only admins may put further ones. */
const FULL = 10_000;

export interface Putter {
  readonly isTenantAdmin: boolean;
  /** How many entries the account put in the last day, and ever. */
  readonly putToday: number;
  readonly putEver: number;
}

export interface StoredLog {
  /** The ids of all entries in the list. */
  readonly ids: ReadonlySet<EntryId>;
  readonly start: EntryId | undefined;
}

export type GatewayRule = 'G1' | 'G2' | 'G3' | 'G4' | 'G5';

/**
 * Returns the rule that a request to put entries breaks.
 * @param entries valid new entries, each of which follows those that it names
 */
export function putFault(
  entries: readonly LogEntry[],
  { isTenantAdmin, putToday, putEver }: Putter,
  stored: StoredLog,
): GatewayRule | undefined {
  const known = new Set(stored.ids);
  let { start } = stored;
  for (const [count, entry] of entries.entries()) {
    if (entry.kind === 'start') {
      if (!isTenantAdmin || start !== undefined) return 'G2';
      start = entry.id;
    } else if (!namedBy(entry).every((id) => known.has(id))) return 'G1';
    const isOver = isTenantAdmin
      ? putToday + count >= ADMIN_DAILY_MAX
      : putToday + count >= DAILY_MAX || putEver + count >= ACCOUNT_MAX || known.size >= FULL;
    if (isOver) return 'G4';
    known.add(entry.id);
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

/** Returns whether an entry may be deleted: only `start`, by an admin, and only alone (G2, G3). */
export function deletionFault(
  id: EntryId,
  { isTenantAdmin }: Pick<Putter, 'isTenantAdmin'>,
  { ids, start }: StoredLog,
): GatewayRule | undefined {
  if (id !== start) return 'G3';
  return isTenantAdmin && ids.size === 1 ? undefined : 'G2';
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
