/** Prepares the record of a write: its changes with their Lamport times, and what it builds on. */
import { append } from '../../../base/append.ts';
import type { Guard, StoreChange } from '../../../ports/byte-store.ts';
import { readRow } from './log-files.ts';
import type { TimedChange } from './log-format.ts';
import { encodeSeen, type Position, SEEN_KEY } from './log-rows.ts';
import type { Found, RowsOfLogs } from './rows-of-logs.ts';

export interface LogsOfStore {
  readonly own: { readonly time: number };
  readonly others: ReadonlyMap<number, { readonly time: number; readonly position: Position }>;
  readonly rows: RowsOfLogs;
  /** How far this process had read the other logs when it last recorded that in its own log. */
  readonly seen: Uint8Array;
}

/** Returns the changes with their times. Returns undefined if the condition is not met. */
export async function changesUnder(
  logs: LogsOfStore,
  changes: readonly StoreChange[],
  guard: Guard | undefined,
): Promise<TimedChange[] | undefined> {
  if (guard === undefined) return timedChanges(logs, changes, undefined, undefined);
  if (!(await guardHolds(logs.rows, guard))) return undefined;
  const first = guard.isRestated ? logs.rows.toRestate(guard.key) : undefined;
  return guard.isRestated && first === undefined ? undefined : timedChanges(logs, changes, guard.key, first);
}

/**
 * @param guarded the key of the guard
 * @param first the row that the change of the guarded key restates
 */
function timedChanges(
  { own, others, rows, seen }: LogsOfStore,
  changes: readonly StoreChange[],
  guarded: string | undefined,
  first: Found | undefined,
): TimedChange[] {
  let time = own.time + 1;
  for (const other of others.values()) if (other.time >= time) time = other.time + 1;
  const timeOf = (key: string) => (key === guarded && first !== undefined ? first.row.time : time);
  const timed: TimedChange[] = changes.map((change) => ({ ...change, time: timeOf(change.key) }));
  if (others.size === 0) return timed;
  if (guarded !== undefined && first !== undefined) append(timed, rows.noteOf(guarded, first));
  const seenNow = encodeSeen([...others].map(([slot, { position }]) => [slot, position] as const));
  if (!seenNow.equals(seen)) timed.push({ key: SEEN_KEY, bytes: seenNow, time: 0 });
  for (const { key, bytes } of changes) if (bytes === undefined) append(timed, rows.removals(key));
  return timed;
}

/** Returns whether the key of the guard has exactly the bytes of the guard. */
async function guardHolds(rows: RowsOfLogs, { key, bytes }: Guard): Promise<boolean> {
  const row = rows.find(key);
  if (row === undefined || bytes === undefined) return row === undefined && bytes === undefined;
  if (row.length !== bytes.length) return false;
  return Buffer.compare(row.value ?? (await readRow(row)), bytes) === 0;
}
