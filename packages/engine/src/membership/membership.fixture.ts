/** Writes membership logs for tests. Keys and ids are names, so that a failing test can be read. */
import type { EntryId, LogEntry, Role, SeatKeys, SeatName, SigningKey } from '@fixpoint/protocol/storage';
import { evaluate, type Membership } from './evaluate.ts';

type Content<T> = T extends LogEntry ? Omit<T, 'id' | 'prev' | 'by' | 'at'> : never;

export interface TestLog {
  readonly entries: LogEntry[];
  /**
   * Adds an entry that follows the given ones; by default all entries that nobody follows. Leaves
   * out those that are in the past of another one (F3).
   */
  add(by: SeatName, content: Content<LogEntry>, prev?: readonly EntryId[]): EntryId;
  /** Adds a join of entries. */
  join(prev: readonly EntryId[]): EntryId;
}

export const START = 'start';
/** The device D1 and the code C0 of the founder. */
export const D1: SeatName = { key: 'D1', entry: START };
export const C0: SeatName = { key: 'C0', entry: START };

/** Returns the keys of a device or code with this name. */
export const keys = (name: string): SeatKeys => ({ sign: name, seal: `seal of ${name}` });

/** @param idOf returns the id of the nth entry, which decides between equal ranks */
export function testLog(idOf: (n: number) => EntryId = (n) => `e${n}`): TestLog {
  const entries: LogEntry[] = [
    {
      ...{ id: START, prev: [], by: D1, at: 0, kind: 'start', role: 'admin', user: 'F', name: 'F' },
      ...{ device: keys('D1'), code: keys('C0'), seen: true, dataKey: 'key 0', cut: [] },
    },
  ];
  const push = (entry: object, prev: readonly EntryId[]): EntryId => {
    const id = idOf(entries.length);
    entries.push({ ...entry, id, prev: withoutPast(entries, prev) } as unknown as LogEntry);
    return id;
  };
  return {
    entries,
    add: (by, content, prev = latestIn(entries)) => push({ ...content, by, at: entries.length }, prev),
    join: (prev) => push({ kind: 'join' }, prev),
  };
}

/** Returns the entries that no other entry follows. */
export function latestIn(entries: readonly LogEntry[]): EntryId[] {
  const followed = new Set(entries.flatMap(({ prev }) => prev));
  return entries.flatMap(({ id }) => (followed.has(id) ? [] : [id]));
}

function withoutPast(entries: readonly LogEntry[], ids: readonly EntryId[]): EntryId[] {
  const distinct = [...new Set(ids)];
  return distinct.filter((id) => !distinct.some((other) => other !== id && pastOf(entries, other).has(id)));
}

/** Returns the ids of all entries in the past of one. */
export function pastOf(entries: readonly LogEntry[], id: EntryId): ReadonlySet<EntryId> {
  const prevs = new Map(entries.map((entry) => [entry.id, entry.prev]));
  const found = new Set<EntryId>();
  const open = [...(prevs.get(id) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(prevs.get(next) ?? []));
  }
  return found;
}

/** Content of an entry that admits a person, whose keys have the person's name. */
export const person = (name: string, role: Role, seen = true) => ({
  ...{ kind: 'person' as const, role, user: name, name, seen },
  ...{ device: keys(name), code: keys(`code of ${name}`) },
});
export const device = (of: EntryId, key: SigningKey) => ({
  ...{ kind: 'device' as const, person: of, device: keys(key), name: key, seen: true },
});
export const code = (of: EntryId, key: SigningKey, cosigner?: SeatName) => ({
  ...{ kind: 'code' as const, person: of, code: keys(key), with: cosigner },
});
export const role = (of: EntryId, to: Role, seen = true) => ({
  ...{ kind: 'role' as const, person: of, role: to, cut: [], seen: seen && to === 'admin' },
});
export const removal = (of: EntryId, keep: readonly SigningKey[] = []) => ({
  ...{ kind: 'remove' as const, target: { person: of }, cut: [], keep },
});
export const removalOfKey = (key: SigningKey, keep: readonly SigningKey[] = []) => ({
  ...{ kind: 'remove' as const, target: { key }, cut: [], keep },
});
export const leave = (all = false) => ({ kind: 'leave' as const, all, cut: [] });
export const rotation = (key: string) => ({
  kind: 'key' as const,
  rotation: { key, record: `record of ${key}` },
});

export interface TestPerson {
  readonly entry: EntryId;
  /** The seat of the first device. */
  readonly by: SeatName;
  /** The seat of the code. */
  readonly code: SeatName;
}

/** Adds an entry that admits a person; by default, the founder signs it. */
export function admit(log: TestLog, name: string, as: Role, by = D1, prev?: readonly EntryId[]): TestPerson {
  const entry = log.add(by, person(name, as), prev);
  return { entry, by: { key: name, entry }, code: { key: `code of ${name}`, entry } };
}

/** Adds a device, and returns its seat. */
export function addDevice(
  log: TestLog,
  of: EntryId,
  key: SigningKey,
  by: SeatName,
  prev?: readonly EntryId[],
): SeatName {
  return { key, entry: log.add(by, device(of, key), prev) };
}

/** A log with the founder, the admins A and B, the writer W and the reader R, in this order. */
export function teamLog() {
  const log = testLog();
  const [A, B] = [admit(log, 'A', 'admin'), admit(log, 'B', 'admin')];
  return { log, A, B, W: admit(log, 'W', 'write'), R: admit(log, 'R', 'read') };
}

export const resultOf = ({ entries }: Pick<TestLog, 'entries'>): Membership => evaluate(entries, START);

/** Returns the roles of the members by the name of the person. */
export const rolesIn = (log: TestLog) =>
  Object.fromEntries(resultOf(log).members.map(({ name, role: has }) => [name, has]));

/** Returns the keys of all current seats. */
export function currentIn(log: TestLog): string[] {
  const { seats, isCurrent } = resultOf(log);
  return seats.all.flatMap((seat) => (isCurrent(seat) ? [seat.key] : [])).sort();
}

/** Returns for each entry whether it counts. */
export function whichCount(log: TestLog, ...ids: EntryId[]): boolean[] {
  const { counts } = resultOf(log);
  return ids.map(counts);
}
