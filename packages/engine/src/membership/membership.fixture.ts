/** Writes membership logs for tests. */
import type { EntryId, LogEntry, Role, Signer, SigningKey } from './entry.ts';

type Content<T> = T extends LogEntry ? Omit<T, 'id' | 'prev' | 'by'> : never;

export interface TestLog {
  readonly entries: LogEntry[];
  /** Adds an entry that follows the given ones; by default all entries that nobody follows. */
  add(by: Signer, content: Content<LogEntry>, prev?: readonly EntryId[]): EntryId;
}

export const START = 'start';
export const FOUNDER: Signer = { key: 'founder', entry: START };
export const CODE: Signer = { key: 'founder code', entry: START };

/** @param idOf returns the id of the nth entry, which decides between equal ranks */
export function testLog(idOf: (n: number) => EntryId = (n) => `e${n}`): TestLog {
  const entries: LogEntry[] = [
    {
      ...{ id: START, prev: [], by: FOUNDER, kind: 'start', role: 'admin' },
      ...{ device: FOUNDER.key, code: CODE.key },
    },
  ];
  const heads = () => {
    const followed = new Set(entries.flatMap(({ prev }) => prev));
    return entries.flatMap(({ id }) => (followed.has(id) ? [] : [id]));
  };
  return {
    entries,
    add: (by, content, prev = heads()) => {
      const id = idOf(entries.length);
      entries.push({ ...content, id, prev, by } as LogEntry);
      return id;
    },
  };
}

/** Content of an entry that admits a person, whose keys have the person's name. */
export const person = (name: string, role: Role) => ({
  ...{ kind: 'person' as const, role, device: name, code: `${name} code` },
});
export const device = (of: EntryId, key: SigningKey) => ({ kind: 'device' as const, person: of, key });
export const code = (of: EntryId, key: SigningKey) => ({ kind: 'code' as const, person: of, key });
export const role = (of: EntryId, to: Role) => ({ kind: 'role' as const, person: of, role: to });
export const removal = (of: EntryId) => ({ kind: 'remove' as const, target: { person: of } });
export const removalOfKey = (key: SigningKey) => ({ kind: 'remove' as const, target: { key } });
